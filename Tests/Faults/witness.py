"""What the clients' own audio threads saw: each cycle of the unit and of a client that feeds it, noted by witness.c within them."""

import dataclasses
import math
import mmap
import os

import numpy

RECORD = numpy.dtype([
    ("entry", "<u8"), ("wall", "<u4"), ("cpu", "<u4"), ("frame_time", "<u4"), ("frames", "<u4"), ("client", "<u4"),
    ("is_whole", "<u2"), ("is_end", "<u2"), ("in_first", "<f4", 2), ("in_last", "<f4", 2), ("out_first", "<f4", 2),
    ("out_last", "<f4", 2)])
HEADER_BYTES = 64
NAME_BYTES = slice(32, 64)
LOWEST_RATE = 44100
LIMPING_PERIODS = 10
LIMPING_CYCLES = 3


class Witness:
    """Memory that the clients of a run write to, whatever becomes of them."""

    # At 16 frames and 96 kHz two clients fill as many in 80 s, and most of a run has longer periods.
    CAPACITY = 1_000_000

    def __init__(self, library):
        self._library = library
        self._descriptor = os.memfd_create("witness")
        size = HEADER_BYTES + self.CAPACITY * RECORD.itemsize
        os.ftruncate(self._descriptor, size)
        self._memory = mmap.mmap(self._descriptor, size)

    @property
    def words(self):
        """For a `Process` whose clients are to be seen: it inherits the descriptor."""
        return {
            "environment": {"LD_PRELOAD": self._library, "WITNESS": str(self._descriptor)},
            "descriptors": (self._descriptor,)}

    @property
    def is_full(self):
        return self._count > self.CAPACITY

    @property
    def _count(self):
        return int.from_bytes(self._memory[:8], "little")

    @property
    def _bytes(self):
        return self._memory[:HEADER_BYTES + min(self._count, self.CAPACITY) * RECORD.itemsize]

    def journal(self):
        """What was seen so far."""
        return read(self._bytes)

    def save(self, path):
        with open(path, "wb") as file:
            file.write(self._bytes)

    def close(self):
        self._memory.close()
        os.close(self._descriptor)


def read(content):
    """The journal of what was saved."""
    records = numpy.frombuffer(content, RECORD, offset=HEADER_BYTES)
    return Journal(records[records["is_whole"] != 0])


@dataclasses.dataclass
class Stay:
    """From a client's activation to its close, in nanoseconds; infinity where it was not closed."""
    name: str
    start: int
    end: float = math.inf

    @property
    def is_source(self):
        return "source" in self.name


class Journal:
    """The cycles of the unit and those of its source, each in order of their beginnings; `stays` by clients' numbers."""

    def __init__(self, records):
        self.stays = {}
        for record in records[records["frames"] == 0]:
            number, time = int(record["client"]), int(record["entry"])
            if record["is_end"]:
                self.stays[number].end = time
            else:
                name = record.tobytes()[NAME_BYTES].split(b"\0")[0].decode(errors="replace")
                self.stays[number] = Stay(name, time)
        sources = [number for number, stay in self.stays.items() if stay.is_source]
        cycles = records[records["frames"] != 0]
        is_source = numpy.isin(cycles["client"], sources)
        self.unit = numpy.sort(cycles[~is_source], order="entry")
        self.source = numpy.sort(cycles[is_source], order="entry")

    def unit_cycles_since(self, seconds):
        """How often the unit was run since that time of the monotonic clock."""
        return int((self.unit["entry"] > seconds * 1e9).sum())

    def first_run(self, start, end):
        """When the unit was run first between two times of the monotonic clock, in seconds; `start` where it was not."""
        within = (self.unit["entry"] >= start * 1e9) & (self.unit["entry"] < end * 1e9)
        return self.unit["entry"][within].min() / 1e9 if within.any() else start

    def last_run(self, end):
        """When the unit's last cycle before a time of the monotonic clock began, in seconds; that time where none did.

        A gap is known with the cycle that follows it: of a stall in which the unit is told to end nothing tells.
        """
        before = self.unit["entry"][self.unit["entry"] < end * 1e9]
        return before.max() / 1e9 if len(before) else end

    def limp(self, seconds):
        """What shows that since then each cycle took ten periods or more, also after the unit had joined again; else `None`."""
        rejoined = [stay.start for stay in self.stays.values() if not stay.is_source and stay.start > seconds * 1e9]
        if not rejoined:
            return None
        cycles = self.unit[self.unit["entry"] > rejoined[0]]
        intervals = numpy.diff(cycles["entry"].astype(numpy.int64)) / 1e9
        # By the lowest of the rates, at which a period lasts longest.
        periods = intervals / (cycles["frames"][1:] / LOWEST_RATE)
        if len(periods) < LIMPING_CYCLES or periods.min() < LIMPING_PERIODS:
            return None
        # It is the server that takes so long, and no callback of the unit's.
        if (cycles["wall"] / 1e9 > cycles["frames"] / LOWEST_RATE).any():
            return None
        return f"none of {len(periods)} cycles took less than {periods.min():.0f} periods since the unit joined again"


def ends(cycles):
    """When each callback returned."""
    return cycles["entry"] + cycles["wall"]
