"""Tools/deadline: runs a command that may not take longer than a given time, and leaves nothing of it behind."""

import contextlib
import ctypes
import os
import resource
import signal
import sys
import time

import family
import waits

LATE = 124
"""The exit code of a command that was ended at its deadline: that of timeout(1)."""
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
INTERRUPTIONS = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
_OWN_CLEANUP_SECONDS = 30
"""How long an interrupted command may take to end by itself."""
_FROM_KERNEL = 0x80
FACTOR = float(os.environ.get("DEADLINE_FACTOR", "1"))
"""How many times longer all deadlines are: for a machine that is slow."""

_libc = ctypes.CDLL(None, use_errno=True)


def supervise(seconds, name):
    """Splits the calling program in two: one part returns and goes on, the other sees to it that it ends in time.

    The second part keeps the process number, passes interruptions on and ends as the first: with its code, or by its signal. All that
    descends from the first one, and runs when it has ended or `seconds` have passed, is ended with it.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    # Orphans become children of this process, so that they are found.
    _libc.prctl(_PR_SET_CHILD_SUBREAPER, 1)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, INTERRUPTIONS | {signal.SIGCHLD})
    supervisor = os.getpid()
    child = os.fork()
    if child == 0:
        _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        if os.getppid() != supervisor:
            end_by(signal.SIGTERM)
        return
    code = _Supervisor(child, seconds * FACTOR, _OWN_CLEANUP_SECONDS * FACTOR, name).run()
    if code < 0:
        end_by(-code)
    os._exit(code)


def end_by(number):
    """Ends this process by a signal, as whoever waits for it, a shell or a service manager, has to see it."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError):
            stream.flush()
    # The process that the signal has hit may have left an image of its memory; this one has nothing to tell.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if number not in (signal.SIGKILL, signal.SIGSTOP):
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {number})
    os.kill(os.getpid(), number)
    # The first process of a container has no default action.
    os._exit(128 + number)


class _Supervisor:
    def __init__(self, child, seconds, cleanup_seconds, name):
        self.child = child
        self.seconds = seconds
        self.cleanup_seconds = cleanup_seconds
        self.name = name
        self.interruption = None
        self.codes = {}

    def run(self):
        """The exit code; negative, the signal to end by."""
        deadline = time.monotonic() + self.seconds
        while self.child not in self.codes and time.monotonic() < deadline:
            information = signal.sigtimedwait(
                INTERRUPTIONS | {signal.SIGCHLD}, max(0, deadline - time.monotonic()))
            if information and information.si_signo in INTERRUPTIONS and not self.interruption:
                self.interruption = information.si_signo
                deadline = time.monotonic() + self.cleanup_seconds
                # A terminal has sent it to the command as well, which might take a second one for impatience.
                if information.si_code != _FROM_KERNEL:
                    os.kill(self.child, self.interruption)
            self.codes |= family.reap()
        is_late = self.child not in self.codes
        if is_late:
            # Who reads it may have gone: what hangs is ended all the same.
            with contextlib.suppress(OSError):
                self.tell_lateness()
        stuck = family.end(os.getpid())
        with contextlib.suppress(OSError):
            self.tell_stuck(stuck)
        if self.interruption:
            return -self.interruption
        if is_late or stuck:
            return LATE
        return self.codes[self.child]

    def tell_stuck(self, stuck):
        if stuck:
            print(f"deadline: {self.name}: still running, and cannot be ended: {stuck}", file=sys.stderr, flush=True)

    def tell_lateness(self):
        what = "did not end after it was interrupted" if self.interruption else f"did not end in {self.seconds:g} s"
        print(f"deadline: {self.name} {what}; this is what it waits for:", file=sys.stderr)
        waits.report(family.descendants(os.getpid()), sys.stderr)


def main(words):
    try:
        seconds, command = float(words[0]), words[1:]
    except (IndexError, ValueError):
        command = []
    if not command:
        print("deadline: needs SECONDS and a COMMAND; see Tools/deadline --help", file=sys.stderr)
        return 64
    supervise(seconds, " ".join(command)[:160])
    try:
        os.execvp(command[0], command)
    except OSError as error:
        print(f"deadline: {command[0]} cannot be run: {error.strerror}", file=sys.stderr)
        return 127


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
