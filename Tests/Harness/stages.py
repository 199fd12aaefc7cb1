"""Tools/test: the stages, each with its deadline, and the sum of what they found."""

import contextlib
import ctypes
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time

from deadline import INTERRUPTIONS, LATE
from swifttests import Report

_libc = ctypes.CDLL(None)
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
DEADLINE = [sys.executable, os.path.join(HERE, "deadline.py")]
ISOLATED = [sys.executable, os.path.join(HERE, "isolation.py")]
SLOWEST = 10
BUILD_SECONDS = 1500
"""In a fresh clone, beside other builds."""

# Linked with the real-time sanitizer. Its symbols are looked up by a child process, which the end of a test would not wait
# for.
DEBUG_ENVIRONMENT = {"RTSAN": "1", "RTSAN_OPTIONS": "symbolize=0"}
# The objects of the installed program, and no others: the tests look into no module.
RELEASE = ["--configuration", "release", "--disable-testable-imports"]
SHORTEST = "CycleAccountTests"
RELEASE_ENVIRONMENT = {"LIGHT": "1", "OPTIMISED": "1"}
# What the optimiser could spoil: what goes through a unit, and what is counted of it.
OPTIMISED = (
    "AudioDSPTests|AudioRealtimeTests|RealtimeSafetyTests|SignalTests|QueueContentTests|TelemetryTests|LostTimeTests|"
    "CycleAccountTests")
# Suites of the command, which are areas of their own.
OUTAGES = "ServerFaultTests|GraphFaultTests|RunFaultTests|DiskFaultTests"
SURROUNDINGS = (
    "PipeWireTests|PipeWireRateTests|PipeWireResetTests|RefusalTests|ForeignClientTests|NetJackTests|RateSwitchTests")
ENDINGS = "EndingTests|MeasurementEndingTests"
STREAMS = r"Send\w*Tests|Receive\w*Tests|Serve\w*Tests"
APART = f"{OUTAGES}|{SURROUNDINGS}|{ENDINGS}|{STREAMS}"

AREAS = {
    "dsp": ["--filter", "AudioDSPTests"],
    "realtime": ["--filter", "AudioRealtimeTests"],
    "threads": ["--filter", "ThreadsTests"],
    "jack": ["--filter", "JackTests"],
    "io": ["--filter", "AudioIOTests"],
    "files": ["--filter", "AudioFilesTests"],
    "recording": ["--filter", "AudioRecordingTests"],
    "measurement": ["--filter", "AudioMeasurementTests"],
    "reports": ["--filter", "AudioReportsTests"],
    "metering": ["--filter", "AudioMeteringTests"],
    "health": ["--filter", "SystemHealthTests"],
    "streaming": ["--filter", "AudioStreamingTests"],
    "voice": ["--filter", "AudioVoiceTests"],
    "command": ["--filter", "CommandTests", "--skip", rf"CommandTests\.({APART})/"],
    "outages": ["--filter", rf"CommandTests\.({OUTAGES})/"],
    "endings": ["--filter", rf"CommandTests\.({ENDINGS})/"],
    "streams": ["--filter", rf"CommandTests\.({STREAMS})/"],
    "surroundings": ["--filter", rf"CommandTests\.({SURROUNDINGS})/"],
}
"""Parts of the first stage, by what they test."""
LANES = [AREAS["command"], ["--skip", rf"CommandTests\.(?!({APART})/)"]]
"""The first stage in two halves that run side by side, each with a shared memory of its own: most tests wait for sound."""


