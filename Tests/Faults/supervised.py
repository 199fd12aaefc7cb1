"""The deadline of a tool: past it, what each of its threads waits for is printed, and all that it started is ended."""

import faulthandler
import io
import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "Harness"))

import waits  # noqa: E402
from deadline import FACTOR, supervise  # noqa: E402

EARLIER_SECONDS = 0.5


def within(seconds, name):
    """From here on the calling program has so many seconds left, times `FACTOR`."""
    supervise(seconds, name)
    # The supervisor shows where Python's interpreter is, and not where the program is. Before it does, since two that write to
    # one place at one time mix their lines.
    faulthandler.dump_traceback_later(seconds * FACTOR - EARLIER_SECONDS)


def stacks(process):
    """What each thread of a process waits for, and its stack."""
    out = io.StringIO()
    waits.report([process], out)
    return out.getvalue()
