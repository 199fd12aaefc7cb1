"""Whether a recording, its log and the report agree with each other and with what happened."""

import json
import os

import sidecar
import soundfile
from content import Content
from ledger import Ledger
from problem import Problem
from testimony import Testimony

# What a report's own edges may cost: its clock starts before the first cycle.
EDGE_SECONDS = 0.3


class Verdict:
    """All that is wrong with what a run has left, and what the server did to the sound.

    `problems` are sentences of kind `Problem`, `events` are of kind `Event`.
    """

    # Ended between writing sound and telling of it in the header, it leaves a block that no reader sees.
    UNSAID_BYTES = 1 << 15
    # Where to write the log takes more than a twentieth of the time it is written less often, and the last gaps are not
    # in it yet when the unit is ended at once.
    UNLOGGED_SECONDS = 2

    def __init__(self, stage, ended, gone, is_killed=False):
        """`ended` and `gone`: when it was told to end, and when it had ended, in seconds of the monotonic clock.

        `is_killed`: it ended at once, with no report and with a log that may not know the last file's end.
        """
        self.problems = []
        self.events = []
        self._stage = stage
        try:
            if is_killed:
                self._judge_killed()
            else:
                self._judge(ended, gone)
        except (sidecar.BadSidecar, soundfile.BadFile, OSError) as error:
            self._add("file", str(error))

    def _judge(self, ended, gone):
        stage = self._stage
        try:
            report = json.loads(stage.unit.out)
        except ValueError:
            self._add("report", "it printed no report")
            return
        log = sidecar.read(stage.recording) if os.path.exists(sidecar.path_of(stage.recording)) else None
        paths = [segment.path for segment in log.segments] if log else [stage.recording]
        files = [soundfile.SoundFile(path) for path in paths]
        self._compare_figures(report, log, files)
        testimony = self._check_content(log or _without_gaps(stage.recording, files[0]), files)
        if testimony:
            self.problems += testimony.check_end()
        if log:
            ledger = Ledger(log, stage.longest_period)
            journal = stage.witness.journal()
            ledger.check_time(journal.last_run(ended), gone, stage.freewheels)
            ledger.check_outages(stage.outages, journal)
            self.problems += ledger.problems
        else:
            self._check_report_alone(report)

    def _judge_killed(self):
        recording = self._stage.recording
        log = sidecar.read(recording) if os.path.exists(sidecar.path_of(recording)) else None
        paths = [segment.path for segment in log.segments] if log else [recording]
        files = [soundfile.SoundFile(path, self.UNSAID_BYTES) for path in paths]
        log = log or _without_gaps(recording, files[0])
        last, file = log.segments[-1], files[-1]
        cut = max(0, file.frames - self.UNLOGGED_SECONDS * file.rate)
        # A gap is in the log before it is filled, so that nobody knows how far the silence of the last one goes.
        open_gaps = [
            gap.frame for gap in log.gaps if gap.segment == len(files) - 1
            and (gap.filled < gap.length_frames or gap.frame + gap.filled > cut)]
        last.frames = min([cut, *open_gaps])
        log.gaps = [gap for gap in log.gaps if gap.segment < len(files) - 1 or gap.frame + gap.filled <= last.frames]
        self._check_content(log, files)

    def _compare_figures(self, report, log, files):
        """The report's and the log's against what is in the files."""
        recorded, frames = report["recorded"], sum(file.frames for file in files)
        for number, (file, segment) in enumerate(zip(files, log.segments if log else [])):
            if (segment.frames, segment.rate) != (file.frames, file.rate):
                self._add(
                    "figures", f"segment {number + 1}: {file.frames} frames at {file.rate} Hz are there, its log tells "
                    f"of {segment.frames} at {segment.rate}")
        if recorded["frames"] != frames:
            self._add("figures", f"{frames} frames are there, the report tells of {recorded['frames']}")
        if recorded["droppedFrames"]:
            self._add("dropped", f"{recorded['droppedFrames']} frames were dropped")
        if log and recorded["gaps"] != len(log.gaps):
            self._add("figures", f"the log tells of {len(log.gaps)} gaps, the report of {recorded['gaps']}")

    def _check_content(self, log, files):
        """Returns the testimony, where there is one."""
        stage, testimony = self._stage, None
        if not stage.is_converted:
            if stage.witness.is_full:
                self._add("witness", "its memory is full: what comes after that cannot be judged")
                return None
            testimony = Testimony(stage.witness.journal(), log, plays_itself=stage.source is None)
        content = Content(stage.source_rate, is_converted=stage.is_converted)
        for number, file in enumerate(files):
            samples = file.samples[:log.segments[number].frames]
            content.add(number, samples, file.rate, [gap for gap in log.gaps if gap.segment == number])
            if testimony:
                self.problems += testimony.check(number, samples)
        content.finish(files[-1].rate)
        ledger = Ledger(log, stage.longest_period)
        for problem in content.problems:
            if problem.kind == "silence" and problem.place and self._was_cut(testimony or ledger, *problem.place):
                continue
            event = testimony.explain(problem) if testimony else None
            if event:
                self.events.append(event)
            else:
                self.problems.append(problem)
        for silence in content.silences:
            self._judge_silence(silence, testimony, ledger)
        return testimony

    def _judge_silence(self, silence, testimony, ledger):
        """Silence without a gap: nothing was connected then, or the server did not run the source."""
        end = silence.frame + silence.length
        if self._was_cut(testimony or ledger, silence.segment, end, silence.length):
            return
        event = testimony.explain_silence(silence) if testimony else None
        if event:
            self.events.append(event)
        else:
            self._add(
                "silence", f"segment {silence.segment + 1}, frame {silence.frame}: {silence.length} frames of silence, "
                "and nothing was disconnected then")

    def _was_cut(self, clock, number, frame, silent):
        """Whether silence before a frame began when nothing was connected."""
        when = clock.time_of(number, max(0, frame - silent))
        return any(window.start - 0.5 < when < window.end + 0.5 for window in self._stage.silences)

    def _check_report_alone(self, report):
        """Without a log: what was rendered and what was lost make the time that passed."""
        stage = self._stage
        seconds = report["frames"] / stage.server.rate + report["lostNanoseconds"] / 1e9
        missing = report["seconds"] - seconds
        tolerance = EDGE_SECONDS + Ledger.DRIFT * report["seconds"] + 2 * stage.longest_period
        if abs(missing) > tolerance and not (missing < 0 and stage.freewheels):
            self._add(
                "time", f"{report['seconds']:.3f} s have passed, {seconds:.3f} s are accounted for: {abs(missing):.3f} s "
                "too " + ("little" if missing > 0 else "much"))

    def _add(self, kind, text):
        self.problems.append(Problem(kind, text))


def _without_gaps(recording, file):
    """The log of a recording that has none."""
    return sidecar.Sidecar(0.0, [sidecar.Segment(recording, file.rate, file.channels, file.frames)], [])