class Stages:
    """A run of some stages, in the order in which they were named."""

    def __init__(self, names):
        self.names = names
        self.passed, self.failed = 0, 0
        self.broken, self.times = [], []
        self._children = []

    def run(self):
        """The exit code."""
        ahead = None
        for name in self.names:
            start = time.monotonic()
            print(f"== {name}", flush=True)
            if name in AREAS:
                self._swift(name, 600, [], AREAS[name], environment=DEBUG_ENVIRONMENT)
            else:
                ahead = getattr(self, f"_{name}")() or ahead
            self.times.append((name, time.monotonic() - start))
            if ahead:
                ahead.wait()
        print()
        for name, seconds in self.times:
            print(f"{name:12} {seconds:6.0f} s")
        # Once more at the end, where one looks first.
        if self.broken:
            print("\nWhat failed:", *self.broken, sep="\n")
        print(f"{self.passed} passed, {self.failed} failed", flush=True)
        return 0 if self.failed == 0 and self.passed > 0 else 1

    # The stages.

    def _harness(self):
        self._script("harness", 240, "Tests/Harness/run")

    def _debug(self):
        if not self._build("debug", [], DEBUG_ENVIRONMENT):
            return None
        ahead = self._build_ahead()
        self._run("debug", 1200, LANES, DEBUG_ENVIRONMENT)
        return ahead

    def _neighbours(self):
        if self._build("neighbours", [], DEBUG_ENVIRONMENT):
            self._script("neighbours", 400, "Tests/Neighbours/run", DEBUG_ENVIRONMENT)

    def _release(self):
        self._swift("release", 400, RELEASE, ["--filter", OPTIMISED], environment=RELEASE_ENVIRONMENT)

    def _failures(self):
        self._script("failures", 300, "Tools/compile-failures")

    def _disassembly(self):
        self._script("disassembly", 600, "Tools/disassembly")

    def _install(self):
        self._script("install", 1200, "Tests/Install/run")

    def _package(self):
        self._script("package", 900, "Tests/Dependent/run")

    def _faults(self):
        self._script("faults", 600, "Tests/Faults/run")

    # How they are run.

    def _build(self, stage, flags, environment=None):
        """Builds all tests; where that fails it says so and returns false."""
        start = time.monotonic()
        with tempfile.TemporaryFile("w+") as log:
            code = self._start(BUILD_SECONDS, _build_command(flags), environment, stdout=log, stderr=log).wait()
            if code == 0:
                print(f"built in {time.monotonic() - start:.0f} s", flush=True)
                return True
            log.seek(0)
            print(log.read()[-8000:])
        self._count(stage, 0, [f"the build failed ({_meaning(code)})"])
        return False

    def _swift(self, stage, seconds, flags, *choices, environment=None):
        """Builds Swift tests, runs choices of them side by side and counts them."""
        if self._build(stage, flags, environment):
            self._run(stage, seconds, [[*flags, *choice] for choice in choices], environment)

    def _run(self, stage, seconds, lanes, environment=None):
        """Runs choices of Swift tests side by side, and counts them by the events that they report.

        What the first one prints is seen at once, what the others print when they have ended.
        """
        with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as logs:
            runs = []
            for number, lane in enumerate(lanes):
                events = os.path.join(folder, f"events{number}")
                # Nothing is built, so that the lock of a build would only make one wait for the other.
                command = ["swift", "test", "--skip-build", "--ignore-lock", "--no-parallel", "--disable-xctest", *lane]
                command += ["--event-stream-output-path", events, "--event-stream-version", "0"]
                log = logs.enter_context(tempfile.TemporaryFile("w+", errors="replace")) if number > 0 else None
                streams = {"stdout": log, "stderr": log} if log else {}
                runs.append((self._start(seconds, ISOLATED + command, environment, **streams), events, log))
            reports = [self._report(*run) for run in runs]
        failures = [failure for report, code in reports for failure in _failures(report, code)]
        for report, _ in reports:
            for text in report.skipped:
                print(f"skipped: {text}")
        print(f"The slowest of {stage}:")
        slowest = sorted((test for report, _ in reports for test in report.slowest(SLOWEST)), reverse=True)
        for duration, title in slowest[:SLOWEST]:
            print(f"{duration:8.1f} s  {title}")
        self._count(stage, sum(report.passed for report, _ in reports), failures)

    def _report(self, process, events, log):
        """What a run of tests reported of itself, and its exit code."""
        code = process.wait()
        if log:
            log.seek(0)
            print(log.read(), end="", flush=True)
        if not os.path.exists(events):
            return Report([]), code
        with open(events, encoding="utf-8", errors="replace") as file:
            return Report(file), code

    def _script(self, stage, seconds, path, environment=None):
        """Runs a script whose last line is "N passed, N failed"."""
        process = self._start(
            seconds, ISOLATED + [os.path.join(ROOT, path)], environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            errors="replace")
        failures, last = [], ""
        for line in process.stdout:
            print(line, end="", flush=True)
            last = line.strip() or last
            if line.lower().startswith("failed"):
                failures.append(line.strip())
        code = process.wait()
        numbers = re.fullmatch(r"(\d+) passed, (\d+) failed", last)
        passed, failed = (int(number) for number in numbers.groups()) if numbers else (0, 0)
        if not numbers or code != 0 and failed == 0:
            failures.append(f"did not run to its end ({_meaning(code)})")
        self._count(stage, passed, failures, failed)

    def _count(self, stage, passed, failures, failed=0):
        failed = max(failed, len(failures))
        self.passed += passed
        self.failed += failed
        self.broken += [f"{stage}: {failure}" for failure in failures]
        print(f"== {stage}: {passed} passed, {failed} failed", flush=True)

    def _build_ahead(self):
        """What other stages need is built at the lowest priority beside the first one, which mostly waits for sound.

        What cannot be built is told in its stage.
        """
        release = ["env", *(f"{name}={value}" for name, value in RELEASE_ENVIRONMENT.items()), *_build_command(RELEASE)]
        commands = {
            "release": release, "disassembly": release, "install": release,
            "package": [
                "swift", "build", "--package-path", "Tests/Dependent", "--scratch-path", ".build-dependent",
                "--product", "wire"],
        }
        wanted = "; ".join(dict.fromkeys(shlex.join(command) for stage, command in commands.items() if stage in self.names))
        return self._start(
            BUILD_SECONDS, ["nice", "-n", "19", "sh", "-c", wanted], stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL) if wanted else None

    def _start(self, seconds, command, environment=None, **streams):
        process = subprocess.Popen(
            [*DEADLINE, str(seconds), *command], cwd=ROOT, env={**os.environ, **(environment or {})},
            stdin=subprocess.DEVNULL, preexec_fn=_end_with_parent, **streams)
        self._children.append(process)
        return process

    def end(self):
        """Ends all that was started: each deadline ends what runs under it."""
        for process in self._children:
            process.terminate()
        for process in self._children:
            process.wait()


