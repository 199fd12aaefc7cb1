"""Tools/test: the stages, side by side, each with its deadline, and the sum of what they found."""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import documents
import isolation
import lanes
from commands import ROOT
from deadline import INTERRUPTIONS, LATE, end_by
from swifttests import Report

SLOWEST = 10
SETUP_SECONDS = 1500
SETUP = os.environ.get("TEST_SETUP", "Tools/setup")
"""What installs what is missing: for the tests of this file."""
BUILD_SECONDS = 1500
"""On a slow machine, beside other builds."""
AREA_SECONDS = 1200
FULL_DISK = re.compile("No space left on device|Disk quota exceeded")
"""As in Tools/build."""
COMPILE_ERROR = re.compile(r"^\S+:\d+:\d+: error: .*", re.MULTILINE)
"""In a file. One brings others by the hundred, in macros that are expanded, before which nobody would find it."""
BUNDLES = os.environ.get("TEST_BUNDLES", ".build")
"""Where the builds are: for the tests of this file."""

# Linked with the real-time sanitizer. Its symbols are looked up by a child process, which the end of a test would not wait
# for.
DEBUG = {"TESTS": "1", "RTSAN": "1", "RTSAN_OPTIONS": "symbolize=0"}
RELEASE = {"LIGHT": "1", "OPTIMISED": "1"}
# Without debug information, a tenth of the build: a failed test says its own line. Tools/build and Tests/Dependent/run take the
# same objects, and say the same.
BARE = ["-debug-info-format", "none"]
# `swift test list` builds what it lists, but in an optimised build always with what @testable needs. The release tests look
# into no module, so that they share the objects of the installed program.
BUILDS = {
    "debug": (["swift", "test", "list", *BARE], DEBUG),
    "release": (
        ["swift", "test", "--configuration", "release", "--disable-testable-imports", *BARE, "--filter",
         "CycleAccountTests"],
        RELEASE),
}
# What the optimiser could spoil: what goes through a unit, and what is counted of it. Not a model in Python, which the debug tests
# compare with what is kept of it.
OPTIMISED = [
    "--filter",
    "AudioDSPTests|AudioRealtimeTests|RealtimeSafetyTests|SignalTests|QueueContentTests|TelemetryTests|LostTimeTests|"
    "CycleAccountTests",
    "--skip", "keptReferenceIsTheModels"]
IO = "(OnServer/|(?!OnServer))"
AREAS = {
    "streams": ("StreamingCommandsTests", "ReceiveT", "ReceiveF", "Receive", "Serve", "Send[BSW]"),
    "streaming": ("AudioStreamingTests", "[A-O]", "P"),
    "outages": ("OutageTests", "Close", "[A-F]", "O"),
    "io": ("AudioIOTests", IO + "[A-K]", IO + "[L-P]", IO + "Q"),
    "measuring": ("MeasuringCommandsTests", "[A-K]", "L"),
    "surroundings": ("SurroundingsTests", "[A-O]"),
    "live": ("LiveCommandsTests", "RecordF", "Rec", "Play", "P", "[A-F]", "[G-L]", "M", "S", "T"),
    "syntax": ("CommandSyntaxTests",),
    "plugins": ("(AudioPlugins|PluginCommands|PluginChecks)Tests", "(Pla|Plugin[CEM])"),
    "recording": ("AudioRecordingTests",),
    "files": ("AudioFilesTests",),
    "convert": ("FileCommandsTests",),
    "realtime": ("AudioRealtimeTests",),
    "measurement": ("AudioMeasurementTests",),
    "jack": ("JackTests",),
    "reports": ("AudioReportsTests",),
    "dsp": ("AudioDSPTests",),
    "metering": ("AudioMeteringTests",),
    "voice": ("AudioVoiceTests",),
    "health": ("SystemHealthTests",),
    "threads": ("ThreadsTests",),
}
"""Parts of the debug tests: a module of tests each, the longest shares first, as where nothing is known of a run before. What
takes longer than others is run in shares, side by side: the suites whose names begin so and not like a share before, and the
rest."""


