"""The programs that are compared, each with how it is started, where its sound goes, and how it tells that it works."""

import glob
import os

import processes
import programs

# The clients that the sound comes from and goes to. Not one for both: JACK does not run loops well.
SOURCE = ["source:out_1", "source:out_2"]
TARGET = ["ear:in_1", "ear:in_2"]


class Contestant:
    """A program on a server; `name` is its own, `file` where it records, if it does."""

    name = ""
    inputs = []
    outputs = []
    records = False

    def __init__(self, folder, disk):
        self.folder = folder
        self.file = os.path.join(disk, "take.wav") if self.records else None
        self.process = None
        self._wires = list(zip(SOURCE, self.inputs)) + list(zip(self.outputs, TARGET))

    def words(self, server):
        """The command line."""
        raise NotImplementedError

    def start(self, server, before=None, out=None):
        self.process = processes.Process(
            self.words(server), self.folder, self.name, server.environment, before=before, out=out)

    def join(self, server):
        """Makes the connections that it does not make itself, as far as the ports are there yet.

        Returns whether nothing is left to do.
        """
        self._wires = [wire for wire in self._wires if not server.connect(*wire)]
        return not self._wires

    def work(self, ear):
        """A number that changes for as long as it does its work."""
        raise NotImplementedError

    def files(self):
        """What it has recorded."""
        return sorted(glob.glob(os.path.join(os.path.dirname(self.file), "take*.wav"))) if self.file else []

    def _recorded_bytes(self):
        return sum(os.path.getsize(path) for path in self.files())


class JackCapture(Contestant):
    name = "jack_capture"
    records = True

    def words(self, server):
        ports = [word for port in SOURCE for word in ("--port", port)]
        return ["jack_capture", "--no-stdin", "--disable-console", "--channels", 2, *ports, self.file]

    def work(self, ear):
        return self._recorded_bytes()


class JackRec(Contestant):
    name = "jack_rec"
    records = True

    def words(self, server):
        return ["jack_rec", "-f", self.file, "-d", 3600, "-b", 32, *SOURCE]

    def work(self, ear):
        return self._recorded_bytes()


class JackThru(Contestant):
    name = "jack_thru"
    inputs = ["thru:input_1", "thru:input_2"]
    outputs = ["thru:output_1", "thru:output_2"]

    def words(self, server):
        return ["jack_thru", "thru", server.name]

    def work(self, ear):
        return ear.heard


class JackDelay(Contestant):
    name = "jack_iodelay"

    def __init__(self, folder, disk):
        super().__init__(folder, disk)
        self._wires = [("jack_delay:out", "jack_delay:in"), *(("jack_delay:out", ear) for ear in TARGET)]

    def words(self, server):
        return ["jack_iodelay"]

    def work(self, ear):
        # Its tones are no frames of ours, but no two of them are heard as the same number. What it prints tells
        # nothing: it repeats its last figure when there is no more server.
        return ear.heard


class Monitor(Contestant):
    name = "iounit"
    records = True
    inputs = ["iounit:in_1", "iounit:in_2"]
    outputs = ["iounit:out_1", "iounit:out_2"]
    reconnect = "auto"

    def words(self, server):
        words = [programs.iounit(), "monitor", "--server", server.name, "--no-connect", "--bypass", "--json"]
        if self.reconnect != "never":
            words += ["--reconnect", self.reconnect]
        return [*words, "--record", self.file]

    def work(self, ear):
        return ear.heard


ALL = [Monitor, JackCapture, JackRec, JackThru, JackDelay]
