"""What the threads of a process are doing, for whoever has to find out why nothing goes on."""

import glob
import os
import shutil
import subprocess

SECONDS = 60
FRAMES = 25


def of(pid):
    """The stack of each thread; where there is no gdb, what the kernel says each is waiting for."""
    if shutil.which("gdb"):
        try:
            done = subprocess.run(
                ["gdb", "-p", str(pid), "-batch", "-ex", f"thread apply all bt {FRAMES}"], stdin=subprocess.DEVNULL,
                capture_output=True, text=True, errors="replace", timeout=SECONDS, check=False)
        except subprocess.TimeoutExpired:
            return f"gdb found nothing out in {SECONDS} s\n" + _waits(pid)
        lines = [line for line in done.stdout.splitlines() if line.startswith(("Thread", "#"))]
        if lines:
            return "\n".join(lines)
    return _waits(pid)


def _waits(pid):
    return "\n".join(
        " ".join(_text(os.path.join(task, name)) for name in ("comm", "wchan", "syscall"))
        for task in sorted(glob.glob(f"/proc/{pid}/task/*")))


def _text(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read().strip()
    except OSError:
        return "?"
