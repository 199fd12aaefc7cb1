"""How a command of a test run is started: with a deadline, at the top of the project, and ended with us."""

import ctypes
import os
import signal
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
_DEADLINE = [sys.executable, os.path.join(HERE, "deadline.py")]
_ISOLATED = [sys.executable, os.path.join(HERE, "isolation.py")]
_libc = ctypes.CDLL(None)


def start(seconds, command, environment, log, isolated):
    """`isolated`: with a shared memory of its own."""
    words = [*_DEADLINE, str(seconds), *(_ISOLATED if isolated else []), *command]
    return subprocess.Popen(
        words, cwd=ROOT, env={**os.environ, **(environment or {})}, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
        preexec_fn=_end_with_parent)


def _end_with_parent():
    # PR_SET_PDEATHSIG, also where the thread ends that has started it, which waits for it: should we be killed, the deadline
    # ends what runs under it.
    _libc.prctl(1, signal.SIGTERM)
