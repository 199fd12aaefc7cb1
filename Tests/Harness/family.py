"""The processes that descend from one: which they are, and how they are ended."""

import os
import signal
import time

_GRACE_SECONDS = 5.0
"""How long a server has to remove its shared memory after SIGTERM."""
_END_SECONDS = 10.0
"""How long the kernel has to end a process after SIGKILL."""


def descendants(root):
    """The numbers of the living processes that descend from `root`, parents before children."""
    children = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            state, parent = _state_and_parent(name)
            if state not in ("Z", "X", None):
                children.setdefault(parent, []).append(int(name))
    found, waiting = [], [root]
    while waiting:
        young = sorted(children.get(waiting.pop(0), []))
        found += young
        waiting += young
    return found


def end(root, spared=(), grace=_GRACE_SECONDS):
    """Ends everything that descends from `root`, but for the processes in `spared`.

    SIGTERM first, so that a server cleans up, then SIGKILL. Returns the processes that still run, stuck in the kernel.
    """
    def left():
        return [process for process in descendants(root) if process not in spared]

    for process in left():
        _send(process, signal.SIGTERM)
        _send(process, signal.SIGCONT)
    deadline = time.monotonic() + grace
    while left() and time.monotonic() < deadline:
        reap()
        time.sleep(0.02)
    deadline = time.monotonic() + _END_SECONDS
    while left() and time.monotonic() < deadline:
        # Again and again: one that is being ended may have started another.
        for process in left():
            _send(process, signal.SIGKILL)
        reap()
        time.sleep(0.02)
    return left()


def reap():
    """Collects the exit codes of children that have ended; returns them by process."""
    codes = {}
    while True:
        try:
            process, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return codes
        if process == 0:
            return codes
        codes[process] = os.waitstatus_to_exitcode(status)


def text(path):
    """What a file under /proc says, or an empty text where the process is gone or may not be looked at."""
    try:
        with open(path, "rb") as file:
            return file.read().decode("utf-8", "replace")
    except OSError:
        return ""


def command(process):
    """Its command line, shortened, or its name where it has none."""
    words = " ".join(text(f"/proc/{process}/cmdline").split("\0")).strip()
    return (words or text(f"/proc/{process}/comm").strip())[:160]


def _state_and_parent(process):
    # The name before them is in parentheses and may hold any character.
    fields = text(f"/proc/{process}/stat").rpartition(")")[2].split()
    return (fields[0], int(fields[1])) if len(fields) > 1 else (None, None)


def _send(process, number):
    try:
        os.kill(process, number)
    except (ProcessLookupError, PermissionError):
        pass  # It has ended by itself, or is another user's: then it is seen that it still runs.