def shares(area):
    """Pairs of a name and a choice of tests, which are disjoint and together all of an area."""
    module, *beginnings = AREAS[area]
    found = []
    for index in range(len(beginnings) + 1):
        other = f"(?!{'|'.join(beginnings[:index])})" if index else ""
        beginning = beginnings[index] if index < len(beginnings) else ""
        name = f"{area} {index + 1}" if beginnings else area
        # A suite that is chosen brings all that is in it: the one of other suites is not.
        found.append((name, ["--filter", rf"^{module}\.(?!OnServer$){other}{beginning}"]))
    return found


COMPUTING = {
    "build debug", "build release", "threads", "dsp", "files", "realtime", "reports", "metering", "voice", "convert",
    "failures", "disassembly", "install"}
"""What has a processor for itself most of the time."""
CLOCKLESS = COMPUTING | {"syntax", "plugins", "changing", "package"}
"""What needs no clock. It gives way to what does: a server without a processor loses sound."""


def polite(name, command):
    # Three parts of four are the other's. Further down it would get next to nothing beside other work of the machine.
    return ["nice", "-n", "5", *command] if name in CLOCKLESS or area(name) in CLOCKLESS else command


class SetUp:
    """What the tests need is installed while the build, which needs less, begins; before it, where jobs run one by one."""

    name, done, quiet, computes, needs, after, is_whole = "set-up", "all is there", False, True, (), (), True

    def __init__(self, runner):
        self.runner = runner

    def perform(self, log):
        # Not into the log: it says what it installs, and why it cannot.
        code, processor = self.runner.call(SETUP_SECONDS, [SETUP, "--tests"])
        if code != 0:
            raise Unprepared(code)
        return Outcome(0, [], processor)


class Unprepared(Exception):
    """The set-up has failed, and has told why; its exit code is the argument."""


def toolchain():
    """The folder of the toolchain, as in Tools/build."""
    swift = shutil.which("swift") or "/missing/bin/swift"
    try:
        # A swift of swiftly is a proxy outside of any toolchain. The swiftc beside it says where its compiler is.
        facts = subprocess.run(
            [os.path.join(os.path.dirname(swift), "swiftc"), "-print-target-info"], stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, check=False)
        resources = json.loads(facts.stdout)["paths"]["runtimeResourcePath"]
        return os.path.dirname(os.path.dirname(resources))
    except (OSError, ValueError, KeyError, TypeError):
        return os.path.dirname(os.path.dirname(os.path.realpath(swift)))


def choose_runtime():
    """The optimised build links Swift's shared runtime where the toolchain has no static one, or no lld."""
    place = toolchain()
    if not all(os.path.exists(os.path.join(place, name)) for name in ("lib/swift_static/linux", "bin/ld.lld")):
        RELEASE["SHARED"] = "1"


class Build:
    done, quiet, needs, is_whole = "built", False, (), True

    def __init__(self, configuration, runner):
        self.name, self.configuration, self.runner = f"build {configuration}", configuration, runner
        self.computes = self.name in COMPUTING
        # One after the other, as each takes all processors: the tests can begin behind the first one.
        self.after = {"debug": (), "release": ("build debug",)}[configuration]

    def perform(self, log):
        command, environment = BUILDS[self.configuration]
        code, processor = self.runner.call(BUILD_SECONDS, polite(self.name, command), environment, log)
        if code == 0:
            return Outcome(0, [], processor)
        log.seek(0)
        text = log.read()
        is_full = FULL_DISK.search(text)
        reason = f"it needs more room than the disk of {ROOT} has; free some GB" if is_full else _meaning(code)
        errors = list(dict.fromkeys(COMPILE_ERROR.findall(text)))
        return Outcome(0, ["\n  ".join([f"the build failed ({reason})", *errors[:5]])], processor)


