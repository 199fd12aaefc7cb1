"""Tools/deadline: runs a command that may not take longer than a given time, and leaves nothing of it behind."""

import ctypes
import os
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

_libc = ctypes.CDLL(None, use_errno=True)


def supervise(seconds, name):
    """Splits the calling program in two: one part returns and goes on, the other sees to it that it ends in time.

    The second part keeps the process number, passes interruptions on and exits with the code of the first. All that
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
            os._exit(128 + signal.SIGTERM)
        return
    factor = float(os.environ.get("DEADLINE_FACTOR", "1"))
    os._exit(_Supervisor(child, seconds * factor, _OWN_CLEANUP_SECONDS * factor, name).run())


class _Supervisor:
    def __init__(self, child, seconds, cleanup_seconds, name):
        self.child = child
        self.seconds = seconds
        self.cleanup_seconds = cleanup_seconds
        self.name = name
        self.interruption = None
        self.codes = {}

    def run(self):
        """The exit code."""
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
            self.tell_lateness()
        stuck = family.end(os.getpid())
        if stuck:
            print(f"deadline: {self.name}: still running, and cannot be ended: {stuck}", file=sys.stderr)
        if self.interruption:
            return 128 + self.interruption
        if is_late or stuck:
            return LATE
        code = self.codes[self.child]
        return code if code >= 0 else 128 - code

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
