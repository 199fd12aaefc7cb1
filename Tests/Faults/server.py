"""A private JACK server on the dummy backend, with everything that can be done to one."""

import contextlib
import fcntl
import os
import signal
import subprocess

import processes

_started = 0


class ServerFailed(Exception):
    """The server did not start, or did not answer in time."""


class Server:
    """A jackd with a name of its own, which keeps that name through its restarts."""

    def __init__(self, folder, rate=48000, period=256, is_sync=False):
        global _started
        _started += 1
        self.name = f"faults-{os.getpid()}-{_started}"
        self.folder = folder
        self.rate = rate
        self.period = period
        self.is_sync = is_sync
        self.process = None
        self._is_unswept = False

    @property
    def environment(self):
        """For clients that cannot be told a server's name."""
        return {"JACK_DEFAULT_SERVER": self.name, "JACK_NO_START_SERVER": "1"}

    def start(self, deadline=15):
        words = ["jackd", "-n", self.name, "-R"] + (["-S"] if self.is_sync else [])
        words += ["-d", "dummy", "-r", self.rate, "-p", self.period]
        self.process = processes.Process(words, self.folder, "jackd", {"JACK_NO_AUDIO_RESERVATION": "1"})
        if not processes.wait_until(lambda: not self.process.is_running or self.answers(), deadline):
            raise ServerFailed(f"jackd does not answer after {deadline} s")
        if not self.process.is_running:
            raise ServerFailed(f"jackd ended at its start: {self.process.err.strip() or self.process.out.strip()}")

    def leftovers(self):
        """Its own entries in shared memory, where each of its clients has one."""
        return [name for name in os.listdir("/dev/shm") if self.name in name]

    def answers(self):
        return self.ask("jack_lsp", deadline=5) is not None

    def send(self, number):
        self.process.send(number)
        self._is_unswept = self._is_unswept or number == signal.SIGKILL

    def stop(self, number=signal.SIGTERM, deadline=10):
        """Ends it by a signal, and waits until it is gone."""
        self.send(number)
        if self.process.wait(deadline) is None:
            self.send(signal.SIGKILL)
            self.process.wait(deadline)

    def close(self):
        """Ends it and leaves nothing in shared memory: what a killed one has left, its next start removes."""
        if self.process is None:
            return
        if self._is_unswept and not self.process.is_running:
            self.start()
        self.process.send(signal.SIGCONT)
        self.stop()

    @property
    def is_running(self):
        return self.process is not None and self.process.is_running

    @property
    def log(self):
        return self.process.out + self.process.err

    def set_period(self, frames):
        """Changes the period while the server runs."""
        if self.ask("jack_bufsize", frames) is None:
            return False
        self.period = frames
        return True

    def set_freewheel(self, is_on):
        return self.ask("jack_freewheel", "y" if is_on else "n") is not None

    def ports(self):
        """The full names of all ports; none where the server does not answer."""
        return (self.ask("jack_lsp") or "").split()

    def connections(self, port):
        """What is connected to an input port, as pairs for `connect`."""
        lines = (self.ask("jack_lsp", "-c", port) or "").splitlines()
        return [(line.strip(), port) for line in lines if line.startswith(" ")]

    def connect(self, source, target):
        return self.ask("jack_connect", source, target) is not None

    def disconnect(self, source, target):
        return self.ask("jack_disconnect", source, target) is not None

    def ask(self, *words, deadline=20):
        """What one of JACK's own tools answers; `None` where it fails or takes too long.

        After a client stood still the server first tells it of each xrun, and opens no other client for so long.
        """
        try:
            with _turn():
                done = subprocess.run(
                    [str(word) for word in words], env={**os.environ, **self.environment}, timeout=deadline,
                    stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False)
        except subprocess.TimeoutExpired:
            return None
        return done.stdout if done.returncode == 0 else None


@contextlib.contextmanager
def _turn():
    """Nobody who takes turns opens a client meanwhile.

    A process whose client is being opened while another client leaves is not told of that by libjack 1.9.21: it keeps
    the one's semaphore for the next client of that number, which it then never wakes.
    """
    folder = os.open("/dev/shm", os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)