PREPARATIONS = (SetUp, Build)


def within(folder, environment):
    """An environment with a folder for temporary files. Not of a build: SwiftPM would read the manifest anew."""
    return {**(environment or {}), **({"TMPDIR": folder} if folder else {})}


class SwiftTests:
    """A choice of Swift tests, run by the program that the build has made of them."""

    quiet = False

    def __init__(self, name, choice, configuration, runner, is_whole=True):
        self.name, self.choice, self.configuration, self.runner = name, choice, configuration, runner
        self.needs, self.after, self.is_whole = ("set-up", f"build {configuration}"), (), is_whole
        self.computes = name in COMPUTING

    def perform(self, log):
        try:
            return self._perform(log)
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            return Outcome(0, [f"could not be run: {error}"], 0)

    def _perform(self, log):
        # What tests, and programs that they end, leave in the folder for temporary files goes with it.
        with tempfile.TemporaryDirectory(dir=self.runner.folder, ignore_cleanup_errors=True) as folder:
            os.chmod(folder, 0o1777)  # Some run as another user.
            printed = os.path.join(folder, "documents")
            os.mkdir(printed)
            os.chmod(printed, 0o1777)
            environment = {**BUILDS[self.configuration][1], "TMPDIR": folder, "TEST_DOCUMENTS": printed}
            events = os.path.join(folder, "events")
            command = [
                os.path.join(BUNDLES, self.configuration, "iounitPackageTests.xctest"), "--testing-library", "swift-testing",
                "--no-parallel", *self.choice, "--event-stream-output-path", events, "--event-stream-version", "0"]
            code, processor = self.runner.call(
                AREA_SECONDS, polite(self.name, command), environment, log, isolated=True)
            report = Report([])
            if os.path.exists(events):
                with open(events, encoding="utf-8", errors="replace") as file:
                    report = Report(file)
            wrong = documents.complaints(printed, os.path.join(BUNDLES, self.configuration, "iounit"))
        failures = report.failures + wrong
        if code != 0 and not failures or not report.is_complete:
            failures.append(f"did not run to its end ({_meaning(code)}); {report.not_run} tests were not run")
        elif report.passed == 0 and not failures:
            failures.append("there are no such tests")
        return Outcome(report.passed, failures, processor, report)


class Script:
    """A program whose last line is "N passed, N failed". `builds`: those it needs. `words`: what it is called with."""

    is_whole = True

    def __init__(self, name, seconds, path, runner, builds=(), after=(), environment=None, quiet=False, words=()):
        self.name, self.seconds, self.words, self.runner = name, seconds, [os.path.join(ROOT, path), *words], runner
        self.needs = ("set-up", *(f"build {configuration}" for configuration in builds))
        self.after, self.environment, self.quiet = after, environment, quiet
        self.computes = name in COMPUTING
        self.builds = name in ("install", "package", "failures", "changing")

    def perform(self, log):
        code, processor = self.runner.call(
            self.seconds, polite(self.name, self.words),
            self.environment if self.builds else within(self.runner.folder, self.environment), log, isolated=True)
        log.seek(0)
        lines = [line.strip() for line in log if line.strip()]
        failures = [line for line in lines if line.lower().startswith("failed:")]
        numbers = re.fullmatch(r"(\d+) passed, (\d+) failed", lines[-1] if lines else "")
        passed, failed = (int(number) for number in numbers.groups()) if numbers else (0, 0)
        if not numbers or code != 0 and failed == 0:
            failures.append(f"did not run to its end ({_meaning(code)})")
        return Outcome(passed, failures, processor, failed=failed)


class Outcome:
    """`processor`: seconds."""

    def __init__(self, passed, failures, processor, report=None, failed=0):
        self.passed, self.failures, self.processor, self.report = passed, failures, processor, report
        self.failed = max(failed, len(failures))


