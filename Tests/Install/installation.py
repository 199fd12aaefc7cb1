"""What tests of an installation have in common."""

import os
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# As on a machine without Swift.
# Nothing is kept of what plug-ins do.
BARE = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "LC_ALL": "C.UTF-8", "XDG_STATE_HOME": "/dev/null"}


def tool(name, *words, **environment):
    """Runs one of Tools to its end."""
    return subprocess.run(
        [os.path.join(ROOT, "Tools", name), *words], capture_output=True, text=True, timeout=1000,
        env={**os.environ, **environment})


def bare(program, *words):
    """Runs an installed program, where there is no Swift."""
    return subprocess.run([program, *words], capture_output=True, text=True, timeout=60, env=BARE, cwd="/")


def files(folder):
    """Of a folder and all below, with paths from there; folders end in a slash."""
    found = set()
    for place, folders, names in os.walk(folder):
        found |= {os.path.relpath(os.path.join(place, name), folder) for name in names}
        found |= {os.path.relpath(os.path.join(place, name), folder) + "/" for name in folders}
    return found


def libraries(program):
    """Name and path of the shared libraries that a program loads."""
    lines = bare("/usr/bin/ldd", program).stdout.splitlines()
    pairs = [line.split(" => ") for line in lines if " => " in line]
    return {name.strip(): path.split(" (")[0].strip() for name, path in pairs}
