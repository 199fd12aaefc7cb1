"""Tools/chaos: random faults against a unit that records, and a look at what holds after each of them."""

import json
import random
import shutil
import signal
import sys
import tempfile

import options as command_line
import programs
import series
import server
import supervised
from chaosrun import ChaosRun
from kills import Kills
from plan import Plan
from stage import Stage

# What a run may take beyond its minutes: the last fault's, and the time to look at what was recorded.
GRACE_SECONDS = 180


def plan(options, seed):
    return Plan(seed, survives_server=options.reconnect != "never", has_client=options.source == "client")


def run_one(options, seed, folder):
    """Returns what came of it, for the table of a series."""
    print(f"seed {seed}, {options.mode} mode, source {options.source}", flush=True)
    if options.kills:
        run = Kills(seed, options.kills, options.mode == "sync", folder)
        run.run()
        print(run.summary)
        return {"faults": options.kills, "violations": dict(run.violations), "events": dict(run.events)}
    stage = Stage(
        folder, options.mode == "sync", options.minutes * 60, options.reconnect, options.source,
        options.on_rate_change)
    run = ChaosRun(plan(options, seed), stage, options.minutes * 60)
    run.run()
    run.summarize()
    return {"faults": run.faults, "violations": dict(run.violations), "events": dict(run.events)}


def run_series(options):
    both = {"mode": ["sync", "async"], "source": ["file", "client"]}
    modes, sources = (both[name] if word == "both" else [word] for name, word in (
        ("mode", options.mode), ("source", options.source)))
    runs = [
        series.Run(seed, mode, source) for seed in options.seeds for mode in modes for source in sources]
    programs.witness()
    words = ["--program", programs.iounit(), "--reconnect", options.reconnect, "--on-rate-change", options.on_rate_change]
    series.Series(runs, words, options.minutes, options.keep).run(options.jobs or 1)
    print(series.table(runs))
    print(series.total(runs))
    return 1 if any(run.code != 0 for run in runs) else 0


def main(words):
    options = command_line.chaos(words)
    seed = random.SystemRandom().randrange(1 << 32) if options.seed is None else options.seed
    if options.plan:
        steps = plan(options, seed)
        for step, _ in zip(steps.steps(), range(options.plan)):
            print(f"#{step.number} after {step.pause} s: {step}")
        print("end by " + ", ".join(number.name for number in steps.ending))
        return 0
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    programs.configuration, programs.given = options.build, options.program
    folder = None
    try:
        programs.iounit()
        programs.counter()
        if options.seeds:
            return run_series(options)
        supervised.within((options.kills or 0) * 10 + options.minutes * 60 + GRACE_SECONDS, "chaos")
        folder = tempfile.mkdtemp(prefix="chaos-")
        result = run_one(options, seed, folder)
        if options.result:
            with open(options.result, "w", encoding="utf-8") as file:
                json.dump(result, file)
        return 1 if result["violations"] else 0
    except KeyboardInterrupt:
        return 130
    except (server.ServerFailed, programs.NotBuilt) as error:
        print(f"chaos: {error}", file=sys.stderr)
        return 70
    finally:
        if folder:
            if options.keep:
                shutil.copytree(folder, options.keep, dirs_exist_ok=True)
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