def _meaning(code):
    if code < 0:
        return f"ended by {signal.Signals(-code).name}"
    return "it was past its deadline; see above" if code == LATE else f"exit code {code}"


class Memory:
    """What the last run of each stage took, and what failed in it."""

    PARTS = ("times", "processor", "choices")

    def __init__(self, path=os.path.join(ROOT, BUNDLES, "tests.json")):
        self._path, self._changes = path, {part: {} for part in self.PARTS}
        self.times, self.processor, self.failed = self._read().values()

    def _read(self):
        try:
            with open(self._path, encoding="utf-8") as file:
                kept = json.load(file)
            return {part: dict(kept[part]) for part in self.PARTS}
        except (OSError, ValueError, KeyError, TypeError):
            return {part: {} for part in self.PARTS}  # Of another version, or the first run: all is unknown.

    def note(self, name, seconds, processor, failed):
        """`seconds`: none where only some of its tests were run. `failed`: the choice of tests that runs again what failed, which
        is empty for a script."""
        if seconds is not None:
            self._changes["times"][name], self._changes["processor"][name] = round(seconds, 1), round(processor, 1)
        self._changes["choices"][name] = failed

    def keep(self):
        """Writes what this run has noted, and leaves what another run has written since this one began."""
        kept = self._read()
        for part, changes in self._changes.items():
            kept[part].update(changes)
        kept["choices"] = {name: choice for name, choice in kept["choices"].items() if choice is not None}
        os.makedirs(os.path.dirname(self._path), exist_ok=True)
        # Into its place in one step: another run may be reading it.
        fresh = f"{self._path}.{os.getpid()}"
        with open(fresh, "w", encoding="utf-8") as file:
            json.dump(kept, file, indent=1)
        os.replace(fresh, self._path)


