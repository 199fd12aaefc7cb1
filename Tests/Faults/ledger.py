"""Whether the figures add up: what was recorded and what is reported missing make the time that passed."""

import dataclasses

from problem import Problem


@dataclasses.dataclass
class Outage:
    """When a fault of ours kept the sound away, in seconds of the monotonic clock."""
    start: float
    end: float
    fault: str


class Ledger:
    """Compares a recording's log with the clock, and with what was done to it."""

    # A cycle late, the recorder's own pace, and a shared machine that stalls within the gap's own edges.
    TOLERANCE_SECONDS = 0.05
    # By how much a busy machine has ever made a cycle late that a server had begun.
    LATE_SECONDS = 0.25
    # By how much the dummy backend's sleep and the clock may drift apart.
    DRIFT = 0.002

    def __init__(self, log, period_seconds):
        self.log = log
        self.tolerance = self.TOLERANCE_SECONDS + 2 * period_seconds
        self.problems = []

    def check_time(self, end, latest=None, freewheels=()):
        """From each gap to the next, as many frames as there was time for.

        The recording ended at `end`, or between that and `latest`. `freewheels` are the outages in which sound ran
        ahead of the clock; of those only too little is a problem, and no more than the log tells of one that was
        slower than the clock, as on a busy machine.
        """
        since, segment, frame = self.log.start, 0, 0
        for gap in self.log.gaps:
            seconds = self._sound(segment, frame, gap.segment, gap.frame)
            self._compare(f"before the gap at {self._place(gap)}", seconds, since, gap.start, gap.start, freewheels)
            since, segment, frame = gap.start + gap.length, gap.segment, gap.frame + gap.filled
        last = len(self.log.segments) - 1
        seconds = self._sound(segment, frame, last, self.log.segments[last].frames)
        self._compare("at the end", seconds, since, end, latest or end, freewheels)

    def check_outages(self, outages, journal):
        """Each time that a fault kept the sound away is reported, all of it.

        The unit's cycle that the server had begun before is run yet, and late where the machine is busy: `journal` tells.
        """
        for outage in outages:
            start = journal.first_run(outage.start, min(outage.end, outage.start + self.LATE_SECONDS))
            covered = sum(
                max(0, min(outage.end, gap.start + gap.length) - max(start, gap.start)) for gap in self.log.gaps)
            missing = outage.end - start - covered
            if missing > self.tolerance:
                self.problems.append(
                    Problem(
                        "outage", f"{outage.fault} kept the sound away for {outage.end - outage.start:.3f} s, "
                        f"of which {missing:.3f} s are in no reported gap"))

    def unexplained(self, outages, least=0.1):
        """Gaps of at least so many seconds that no fault of ours explains: the machine's own, if it stalled."""
        return [
            gap for gap in self.log.gaps if gap.length >= least and not any(
                outage.start - 1 < gap.start + gap.length and gap.start < outage.end + 1 for outage in outages)
        ]

    def _sound(self, segment, frame, last_segment, last_frame):
        """Seconds of sound from one place to another."""
        seconds = 0.0
        for number in range(segment, last_segment + 1):
            part = self.log.segments[number]
            start = frame if number == segment else 0
            end = last_frame if number == last_segment else part.frames
            seconds += (end - start) / part.rate
        return seconds

    def time_of(self, segment, frame):
        """When a frame was recorded, in seconds of the monotonic clock."""
        gap = max(
            (gap for gap in self.log.gaps if (gap.segment, gap.frame + gap.filled) <= (segment, frame)),
            key=lambda gap: gap.start, default=None)
        if gap is None:
            return self.log.start + self._sound(0, 0, segment, frame)
        return gap.start + gap.length + self._sound(gap.segment, gap.frame + gap.filled, segment, frame)

    def _compare(self, place, seconds, since, until, latest, freewheels):
        passed = until - since - self._slow_freewheeling(since, until)
        tolerance = self.tolerance + self.DRIFT * max(0, passed)
        surplus = seconds - passed
        if surplus > 0:
            surplus = max(0, surplus - (latest - until))
        if surplus > tolerance and any(wheel.start < until and since < wheel.end for wheel in freewheels):
            return
        if abs(surplus) > tolerance:
            self.problems.append(
                Problem(
                    "time", f"{place}: {passed:.3f} s have passed and {seconds:.3f} s are recorded, {abs(surplus):.3f} s "
                    "too " + ("much" if surplus > 0 else "little")))

    def _slow_freewheeling(self, since, until):
        """By how many seconds freewheeling within these took longer than what it rendered lasts."""
        seconds = 0.0
        for wheel in self.log.freewheels:
            if since <= wheel.start + self.tolerance and wheel.start + wheel.length <= until + self.tolerance:
                seconds += max(0, wheel.length - wheel.frames / self.log.segments[wheel.segment].rate)
        return seconds

    @staticmethod
    def _place(gap):
        return f"frame {gap.frame} of segment {gap.segment + 1}"
