"""The countable JACK client, as a process: what it has played, and what of that has come back."""

import os
import struct

import processes
import programs


class Counter:
    """Plays frame after frame, and goes on with the next number after a restart of its server."""

    def __init__(self, server, folder, name, witness=None):
        """`witness`: who is to see its cycles."""
        self.name = name
        self.inputs = [f"{name}:in_1", f"{name}:in_2"]
        self.outputs = [f"{name}:out_1", f"{name}:out_2"]
        self._program = programs.counter()
        self._server = server
        self._folder = folder
        self._path = os.path.join(folder, f"{name}.progress")
        self._witness = witness
        self.process = None

    def start(self, name=None, deadline=10):
        """Joins the graph, if need be under another name. Returns whether it got that far in time."""
        self.stop()
        self.process = processes.Process(
            [self._program, self._server.name, name or self.name, self.played, self._path], self._folder, self.name,
            **(self._witness.words if self._witness else {}))
        processes.wait_until(lambda: "ready" in self.process.out or not self.is_running, deadline)
        return "ready" in self.process.out

    def send(self, number):
        self.process.send(number)

    def stop(self):
        if self.process:
            self.process.end()

    @property
    def played(self):
        """How many frames it has played, the last of which has this number less one."""
        return self._numbers[0]

    @property
    def is_running(self):
        return self.process is not None and self.process.is_running

    @property
    def heard(self):
        """The number of the last frame that has come back, 0 before."""
        return self._numbers[1]

    @property
    def _numbers(self):
        try:
            with open(self._path, "rb") as file:
                return struct.unpack("<QQ", file.read(16))
        except (OSError, struct.error):
            return 0, 0