class Run:
    """A run of some stages."""

    def __init__(self, memory):
        # Theirs for temporary files: what they leave there goes with it.
        self._folder = tempfile.mkdtemp(prefix="iounit-")
        os.chmod(self._folder, 0o1777)  # Some run as another user.
        self.memory, self.commands, self._jobs = memory, lanes.Commands(self._folder), []
        self.passed, self.failed, self.processor, self.broken, self.slow = 0, 0, 0, [], []

    def jobs(self, names, choices=None):
        """The jobs of stages by their names, and what they need. `choices`: tests of each of them."""
        call = self.commands
        scripts = {
            "harness": Script("harness", 400, "Tests/Harness/run", call),
            "neighbours": Script("neighbours", 400, "Tests/Neighbours/run", call, ("debug",), environment=DEBUG),
            "failures": Script(
                "failures", 900, "Tools/compile-failures", call, ("debug",), words=[os.path.join(BUNDLES, "debug")]),
            "changing": Script("changing", 600, "Tests/Changing/run", call, ("debug",)),
            "disassembly": Script(
                "disassembly", 600, "Tools/disassembly", call, ("release",),
                words=[os.path.join(BUNDLES, "release", "iounit")]),
            # These build something themselves, and a build waits for another one.
            "install": Script("install", 1200, "Tests/Install/run", call, ("release",)),
            "package": Script("package", 900, "Tests/Dependent/run", call, ("debug", "release"), ("install",)),
            # What it does to a server and a disk is to be its own doing: its servers run beside no others.
            "faults": Script("faults", 600, "Tests/Faults/run", call, ("debug",), environment=DEBUG, quiet=True),
        }
        chosen = []
        for name in dict.fromkeys(names):
            if name in scripts:
                chosen.append(scripts[name])
                continue
            configuration = "release" if name == "release" else "debug"
            if choices:
                chosen.append(SwiftTests(name, choices[name], configuration, call, is_whole=False))
                continue
            for share, choice in [(name, OPTIMISED)] if name == "release" else shares(name):
                chosen.append(SwiftTests(share, choice, configuration, call))
        needed = {need for job in chosen for need in job.needs}
        before = [SetUp(call), *(Build(configuration, call) for configuration in BUILDS)]
        return [job for job in before if job.name in needed] + chosen

    def perform(self, jobs):
        """The exit code."""
        start, self._jobs = time.monotonic(), jobs
        count = lanes.COUNT
        if not isolation.is_possible():
            # All of them share one registry, of eight servers, and one /dev/shm: a container's has room for one server.
            print("test: so the stages run one by one; Tools/test --help says what permits more", file=sys.stderr)
            count = 1
        lanes.run(jobs, self._lasting, self._done, count)
        self._forget_choices()
        self.memory.keep()
        print("\nThe slowest:")
        for seconds, title in sorted(self.slow, reverse=True)[:SLOWEST]:
            print(f"{seconds:8.1f} s  {title}")
        # Once more at the end, where one looks first.
        if self.broken:
            print("\nWhat failed (Tools/test --failed runs it again):", *self.broken, sep="\n")
        print(f"\nin {time.monotonic() - start:.0f} s, {self.processor:.0f} s of processor")
        print(f"{self.passed} passed, {self.failed} failed", flush=True)
        return 0 if self.failed == 0 and self.passed > 0 else 1

    def _lasting(self, job):
        # First what others wait for; then what is not known.
        if isinstance(job, SetUp):
            return 100_000
        return 10_000 if isinstance(job, PREPARATIONS) else self.memory.times.get(job.name, 1000)

    def _forget_choices(self):
        """What --only noted of an area is out of date: all its shares were run, and note their own failures."""
        names = {job.name for job in self._jobs}
        for name in {area(job.name) for job in self._jobs if job.is_whole} - names:
            self.memory.note(name, None, None, None)

    def _done(self, job, outcome, seconds, output):
        self.passed += outcome.passed
        self.failed += outcome.failed
        self.processor += outcome.processor
        is_preparation = isinstance(job, PREPARATIONS)
        if outcome.failures or not is_preparation and not isinstance(job, SwiftTests):
            print(output[-8000:] if is_preparation else output, end="" if output.endswith("\n") else "\n")
        report = outcome.report
        if report:
            self.slow += [(seconds, f"{job.name}: {title}") for seconds, title in report.slowest(SLOWEST)]
            for text in report.skipped:
                print(f"skipped: {text}")
            for text in report.known:
                print(f"known: {text}")
        told = [f"{job.name}: {failure}" for failure in outcome.failures]
        if isinstance(job, Script) and told:
            told.append(f"  alone: Tools/test {job.name}")
        for test in report.failed if report else []:
            told.append(f"  alone: Tools/test --only {shlex.quote(alone(test))} {area(job.name)}")
        self.broken += told
        for line in told:
            print(line)
        # A pattern that fits nothing is no failure to run again.
        if job.is_whole or not (report and report.is_complete) or outcome.passed or report.failed:
            self.memory.note(
                job.name, *((seconds, outcome.processor) if job.is_whole else (None, None)),
                _again(job, report if report and len(outcome.failures) == len(report.failures) else None)
                if outcome.failures else None)
        if is_preparation and outcome.failures:
            # What needs it is not run now, but by --failed.
            for other in self._jobs:
                if job.name in other.needs:
                    self.memory.note(other.name, None, None, _again(other))
        is_done = is_preparation and not outcome.failures
        sum_ = job.done if is_done else f"{outcome.passed} passed, {outcome.failed} failed"
        print(f"== {job.name}: {sum_} in {seconds:.0f} s, {outcome.processor:.0f} s of processor", flush=True)

    def end(self):
        self.commands.end()
        shutil.rmtree(self._folder, ignore_errors=True)


