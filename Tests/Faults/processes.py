"""Child processes that end with us, however that happens, and what the system knows of them."""

import ctypes
import os
import signal
import subprocess
import time

_libc = ctypes.CDLL(None)


def seconds():
    """The clock that neither jumps nor is set; the same one that the recordings' logs use."""
    return time.clock_gettime(time.CLOCK_MONOTONIC)


def wait_until(condition, deadline, pause=0.02):
    """Returns whether the condition came true within so many seconds."""
    end = seconds() + deadline
    while not condition():
        if seconds() > end:
            return False
        time.sleep(pause)
    return True


class Process:
    """A program of ours, which writes what it says to files: a full pipe would hold it up."""

    def __init__(self, words, folder, name, environment=None, before=None, out=None, descriptors=()):
        self.name = name
        self.words = [str(word) for word in words]
        self.out_path = os.path.join(folder, f"{name}.out")
        self.err_path = os.path.join(folder, f"{name}.err")

        def prepare():
            _libc.prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: it does not outlive us
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # which a shell's background job ignores
            if before:
                before()

        with open(self.out_path, "wb") as own_out, open(self.err_path, "wb") as err:
            self._child = subprocess.Popen(
                self.words, stdin=subprocess.DEVNULL, stdout=own_out if out is None else out, stderr=err,
                env={**os.environ, **(environment or {})}, pass_fds=descriptors, preexec_fn=prepare)
        self.pid = self._child.pid
        self.started = seconds()

    @property
    def out(self):
        return _text(self.out_path)

    @property
    def err(self):
        return _text(self.err_path)

    @property
    def code(self):
        """The exit code; the number of the signal, negative, where one ended it; `None` while it runs."""
        return self._child.poll()

    @property
    def is_running(self):
        return self.code is None

    def send(self, number):
        if self.is_running:
            self._child.send_signal(number)

    def wait(self, deadline):
        """The exit code, or `None` where it still runs after so many seconds."""
        try:
            return self._child.wait(deadline)
        except subprocess.TimeoutExpired:
            return None

    def end(self):
        """Ends it whatever it does."""
        if self.is_running:
            self.send(signal.SIGTERM)
            self.send(signal.SIGCONT)
            if self.wait(2) is None:
                self.send(signal.SIGKILL)
                self._child.wait()

    @property
    def memory(self):
        """Resident memory now and at most, in bytes, without what is shared with others; 0 for one that has ended."""
        fields = {}
        for line in _text(f"/proc/{self.pid}/status").splitlines():
            name, _, value = line.partition(":")
            fields[name] = int(value.split()[0]) * 1024 if value.strip().endswith("kB") else 0
        shared = fields.get("RssShmem", 0)
        return tuple(max(0, fields.get(name, 0) - shared) for name in ("VmRSS", "VmHWM"))

    @property
    def descriptors(self):
        """What each of its descriptors leads to."""
        folder = f"/proc/{self.pid}/fd"
        return [target for name in _names(folder) if (target := _target(os.path.join(folder, name)))]

    @property
    def threads(self):
        """How many there are."""
        return len(_names(f"/proc/{self.pid}/task"))


def _names(folder):
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _target(link):
    try:
        return os.readlink(link)
    except OSError:
        return None


def _text(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""