class Interrupted(Exception):
    """Somebody has sent us a signal; its number is the argument."""


def interrupt(number, _):
    """Raises `Interrupted`, once: what is to be ended takes a while."""
    for other in INTERRUPTIONS:
        signal.signal(other, signal.SIG_IGN)
    raise Interrupted(number)


def _end_with_parent():
    _libc.prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG: should we be killed, the deadline ends what runs under it


def _build_command(flags):
    # `swift test list` builds what it lists, but in an optimised build always with what @testable needs.
    return ["swift", "test", "list", *flags] if flags != RELEASE else ["swift", "test", *flags, "--filter", SHORTEST]


def _failures(report, code):
    failures = report.failures
    if code != 0 and not failures or not report.is_complete:
        failures.append(f"did not run to its end ({_meaning(code)}); {report.not_run} tests were not run")
    elif report.passed == 0 and not failures:
        failures.append("there are no such tests")
    return failures


def _meaning(code):
    return "it was past its deadline; see above" if code == LATE else f"exit code {code}"


ALL = [
    "harness", "debug", "neighbours", "release", "failures", "disassembly", "install", "package", "faults"]


def main(names):
    names = names or ALL
    for name in names:
        if name not in ALL and name not in AREAS:
            print(f'test: there is no stage "{name}"; see Tools/test --help', file=sys.stderr)
            return 64
    stages = Stages(names)
    for number in INTERRUPTIONS:
        signal.signal(number, interrupt)
    try:
        return stages.run()
    except Interrupted as interruption:
        stages.end()
        print(f"test: interrupted; {stages.passed} passed, {stages.failed} failed so far", file=sys.stderr)
        return 128 + interruption.args[0]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