def _again(job, report=None):
    """The choice of tests that runs again what failed or was not run: the job's own where the report cannot name it."""
    named = report.failed if report and report.names_every_failure else []
    return [word for test in named for word in ("--filter", alone(test))] or getattr(job, "choice", [])


def area(name):
    """The area of a share."""
    return name.split()[0]


def alone(test):
    """A pattern of a test's identifier, which ends with its place in a file."""
    return re.sub(r"[^\w/ ,']", ".", test.rsplit("/", 1)[0])


def pattern(wanted, name):
    """A pattern of the tests of an area whose identifiers hold another one. The optimised build has no others."""
    return rf"^(?={AREAS[name][0]}\.)(?=.*(?:{wanted}))" if name in AREAS else wanted


class Interrupted(Exception):
    """Somebody has sent us a signal; its number is the argument."""


def interrupt(number, _):
    """Raises `Interrupted`, once: what is to be ended takes a while."""
    for other in INTERRUPTIONS:
        signal.signal(other, signal.SIG_IGN)
    raise Interrupted(number)


ALL = ["harness", "neighbours", "release", "install", "package", "debug", "failures", "changing", "disassembly", "faults"]
"""Likewise."""


def expanded(names):
    """Stages by their names: `debug` is all areas."""
    return [part for name in names for part in (AREAS if name == "debug" else [name])]


def listed(names):
    return [share for name in expanded(names) for share, _ in (shares(name) if name in AREAS else [(name, None)])]


def show(memory):
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # Who reads it may have seen enough, as head does.
    for name in ["set-up", *(f"build {configuration}" for configuration in BUILDS), *listed(ALL)]:
        seconds = memory.times.get(name)
        known = f"{seconds:6.1f} s {memory.processor[name]:6.1f} s" if seconds is not None else " not yet"
        state = "" if name not in memory.failed else "  failed"
        print(f"{name:14} {known}{state}")
    return 0


def trouble(words):
    """What is wrong with the words, in a sentence; `None` where nothing is."""
    if words in (["--list"], ["--failed"]):
        return None
    if words[:1] in (["--list"], ["--failed"]):
        return f"{words[0]} stands alone"
    if words[:1] == ["--only"]:
        is_known = len(words) == 3 and (words[2] in AREAS or words[2] == "release")
        return None if is_known else "--only needs a PATTERN and one area"
    unknown = [name for name in words if name not in ALL and name not in AREAS]
    return f'there is no stage "{unknown[0]}"' if unknown else None


def main(words):
    # Before anything is installed the words are only read.
    only_reads = words[:1] == ["--read"]
    if only_reads:
        words = words[1:]
    if problem := trouble(words):
        print(f"test: {problem}; see Tools/test --help", file=sys.stderr)
        return 64
    if only_reads:
        return 0
    memory, only = Memory(), None
    if words == ["--list"]:
        return show(memory)
    again = words == ["--failed"]
    if words[:1] == ["--only"]:
        only, words = words[1:2], words[2:]
    choices = {}
    if again:
        choices = {name: choice for name, choice in memory.failed.items() if area(name) in AREAS or name in ALL}
        if not choices:
            print("test: nothing failed last time", file=sys.stderr)
            return 0
        words = list(choices)
    elif only:
        choices = {words[0]: ["--filter", pattern(only[0], words[0])]}
    choose_runtime()
    run = Run(memory)
    for number in INTERRUPTIONS:
        signal.signal(number, interrupt)
    try:
        return run.perform(run.jobs(expanded(words or ALL), choices))
    except Unprepared as failure:
        return failure.args[0]
    except BrokenPipeError:
        # Who reads what is told has seen enough. What waits to be written is not tried again.
        run.end()
        memory.keep()
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return end_by(signal.SIGPIPE)
    except Interrupted as interruption:
        run.end()
        memory.keep()
        print(f"test: interrupted; {run.passed} passed, {run.failed} failed so far", file=sys.stderr)
        return end_by(interruption.args[0])
    finally:
        run.end()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
