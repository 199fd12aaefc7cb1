"""One run of the chaos: its faults, what holds after each, and what it leaves."""

import collections
import statistics
import time

import processes
import supervised
from health import Health
from problem import Problem
from testimony import Event
from verdict import Verdict


class ChaosRun:
    """What does not hold is printed when it is seen, and counted by its kind; and so is what JACK did to the sound."""

    END_DEADLINE = 15.0
    END_PATIENCE = 3.0
    """After so many seconds it is looked who keeps the unit from ending."""
    GONE = 69
    """The exit code of a unit whose server does not answer."""
    CALLBACK = "iounit_jack_"
    """How the names of the unit's callbacks begin."""

    def __init__(self, plan, stage, seconds):
        self.plan = plan
        self.stage = stage
        self.seconds = seconds
        self.violations = collections.Counter()
        self.events = collections.Counter()
        self.faults = 0
        self.silent_times = []
        self.start = processes.seconds()

    def run(self):
        try:
            if not self.stage.start():
                self.violate("start", Problem("no sound", f"no sound: {self.stage.unit.err.strip()[-300:]}"))
                self._show_stacks()
                return
            time.sleep(1)
            # Its first line starts the thread that writes.
            processes.wait_until(lambda: " peak " in self.stage.unit.err, self.stage.SOUND_DEADLINE)
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
        name = f"#{step.number} {step}"
        silent = self.stage.sounds_again()
        self._take_events(self.stage.take_events())
        if silent is None:
            ended = "" if self.stage.unit.is_running else f"; it ended with {self.stage.unit.code}"
            said = self.stage.unit.err.strip().splitlines()[-1:]
            self.violate(
                name, Problem("no sound", f"no sound within {self.stage.SOUND_DEADLINE:.0f} s{ended} {said}"))
            self._show_stacks()
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
        was_running = self.stage.unit.is_running
        for number in self.plan.ending:
            self.stage.unit.send(number)
            time.sleep(0.001)
        code, silence = self.stage.unit.wait(self.END_PATIENCE), None
        if code is None:
            silence = self._server_silence()
            code = self.stage.unit.wait(self.END_DEADLINE)
        gone = processes.seconds()
        if code is None:
            self.violate(name, Problem("no end", f"it still runs after {self.END_DEADLINE:.0f} s"))
            self._show_stacks()
            return
        if code == self.GONE and silence:
            self._take_events([silence])
        elif was_running and code != -self.plan.ending[0]:
            self.violate(
                name, Problem("exit code", f"exit code {code}: {self.stage.unit.err.strip().splitlines()[-1:]}"))
        # Told twice, it may end at once, and print no report.
        is_killed = len(self.plan.ending) > 1 and not self.stage.unit.out.strip()
        verdict = Verdict(self.stage, ended, gone, is_killed=is_killed)
        for problem in verdict.problems:
            self.violate(name, problem)
        self._take_events(verdict.events)

    def _server_silence(self):
        """The event that the server answers nobody, where it does not, and waits for no callback of the unit's.

        After a client stood still jackd 1.9.21 first tells it of each xrun, and answers nobody for so long.
        """
        found = supervised.stacks(self.stage.unit.pid)
        if self.stage.server.answers() or self.CALLBACK in found:
            return None
        return Event(
            "no answer", "the server did not answer jack_lsp in 5 s while the unit left it, and no thread of the unit was "
            "in a callback of JACK's")

    def _take_events(self, events):
        """Counts what JACK did, and shows the first of each kind."""
        for event in events:
            self.events[event.kind] += 1
            if self.events[event.kind] == 1:
                self.say(f"of JACK, {event.kind}: {event.evidence}")

    def violate(self, fault, problem):
        self.violations[problem.kind] += 1
        self.say(f"VIOLATION (seed {self.plan.seed}, {problem.kind}) {fault}: {problem}")

    def _show_stacks(self):
        if self.stage.stacks:
            print(f"the unit, while there was no sound:\n{self.stage.stacks}")
        for process in self.stage.processes:
            print(f"{process.name}:\n{supervised.stacks(process.pid)}", flush=True)

    def say(self, text):
        print(f"{processes.seconds() - self.start:7.2f} s  {text}", flush=True)

    def summarize(self):
        if self.silent_times:
            print(
                f"sound again: median {statistics.median(self.silent_times):.2f} s, at most "
                f"{max(self.silent_times):.2f} s")
        if self.events:
            print("of JACK: " + ", ".join(f"{count} {kind}" for kind, count in sorted(self.events.items())))
        print(f"seed {self.plan.seed}: {self.faults} faults, {self.violations.total()} violations")
