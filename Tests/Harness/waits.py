"""What processes wait for: the system call of each thread, and its stack where gdb is installed.

    waits.py [--end] PROCESS

prints that for PROCESS and all that descends from it; with --end it ends the descendants afterwards.
"""

import functools
import glob
import os
import re
import shutil
import subprocess
import sys
import time

import family

_GDB_SECONDS = 60
_BUDGET_SECONDS = 120
"""For all processes together: after that only what /proc says is printed."""
_FRAMES = 40
# System calls whose first argument is a file descriptor.
_ON_DESCRIPTOR = {
    "read", "write", "recvfrom", "recvmsg", "sendto", "sendmsg", "accept", "accept4", "connect", "flock", "ioctl",
    "fsync", "epoll_wait",
}


def report(processes, out):
    """Prints what each thread of the processes waits for."""
    end = time.monotonic() + _BUDGET_SECONDS
    for process in processes:
        print(f"-- process {process}: {family.command(process)}", file=out)
        for thread in _threads(process):
            print(f"   {thread}", file=out)
        left = end - time.monotonic()
        if left > 0:
            print(_gdb(process, round(min(_GDB_SECONDS, max(1, left)))), file=out)
        out.flush()


def _threads(process):
    try:
        numbers = sorted(os.listdir(f"/proc/{process}/task"), key=int)
    except OSError:
        return  # It has ended meanwhile.
    for number in numbers:
        folder = f"/proc/{process}/task/{number}"
        state = family.text(f"{folder}/stat").rpartition(")")[2].split()[:1]
        yield " ".join([number, family.text(f"{folder}/comm").strip(), *state, _waits_for(process, folder)])


def _waits_for(process, folder):
    """As in "read of 5, pipe:[812]"."""
    words = family.text(f"{folder}/syscall").split()
    if not words or not words[0].lstrip("-").isdigit():
        return "runs" if words == ["running"] else ""
    name = _system_calls().get(int(words[0]), f"system call {words[0]}")
    if name in _ON_DESCRIPTOR and len(words) > 1:
        descriptor = int(words[1], 16)
        return f"{name} of {descriptor}, {_target(process, descriptor)}"
    if name in ("wait4", "waitid") and len(words) > 2:
        which = int(words[2 if name == "waitid" else 1], 16) & 0xFFFFFFFF
        return f"{name} of " + (f"process {which}" if which < 1 << 31 else "any child")
    if name == "futex" and len(words) > 1:
        return f"futex at {words[1]}"
    return name


def _target(process, descriptor):
    try:
        return os.readlink(f"/proc/{process}/fd/{descriptor}")
    except OSError:
        return "not open"


@functools.cache
def _system_calls():
    """Names by number, from the C library's headers, which every compiler needs."""
    names = {}
    for path in [*glob.glob("/usr/include/*/asm/unistd_64.h"), "/usr/include/asm-generic/unistd.h"]:
        for name, number in re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", family.text(path)):
            names.setdefault(int(number), name)
        if names:
            break
    return names


def _gdb(process, seconds):
    """The stack of each thread as gdb sees it."""
    if not shutil.which("gdb"):
        return "   (no stacks: gdb is not installed; Tools/setup --tests does it)"
    words = ["timeout", "--kill-after=2", str(seconds), "gdb", "-nx", "-batch", "-p", str(process)]
    for setting in ("debuginfod enabled off", "pagination off", "print frame-arguments none"):
        words += ["-iex", f"set {setting}"]
    words += ["-ex", f"thread apply all -s backtrace {_FRAMES}"]
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    stacks = done.stdout.decode("utf-8", "replace")
    start = stacks.find("\nThread ")
    if start < 0:
        reason = "it took too long" if done.returncode == 124 else done.stderr.decode("utf-8", "replace").strip()[-200:]
        return f"   (no stacks: {reason})"
    lines = [line for line in stacks[start + 1:].splitlines() if not line.startswith("[Inferior ")]
    return _demangled("\n".join(lines).rstrip())


def _demangled(stacks):
    if not shutil.which("swift"):
        return stacks
    done = subprocess.run(
        ["timeout", "20", "swift", "demangle", "--simplified"], input=stacks, capture_output=True, text=True,
        check=False)
    return done.stdout.rstrip() if done.returncode == 0 else stacks


def main(words):
    ends = words[:1] == ["--end"]
    words = words[1:] if ends else words
    if len(words) != 1 or not words[0].isdigit():
        print(__doc__, file=sys.stderr)
        return 64
    root, own = int(words[0]), os.getpid()
    report([root] + [process for process in family.descendants(root) if process != own], sys.stderr)
    if ends and (stuck := family.end(root, spared=[own])):
        print(f"still running: {stuck}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
