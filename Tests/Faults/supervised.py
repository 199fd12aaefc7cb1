"""The deadline of a tool: past it, what each of its threads waits for is printed, and all that it started is ended."""

import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "Harness"))

from deadline import supervise  # noqa: E402


def within(seconds, name):
    """From here on the calling program has so many seconds left."""
    supervise(seconds, name)
