"""Tools/chaos: random faults against a unit that records, and a look at what holds after each of them."""

import random
import shutil
import signal
import statistics
import sys
import tempfile
import time

import processes
import programs
import server
import verdict
from health import Health
from kills import Kills
from options import Options
from plan import Plan
from stage import Stage

END_DEADLINE = 15.0


class Chaos:
    """One run. What does not hold is printed when it is seen, and counted."""

    def __init__(self, plan, stage, seconds):
        self.plan = plan
        self.stage = stage
        self.seconds = seconds
        self.violations = 0
        self.faults = 0
        self.silent_times = []
        self.start = processes.seconds()

    def run(self):
        try:
            if not self.stage.start():
                self.violate("start", f"no sound: {self.stage.unit.err.strip()[-300:]}")
                return
            time.sleep(1)
            self.health = Health(self.stage.unit, self.stage.server)
            for step in self.plan.steps():
                if processes.seconds() - self.start > self.seconds or not self.attempt(step):
                    break
            self.end()
        finally:
            self.stage.close()

    def attempt(self, step):
        """Does a fault and looks at what holds; returns whether it makes sense to go on."""
        time.sleep(step.pause)
        self.faults += 1
        self.stage.perform(step)
        silent = self.stage.sounds_again()
        name = f"#{step.number} {step}"
        if silent is None:
            ended = "" if self.stage.unit.is_running else f"; it ended with {self.stage.unit.code}"
            said = self.stage.unit.err.strip().splitlines()[-1:]
            self.violate(name, f"no sound within {self.stage.SOUND_DEADLINE:.0f} s{ended} {said}")
            return False
        if step.fault.startswith("server-"):
            self.silent_times.append(silent)
        for problem in self.health.problems():
            self.violate(name, problem)
        now = self.health.now()
        self.say(
            f"{name}: sound after {silent:.2f} s; {now['memory'] >> 20} MB, {now['descriptors']} descriptors, "
            f"{now['threads']} threads")
        return True

    def end(self):
        name = "end by " + ", ".join(number.name for number in self.plan.ending)
        ended = processes.seconds()
        expected = 130 if self.stage.unit.is_running else None
        for number in self.plan.ending:
            self.stage.unit.send(number)
            time.sleep(0.001)
        code = self.stage.unit.wait(END_DEADLINE)
        gone = processes.seconds()
        if code is None:
            self.violate(name, f"it still runs after {END_DEADLINE:.0f} s")
            return
        if expected is not None and not self.is_expected(code):
            self.violate(name, f"exit code {code}: {self.stage.unit.err.strip().splitlines()[-1:]}")
        if code == -signal.SIGINT:
            return  # told twice, it ended at once: there is no report
        for problem in verdict.problems(self.stage, ended, gone):
            self.violate(name, problem)

    def is_expected(self, code):
        return code == 130 or len(self.plan.ending) > 1 and code == -signal.SIGINT

    def violate(self, fault, text):
        self.violations += 1
        self.say(f"VIOLATION (seed {self.plan.seed}) {fault}: {text}")

    def say(self, text):
        print(f"{processes.seconds() - self.start:7.2f} s  {text}", flush=True)


def parse(words):
    parser = Options("chaos")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--minutes", type=float, default=1)
    parser.add_argument("--mode", choices=["sync", "async"], default="async")
    parser.add_argument("--reconnect", choices=["auto", "never"], default="auto")
    parser.add_argument("--source", choices=["file", "client"], default="file")
    parser.add_argument("--on-rate-change", choices=["split", "convert"], default="split")
    parser.add_argument("--build", choices=["release", "debug"], default="release")
    parser.add_argument("--kills", type=int)
    parser.add_argument("--plan", type=int)
    parser.add_argument("--keep")
    options = parser.parse_args(words)
    if options.source == "client" and options.on_rate_change == "convert":
        parser.error("frames of a client are counted at the server's rate, so that none is known after a conversion")
    return options


def plan(options, seed):
    return Plan(seed, survives_server=options.reconnect != "never", has_client=options.source == "client")


def main(words):
    options = parse(words)
    seed = random.SystemRandom().randrange(1 << 32) if options.seed is None else options.seed
    if options.plan:
        steps = plan(options, seed)
        for step, _ in zip(steps.steps(), range(options.plan)):
            print(f"#{step.number} after {step.pause} s: {step}")
        print("end by " + ", ".join(number.name for number in steps.ending))
        return 0
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    folder = tempfile.mkdtemp(prefix="chaos-")
    programs.configuration = options.build
    try:
        programs.iounit()
        programs.counter()
        print(f"seed {seed}, {options.mode} mode", flush=True)
        if options.kills:
            run = Kills(seed, options.kills, options.mode == "sync", folder)
            run.run()
            print(run.summary)
        else:
            stage = Stage(
                folder, options.mode == "sync", options.minutes * 60, options.reconnect, options.source,
                options.on_rate_change)
            run = Chaos(plan(options, seed), stage, options.minutes * 60)
            run.run()
            times = run.silent_times
            if times:
                print(f"sound again: median {statistics.median(times):.2f} s, at most {max(times):.2f} s")
            if run.stage.forgotten:
                print(f"the server forgot clients of ours {run.stage.forgotten} times, which then joined again")
            print(f"seed {seed}: {run.faults} faults, {run.violations} violations")
        return 1 if run.violations else 0
    except KeyboardInterrupt:
        return 130
    except (server.ServerFailed, programs.NotBuilt) as error:
        print(f"chaos: {error}", file=sys.stderr)
        return 70
    finally:
        if options.keep:
            shutil.copytree(folder, options.keep, dirs_exist_ok=True)
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
