"""What the audio threads themselves saw, held against a recording: is it what the unit was given, and who lost the rest?

The recording must be what the unit's callback was given, period by period: that is the unit's own promise. Where what it
was given does not follow from what the source played, the two clients' cycles tell why. They are two clients, which a
server may run a different number of times: after a stall, in async mode, at a change of the graph. Such a slip is the
server's, and neither client can see it.

A unit that plays a file itself is given nothing: its recording must be what its callback gave, and nothing excuses it.
"""

import dataclasses

import numpy

import witness
from problem import Problem


@dataclasses.dataclass(frozen=True)
class Event:
    """Something that the server did to the sound: what, and what shows it."""
    kind: str
    evidence: str


class Testimony:
    """A journal, held against the segments of a recording and the gaps in its log."""

    # How much the unit may have been given after the recording's end, in seconds.
    END_SECONDS = 0.05
    # Within so many periods of the server the source has its way into the graph: a client is opened, activated and
    # connected, each of which waits for some cycles.
    JOINING_PERIODS = 48

    def __init__(self, journal, log, plays_itself=False):
        """`log`: a `Sidecar`; without gaps where there is none. `plays_itself`: the unit has no client that feeds it."""
        self._side = "out" if plays_itself else "in"
        self.unit = journal.unit
        self.source = journal.source
        self._stays = [stay for stay in journal.stays.values() if stay.is_source]
        self._log = log
        self._starts = numpy.concatenate([[0], numpy.cumsum(self.unit["frames"].astype(numpy.int64))])
        self._unit_ends = witness.ends(self.unit)
        self._source_ends = witness.ends(self.source)
        # At the beginning of each segment, how many frames the unit had been given.
        self._given_before = [0]
        for number, segment in enumerate(log.segments):
            self._given_before.append(self._position(number, segment.frames))
        self._played = {}
        for place, sound in enumerate(_sounds(self.source, "out", 0)):
            self._played.setdefault(sound, []).append(place)
        self._played_beside = {}
        for place, sound in enumerate(_sounds(self.source, "out", 1)):
            self._played_beside.setdefault(sound, []).append(place)

    def _gaps(self, number):
        return [gap for gap in self._log.gaps if gap.segment == number]

    # Whether the recording is what the unit was given.

    def check(self, number, samples):
        """Compares a segment with what the unit was given, cycle by cycle; returns what is wrong."""
        sound, unknown = self._given(number, samples)
        first = self._given_before[number]
        low = int(numpy.searchsorted(self._starts, first))
        high = int(numpy.searchsorted(self._starts, first + len(sound), side="right")) - 1
        if low >= high:
            return [] if len(sound) == 0 else [
                Problem("not as given", f"segment {number + 1}: {len(sound)} frames, in no cycle of the unit")]
        begins, ends = self._starts[low:high] - first, self._starts[low + 1:high + 1] - first - 1
        same = (sound[begins] == self.unit[f"{self._side}_first"][low:high]).all(axis=1)
        same &= (sound[ends] == self.unit[f"{self._side}_last"][low:high]).all(axis=1)
        unknown_before = numpy.concatenate([[0], numpy.cumsum(unknown)])
        same |= unknown_before[ends + 1] > unknown_before[begins]
        wrong = [low + int(place) for place in numpy.flatnonzero(~same) if not self._is_torn(low + int(place))]
        if not wrong:
            return []
        return [
            Problem(
                "not as given", f"segment {number + 1}: {len(wrong)} of {high - low} cycles are not in it as the unit "
                f"was given them, the first at {self._when(wrong[0]):.3f} s")]

    def _given(self, number, samples):
        """What of a segment the unit was given, frame by frame, and which frames of that are not recorded.

        Those that found no room in the recorder's tap were given too.
        """
        sounds, unknown, place = [], [], 0
        for gap in self._gaps(number):
            dropped = gap.length_frames if gap.cause == "dropped" else 0
            sounds += [samples[place:gap.frame], numpy.zeros((dropped, samples.shape[1]), samples.dtype)]
            unknown += [numpy.zeros(max(0, gap.frame - place), dtype=bool), numpy.ones(dropped, dtype=bool)]
            place = gap.frame + gap.filled
        sounds.append(samples[place:])
        unknown.append(numpy.zeros(len(sounds[-1]), dtype=bool))
        return numpy.concatenate(sounds), numpy.concatenate(unknown)

    def check_end(self):
        """Whether all that the unit was given is in the recording, and nothing else."""
        missing = int(self._starts[-1]) - self._given_before[-1]
        if 0 <= missing <= self.END_SECONDS * self._log.segments[-1].rate:
            return []
        return [
            Problem(
                "not as given", f"the unit was given {self._starts[-1]} frames, {self._given_before[-1]} are recorded")]

    # Who lost what the unit was not given.

    def time_of(self, number, frame):
        """When the cycle began that a frame of a segment was given in, in seconds."""
        return int(self.unit["entry"][self._cycle(number, frame)]) / 1e9

    def explain(self, problem):
        """What the server did that a problem with the content comes of; `None` where it did not, or nothing shows it."""
        if problem.place is None or len(self.unit) == 0 or len(self.source) == 0:
            return None
        number, frame, silent = problem.place
        after = self._cycle(number, frame)
        before = self._cycle(number, frame - silent - 1)
        if problem.kind == "silence":
            return self._explain_silence(number, frame, silent)
        if problem.kind == "missing" and self._was_told_early(number, before, after):
            return Event(
                "clock ahead", "JACK's frame clock went on before the unit had read it: the gap is a cycle early, "
                + self._cycle_text(before))
        if self._overruns(self.unit[max(0, before - 1):after + 1], self._log.segments[number].rate):
            return None
        torn = [cycle for cycle in (before, after) if self._is_torn(cycle)]
        if torn:
            return Event("torn", f"the source played while the unit read, {self._cycle_text(torn[0])}")
        if problem.kind == "foreign" or problem.kind == "missing" and self._is_known(number, before, after):
            return None
        return self._slip(before, after)

    def explain_silence(self, silence):
        """As `explain`, of silence that no gap is near to."""
        return self._explain_silence(silence.segment, silence.frame + silence.length, silence.length)

    def _slip(self, before, after):
        """The two clients were run a different number of times between two cycles of the unit."""
        first, last = self._source_of(before), self._source_of(after)
        if first is None or last is None or last - first == after - before:
            return None
        if not self._plays_on(min(first, last), max(first, last)):
            return None
        evidence = f"the source ran {last - first} times and the unit {after - before}, {self._cycle_text(after)}"
        return Event("left out" if last - first > after - before else "read twice", evidence)

    def _was_told_early(self, number, before, after):
        """Whether the gap before a cycle is the one that belongs behind it.

        JACK's frame clock is the server's and not the cycle's: where a client is held up between its wake and its first
        look at the clock, an async server has begun its next cycle, and the clock tells of that. The witness looked earlier.
        """
        if before < 1 or int(self.unit["frames"][before]) != int(self.unit["frames"][after]):
            return False
        told = sum(
            gap.filled for gap in self._gaps(number)
            if gap.cause == "skipped" and self._position(number, gap.frame) == self._starts[before])
        return told > 0 and self._skipped(before, after) > 0 and (
            told == self._skipped(before - 1, before) + self._skipped(before, after))

    def _skipped(self, one, other):
        """By how many frames the frame clock went on between two cycles in which the unit was given none."""
        passed = (int(self.unit["frame_time"][other]) - int(self.unit["frame_time"][one])) & 0xFFFFFFFF
        return passed - int(self._starts[other] - self._starts[one])

    def _is_known(self, number, before, after):
        """Whether the unit's own frame clock tells that the server ran cycles without it.

        It tells nothing where it is set again, as in freewheel: then it has gone on by more than there was time for.
        """
        one, other = self.unit[before], self.unit[after]
        if one["client"] != other["client"] or one["frames"] != other["frames"]:
            return False
        skipped = self._skipped(before, after)
        seconds = (int(other["entry"]) - int(one["entry"])) / 1e9
        period = int(one["frames"])
        return skipped > 0 and skipped % period == 0 and (
            (skipped - period) / self._log.segments[number].rate <= seconds)

    def _explain_silence(self, number, frame, silent):
        """Who was silent. Frames that fill gaps are none of the unit's cycles."""
        if silent == 0:
            return None
        low, high = self._cycle(number, frame - silent), self._cycle(number, frame)
        low += 1 if self._starts[low] < self._position(number, frame - silent) else 0
        given = self.unit[low:high]
        if not ((given["in_first"] == 0) | (given["in_last"] == 0)).any(axis=1).all() or low >= high:
            return None
        start, end = int(self.unit["entry"][low]), int(self.unit["entry"][high])
        ran = self.source[(self._source_ends > start) & (self.source["entry"] < end)]
        joined = [stay for stay in self._stays if start - 10**9 < stay.start < end]
        cycles = high - low
        if joined and cycles <= self.JOINING_PERIODS * len(joined):
            return Event(
                "joining", f"the source came into the graph {cycles} periods after the unit, {self._cycle_text(high)}")
        is_active = any(stay.start < start and end < stay.end for stay in self._stays)
        if is_active and len(ran) < cycles // 2 and len(ran) < cycles - 1:
            return Event(
                "not run", f"the server ran the source {len(ran)} times in {cycles} cycles of the unit, though it was "
                f"active, {self._cycle_text(high)}")
        return None

    def _position(self, number, frame):
        """How many frames the unit had been given before a frame of a segment."""
        given = self._given_before[number] + frame
        for gap in self._gaps(number):
            # What found no room was given, and its silence stands in its place.
            if gap.cause != "dropped":
                given -= min(gap.filled, max(0, frame - gap.frame))
            elif gap.filled == 0 and frame >= gap.frame:
                given += gap.length_frames
        return given

    def _cycle(self, number, frame):
        place = int(numpy.searchsorted(self._starts, self._position(number, frame), side="right")) - 1
        return min(max(place, 0), len(self.unit) - 1)

    def _source_of(self, cycle):
        """Which cycle of the source a cycle of the unit was given, the latest where there are several."""
        for channel, played in ((0, self._played), (1, self._played_beside)):
            sound = _sounds(self.unit[cycle:cycle + 1], "in", channel)[0]
            places = [
                place for place in played.get(sound, []) if self.source["entry"][place] < self._unit_ends[cycle]]
            if places:
                return places[-1]
        return None

    def _plays_on(self, first, last):
        """Whether the source itself left nothing out from one of its cycles to another, and was never silent."""
        part = self.source[first:last + 1]
        if (part["out_first"] == 0).any() or (part["out_last"] == 0).any():
            return False
        steps = part["out_first"][1:, 0] - part["out_last"][:-1, 0]
        own = (part["out_last"][:, 0] - part["out_first"][:, 0]) / numpy.maximum(1, part["frames"] - 1.0)
        usual = numpy.median(own)
        return bool((numpy.abs(steps - usual) < 1.5 * abs(usual)).all())

    @staticmethod
    def _overruns(cycles, rate):
        """Whether the unit's own work took longer than a period: then it is the unit that was late.

        It took no longer than the clock says. A thread is charged for more where the machine stands still between a look at
        one clock and at the other: a callback of 4.6 µs was, for 713.
        """
        work = numpy.minimum(cycles["cpu"], cycles["wall"])
        return bool((work / 1e9 > cycles["frames"] / rate).any())

    def _is_torn(self, cycle):
        """Whether the source was playing while the unit read what it plays."""
        start, end = int(self.unit["entry"][cycle]), int(self._unit_ends[cycle])
        # No two cycles of the source overlap: the last one that began before the unit's end is the only one.
        last = int(numpy.searchsorted(self.source["entry"], end)) - 1
        return last >= 0 and int(self._source_ends[last]) > start

    def _when(self, cycle):
        return (int(self.unit["entry"][cycle]) - int(self.unit["entry"][0])) / 1e9

    def _cycle_text(self, cycle):
        row = self.unit[cycle]
        return f"at {self._when(cycle):.3f} s, frame time {row['frame_time']}, {row['frames']} frames"


def _sounds(cycles, direction, channel):
    """What tells a cycle's sound of a channel from that of any other; `None` for silence."""
    first, last = cycles[f"{direction}_first"][:, channel], cycles[f"{direction}_last"][:, channel]
    return [None if one == 0 and other == 0 else (float(one), float(other)) for one, other in zip(first, last)]
