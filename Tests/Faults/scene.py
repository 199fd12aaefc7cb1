"""A server, a source and a unit that records, as they could have been: for the tests of those who judge them."""

import numpy

import index
import sidecar
from witness import RECORD, Journal

RATE = 48000
SOURCE, UNIT = 1, 2


class Scene:
    """Cycle after cycle: what either client's audio thread saw, and what a unit records that keeps its promises."""

    def __init__(self, period=64):
        self.period = period
        self.nanoseconds = 10**12
        self.frame_time = 0
        self.next = 0
        """The number of the frame that the source plays next."""
        self.buffer = numpy.zeros((period, index.CHANNELS), dtype=numpy.float32)
        self.records = []
        self.sound = []
        self.gaps = []

    def join(self, client, is_end=False):
        """A client is activated, or closed."""
        record = numpy.zeros(1, RECORD)
        record["entry"], record["client"], record["is_whole"] = self.nanoseconds, client, 1
        record["is_end"] = is_end
        name = b"source" if client == SOURCE else b"iounit"
        record["in_first"] = numpy.frombuffer(name.ljust(8, b"\0"), "<f4")
        self.records.append(record)

    def cycle(self, plays=True, reads=True, plays_late=False, is_connected=True, cpu=5000, held=0):
        """One of the server's: the source plays, and the unit reads what was played last, if the server runs them.

        `plays_late`: only while the unit reads, which therefore gets half of either. `held`: what the unit's thread was charged
        for before its callback began.
        """
        read = self.buffer
        if plays:
            self.buffer = index.encode(self.next, self.period)
            self.next += self.period
            self._note(SOURCE, 60_000 if plays_late else 20_000, self.buffer, "out", 5000)
            read = numpy.concatenate([read[:self.period // 2], self.buffer[self.period // 2:]]) if plays_late else self.buffer
        if not is_connected:
            read = numpy.zeros_like(read)
        if reads:
            self._note(UNIT, 50_000, read, "in", cpu, wall=30_000, held=held)
            self.sound.append(read)
        self.pass_period()

    def own_cycle(self):
        """One of a unit that plays itself."""
        sound = index.encode(self.next, self.period)
        self.next += self.period
        self._note(UNIT, 50_000, sound, "out", 5000, wall=30_000)
        self.sound.append(sound)
        self.pass_period()

    def cycles(self, count, **words):
        for _ in range(count):
            self.cycle(**words)

    def pass_period(self):
        """The server runs nobody; its frame clock goes on."""
        self.nanoseconds += round(self.period * 1e9 / RATE)
        self.frame_time += self.period

    def slip(self):
        """The server runs the source once more, and its frame clock does not tell."""
        self.cycle(reads=False)
        self.frame_time -= self.period

    def mute(self):
        """Nothing is connected any more: the unit reads silence until the source plays again."""
        self.buffer = numpy.zeros_like(self.buffer)

    def gap(self, frames, cause="skipped"):
        """The unit reports a gap, and fills it."""
        length = frames / RATE
        self.gaps.append(
            sidecar.Gap(0, self.frames, self.nanoseconds / 1e9 - length, length, frames, frames, cause))
        self.sound.append(numpy.zeros((frames, index.CHANNELS), dtype=numpy.float32))

    def drop(self, periods, is_filled=True):
        """The unit is given periods for which its recorder has no room, and reports the gap."""
        for _ in range(periods):
            self.cycle()
            self.sound.pop()
        frames = periods * self.period
        length = frames / RATE
        self.gaps.append(
            sidecar.Gap(
                0, self.frames, self.nanoseconds / 1e9 - length, length, frames, frames if is_filled else 0, "dropped"))
        if is_filled:
            self.sound.append(numpy.zeros((frames, index.CHANNELS), dtype=numpy.float32))

    @property
    def frames(self):
        return sum(map(len, self.sound))

    @property
    def samples(self):
        return numpy.concatenate(self.sound)

    @property
    def journal(self):
        return Journal(numpy.concatenate(self.records))

    def log(self, frames=None):
        segment = sidecar.Segment("take.wav", RATE, index.CHANNELS, self.frames if frames is None else frames)
        return sidecar.Sidecar(1000.0, [segment], self.gaps)

    def _note(self, client, delay, sound, direction, cpu, wall=5000, held=0):
        record = numpy.zeros(1, RECORD)
        record["entry"], record["wall"], record["cpu"] = self.nanoseconds + delay, max(cpu, wall), cpu + held
        record["frame_time"], record["frames"] = self.frame_time & 0xFFFFFFFF, self.period
        record["client"], record["is_whole"] = client, 1
        record[f"{direction}_first"], record[f"{direction}_last"] = sound[0], sound[-1]
        self.records.append(record)
