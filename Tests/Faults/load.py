"""Work for the machine beside the unit: all its cores, its disk, and a crowd in the graph."""

import os
import sys

import processes
from counter import Counter


class Load:
    """A busy machine, from `start` to `stop`."""

    CLIENTS = 32

    def __init__(self, server, folder):
        self._folder = folder
        self._processes = []
        self._crowd = [Counter(server, folder, f"crowd{number}") for number in range(1, self.CLIENTS + 1)]

    def start(self):
        """Returns whether all of it is there."""
        for number in range(os.cpu_count() or 1):
            self._spawn(f"burner{number}", "burn")
        self._spawn("writer", "write", os.path.join(self._folder, "ballast"))
        return all([client.start() for client in self._crowd])

    def stop(self):
        for process in self._processes:
            process.end()
        for client in self._crowd:
            client.stop()

    def _spawn(self, name, *words):
        self._processes.append(
            processes.Process(
                [sys.executable, os.path.abspath(__file__), *words], self._folder, name, before=lambda: os.nice(10)))


def burn():
    """Takes a core."""
    while True:
        pass


def write(path):
    """Keeps the disk busy, with 64 MB at most."""
    while True:
        with open(path, "wb") as file:
            for _ in range(64):
                file.write(bytes(1 << 20))
                file.flush()
                os.fsync(file.fileno())


if __name__ == "__main__":
    {"burn": burn, "write": write}[sys.argv[1]](*sys.argv[2:])
