"""Whether a recording holds what was fed: each frame once, in order, but for the gaps that are reported."""

import dataclasses

import numpy

import index
from problem import Problem


# The causes of gaps after which the source has to find its way into the graph again.
JOINS = {"reset", "restart"}


@dataclasses.dataclass
class Run:
    """Frames that belong together: sound that counts on without a break, silence, or what is neither."""
    start: int
    length: int
    first: int
    """The first frame's number; `SILENT`, `BROKEN` or `HALF`."""
    last: int

    @property
    def end(self):
        return self.start + self.length


@dataclasses.dataclass
class Silence:
    """Silence that no gap explains, while the source went on as if it were heard: it was not connected."""
    segment: int
    frame: int
    length: int


class Content:
    """What is found in the segments of a recording, one after the other.

    `problems` are sentences; `silences` are for the caller to judge, who knows when nothing was connected.
    """

    # Sound begins when the source is connected, for which a busy machine takes its time, and ends before the file does.
    START_SECONDS = 10.0
    END_SECONDS = 2.0
    # After a gap the unit is there before its source, whose way into the graph takes periods of the server, some dozens
    # where the machine is busy.
    SETTLING_SECONDS = 2.0
    # Where frames were converted to another rate they count on in fractions, of which a float holds the half.
    CONVERTED_TOLERANCE = 0.8
    # At the wrap of the code's lower part, and where it begins, a converter rings.
    RINGING_FRAMES = 400

    def __init__(self, source_rate=None, slip_frames=0, is_converted=False):
        """`source_rate`: the rate at which frames count; `None` where each segment's own, nothing being converted.

        `is_converted`: whether sound may have been converted to another rate and back, so that it counts in fractions.

        `slip_frames`: by how much sound may slip, forth or back. Where a server in async mode is late it lets a client
        read once more what another one has not written yet, or leaves it out. Nobody in the graph can see that.
        """
        self.source_rate = source_rate
        self.slip_frames = slip_frames
        self.is_converted = is_converted
        self.slips = 0
        self.problems = []
        self.silences = []
        self.heard = 0
        """Frames of sound."""
        self._expected = None
        # The last segment's number, and how many frames it has.
        self._end = (0, 0)
        # Since the last sound: whether there is a gap, how often the unit joined a server again, and how much silence
        # there was, in all and by report.
        self._may_jump = False
        self._joins_before = 0
        self._silent_before = 0
        self._filled_before = 0

    def add(self, number, samples, rate, gaps):
        """Checks the next segment.

        `gaps` are those of this segment; one at its very end explains a jump to the next.
        """
        self._end = (number, len(samples))
        is_exact = self.source_rate in (None, rate) and not self.is_converted
        runs = exact_runs(samples) if is_exact else self._converted_runs(samples, self.source_rate / rate)
        gaps = sorted(gaps, key=lambda gap: gap.frame)
        for run in runs:
            if run.first == index.BROKEN:
                # One channel was read before the other client had written it, and the other one afterwards.
                if run.length <= self.slip_frames and self._expected is not None:
                    self.slips += 1
                    self._expected += run.length
                else:
                    self._report(number, run, "foreign", f"{run.length} frames are none of those that were fed")
                    self._may_jump = True
            elif not is_exact and 0 <= run.first and run.length < 2 * self.RINGING_FRAMES:
                # Between two gaps, as of a server that is always late: too short to be read.
                self._silent_before = self._filled_before = self._joins_before = 0
                self._may_jump = True
            elif run.first < 0:
                # Two channels are not connected at the same moment: half a frame is as good as none.
                self._silent_before += run.length
            else:
                self._add_sound(number, run, rate, gaps, is_exact)
        for gap in gaps:
            self._check_filled(number, gap, runs)
            # What lies at the end concerns the next segment's first sound.
            if not any(run.first >= 0 and run.end > gap.frame for run in runs):
                self._may_jump = True
                self._filled_before += gap.filled
                self._joins_before += gap.cause in JOINS

    @property
    def last(self):
        """The number of the last frame that was heard, or -1."""
        return -1 if self._expected is None else self._expected - 1

    def finish(self, rate):
        """Checks the end, at the last segment's rate."""
        if self.heard == 0:
            self.problems.append(Problem("silence", "nothing of what was fed is in the recording"))
        elif self._silent_before - self._filled_before > self.END_SECONDS * rate:
            self.problems.append(
                Problem(
                    "silence", f"the recording ends with {self._silent_before / rate:.2f} s of silence",
                    (*self._end, self._silent_before)))

    def _add_sound(self, number, run, rate, gaps, is_exact):
        before = run.start - self._silent_before
        near = [gap for gap in gaps if before <= gap.frame <= run.start]
        self._joins_before += sum(gap.cause in JOINS for gap in near)
        filled = self._filled_before + sum(gap.filled for gap in near)
        may_jump = self._may_jump or bool(near)
        if self._expected is None:
            if self._silent_before - filled > self.START_SECONDS * rate:
                self._report(
                    number, run, "silence", f"{self._silent_before / rate:.2f} s of silence before the first sound")
        else:
            jump = run.first - self._expected
            surplus = self._silent_before - filled
            self._judge(number, run, jump, surplus, may_jump, rate, is_exact)
        self._expected = run.last + 1
        self.heard += run.length
        self._silent_before = self._filled_before = self._joins_before = 0
        self._may_jump = False

    def _judge(self, number, run, jump, surplus, may_jump, rate, is_exact):
        slack = 0 if is_exact else self.RINGING_FRAMES
        if 0 < abs(jump) <= self.slip_frames and not may_jump and not self._silent_before:
            self.slips += 1
            return
        if jump < -slack:
            self._report(number, run, "twice", f"{-jump} frames of the source are there twice")
        elif may_jump:
            if surplus > self.SETTLING_SECONDS * max(1, self._joins_before) * rate:
                self._report(
                    number, run, "silence", f"{surplus} frames of silence more than the gap before is reported to fill")
        elif self._silent_before > 0:
            self.silences.append(Silence(number, run.start - self._silent_before, self._silent_before))
            fed = self._silent_before * (self.source_rate or rate) / rate
            if abs(jump - fed) > max(slack, 1 if not is_exact else 0):
                self._report(
                    number, run, "missing", f"after {self._silent_before} frames of silence {jump} frames of the "
                    "source are missing, and no gap is reported")
        elif jump > slack:
            self._report(number, run, "missing", f"{jump} frames of the source are missing, and no gap is reported")

    def _check_filled(self, number, gap, runs):
        end = gap.frame + gap.filled
        for run in runs:
            overlap = min(run.end, end) - max(run.start, gap.frame)
            if overlap > 0 and run.first != index.SILENT:
                self.problems.append(
                    Problem(
                        "filling", f"segment {number + 1}, frame {gap.frame}: {overlap} of {gap.filled} frames that fill a "
                        "gap are not silent"))

    def _converted_runs(self, samples, step):
        """The runs of sound that was converted to another rate on its way, by the code's lower part alone."""
        low = samples[:, 0].astype(numpy.float64) / index.UNIT - 1
        # Two channels are not connected at the same moment.
        silent = samples[:, 0] == 0
        steps = numpy.diff(low)
        breaks = numpy.abs(steps - step) > self.CONVERTED_TOLERANCE
        breaks[silent[1:] & silent[:-1]] = False
        # Around its wrap the lower part says nothing, nor where sound begins or ends.
        period = 1 << index.LOW_BITS
        margin = self.RINGING_FRAMES * step
        near = (low[1:] < margin) | (low[1:] > period - margin)
        edges = silent[1:] ^ silent[:-1]
        for edge in numpy.flatnonzero(edges):
            near[max(0, edge - self.RINGING_FRAMES):edge + self.RINGING_FRAMES] = True
        near[:self.RINGING_FRAMES] = near[len(near) - self.RINGING_FRAMES:] = True
        breaks[near] = False
        # Also where the ringing dies away into silence.
        breaks |= edges
        runs, turns = [], 0
        for start, end in _pieces(breaks, len(samples)):
            if silent[start]:
                runs.append(Run(start, end - start, index.SILENT, index.SILENT))
                continue
            settled = min(start + self.RINGING_FRAMES, (start + end) // 2)
            first = int(round(low[settled] - (settled - start) * step)) + turns * period
            # The number of its last frame follows from its length, also across a wrap.
            last = int(round(first + (end - start) * step)) - 1
            settled = max(end - 1 - self.RINGING_FRAMES, settled)
            turns = (last - int(round(low[settled] + (end - 1 - settled) * step)) + period // 2) // period
            if self._expected is not None:
                lag = self._expected - first
                shift = max(0, (lag + period // 2) // period) * period
                first, last = first + shift, last + shift
            runs.append(Run(start, end - start, first, last))
        return runs

    def _report(self, number, run, kind, text):
        place = (number, run.start, self._silent_before)
        self.problems.append(Problem(kind, f"segment {number + 1}, frame {run.start}: {text}", place))


def exact_runs(samples):
    """The runs of sound that was left as it was."""
    if len(samples) == 0:
        return []
    numbers = index.decode(samples)
    steps = numpy.diff(numbers)
    same = (numbers[1:] < 0) & (numbers[1:] == numbers[:-1])
    counting = (numbers[1:] >= 0) & (numbers[:-1] >= 0) & (steps == 1)
    return [
        Run(start, end - start, int(numbers[start]), int(numbers[end - 1]))
        for start, end in _pieces(~(same | counting), len(numbers))
    ]


def _pieces(breaks, count):
    """From one break to the next; a break lies behind the frame of its position."""
    if count == 0:
        return []
    edges = [0, *(int(position) + 1 for position in numpy.flatnonzero(breaks)), count]
    return list(zip(edges[:-1], edges[1:]))
