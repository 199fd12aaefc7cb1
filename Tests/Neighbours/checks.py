"""Tests/Neighbours/run: tests on servers, on a machine where somebody else plays.

Beside them runs a JACK server that is not ours, with two clients that come and go all the time, and one that uses the
name of a client of ours. Whatever the tests look at must be their own. Words are passed on to the program of the tests.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(ROOT, "Tests", "Faults"), os.path.join(ROOT, "Tests", "Harness")]

import processes  # noqa: E402
import programs  # noqa: E402
import server as jack  # noqa: E402
from swifttests import Report  # noqa: E402

# What looks at shared memory, waits for notifications, or starts servers by the command.
CHOICE = r"JackTests\.(Server|Process|Notification)Tests|LatencyCommandTests|\.DoctorTests"
# None that a test's own client has: libjack names the socket on which it is called back after client and user, not after the
# server, so that of two opened at the same moment one takes the other's away ("Cannot open … client").
VISITORS = ["stranger-1", "stranger-2", "stranger-3"]
SECONDS_PER_VISIT = 2
"""At most, of each visitor; seldomer and nothing was tested."""
FIRST_VISIT_SECONDS = 20


def visitor(folder):
    program = os.path.join(folder, "visitor")
    flags = subprocess.run(
        ["pkg-config", "--cflags", "--libs", "jack"], check=True, capture_output=True, text=True).stdout.split()
    clang = shutil.which("clang") or "cc"
    subprocess.run([clang, "-O2", "-Wall", "-Werror", os.path.join(HERE, "visitor.c"), "-o", program, *flags], check=True)
    return program


def tests(folder, words):
    """The report of the tests, and the exit code of their run."""
    events = os.path.join(folder, "events")
    code = subprocess.run(
        [".build/debug/iounitPackageTests.xctest", "--testing-library", "swift-testing", "--no-parallel",
         *(words or ["--filter", CHOICE]), "--event-stream-output-path", events, "--event-stream-version", "0"],
        cwd=ROOT, check=False).returncode
    if not os.path.exists(events):
        return Report([]), code
    with open(events, encoding="utf-8", errors="replace") as file:
        return Report(file), code


def main(words):
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    failures, visitors = [], []
    with tempfile.TemporaryDirectory(prefix="neighbours-") as folder:
        program = visitor(folder)
        foreign = jack.Server(folder)
        foreign.start()
        try:
            for name in VISITORS:
                visitors.append(processes.Process([program, foreign.name, name], folder, name))
            processes.wait_until(lambda: all(guest.out for guest in visitors), FIRST_VISIT_SECONDS)
            start = time.monotonic()
            report, code = tests(folder, words)
            seconds = time.monotonic() - start
            for guest in visitors:
                visits = len(guest.out)
                print(f"{guest.name} came and went {visits} times")
                if not guest.is_running:
                    failures.append(f"{guest.name} ended with {guest.code}: {guest.err.strip()[-200:]}")
                elif visits < max(1, seconds // SECONDS_PER_VISIT):
                    failures.append(f"{guest.name} came and went {visits} times only in {seconds:.0f} s")
            if not foreign.is_running:
                failures.append("the other server has ended")
        finally:
            for guest in visitors:
                guest.end()
            foreign.close()
    failures += report.failures
    if not report.is_complete or code != 0 and not failures:
        failures.append(f"did not run to its end (exit code {code}); {report.not_run} tests were not run")
    for failure in failures:
        print(f"failed: {failure}")
    print(f"{report.passed} passed, {len(failures)} failed")
    return 1 if failures or report.passed == 0 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
