"""Whether a recording, its log and the report agree with each other and with what happened."""

import json
import os

import sidecar
import soundfile
from content import Content
from ledger import Ledger

# What a report's own edges may cost: its clock starts before the first cycle.
EDGE_SECONDS = 0.3

# In async mode: forth and back for each cycle that was late, by a period or two.
SLIPS_PER_XRUN = 4
SLIP_PERIODS = 2


def problems(stage, ended, gone):
    """All that is wrong with what a run has left.

    `ended` and `gone`: when it was told to end, and when it had ended, in seconds of the monotonic clock.
    """
    try:
        report = json.loads(stage.unit.out)
    except ValueError:
        return ["it printed no report"]
    log = None
    if os.path.exists(sidecar.path_of(stage.recording)):
        try:
            log = sidecar.read(stage.recording)
        except sidecar.BadSidecar as error:
            return [str(error)]
    try:
        found, content = _content(stage, log, report)
    except (soundfile.BadFile, OSError) as error:
        return [str(error)]
    if log:
        return found + _figures(stage, log, content, ended, gone)
    return found + _report_alone(stage, report, content)


def _content(stage, log, report):
    slip_frames = 0 if stage.server.is_sync else round(SLIP_PERIODS * stage.longest_period * stage.server.rate)
    content, found, frames = Content(stage.source_rate, slip_frames, stage.is_converted), [], 0
    paths = [segment.path for segment in log.segments] if log else [stage.recording]
    for number, path in enumerate(paths):
        file = soundfile.SoundFile(path)
        frames += file.frames
        gaps = [gap for gap in log.gaps if gap.segment == number] if log else []
        if log and (log.segments[number].frames, log.segments[number].rate) != (file.frames, file.rate):
            segment = log.segments[number]
            found.append(
                f"segment {number + 1}: {file.frames} frames at {file.rate} Hz are there, its log tells of "
                f"{segment.frames} at {segment.rate}")
        content.add(number, file.samples, file.rate, gaps)
    content.finish(file.rate)
    if content.slips > SLIPS_PER_XRUN * report["xruns"]:
        found.append(f"the sound slipped {content.slips} times, JACK reports {report['xruns']} xruns")
    recorded = report["recorded"]
    if recorded["frames"] != frames:
        found.append(f"{frames} frames are there, the report tells of {recorded['frames']}")
    if recorded["droppedFrames"]:
        found.append(f"{recorded['droppedFrames']} frames were dropped")
    if log and recorded["gaps"] != len(log.gaps):
        found.append(f"the log tells of {len(log.gaps)} gaps, the report of {recorded['gaps']}")
    return found + content.problems, content


def _figures(stage, log, content, ended, gone):
    ledger = Ledger(log, stage.longest_period)
    ledger.check_time(ended, gone, stage.freewheels)
    ledger.check_outages(stage.outages)
    for silence in content.silences:
        when = ledger.time_of(silence.segment, silence.frame)
        if not any(window.start - 0.5 < when < window.end + 0.5 for window in stage.silences):
            ledger.problems.append(
                f"segment {silence.segment + 1}, frame {silence.frame}: {silence.length} frames of silence, and "
                "nothing was disconnected then")
    return ledger.problems


def _report_alone(stage, report, content):
    """Without a log: what was rendered and what was lost make the time that passed."""
    found = []
    if content.silences and not stage.silences:
        found.append(f"{content.silences[0].length} frames of silence, and nothing was disconnected")
    seconds = report["frames"] / stage.server.rate + report["lostNanoseconds"] / 1e9
    missing = report["seconds"] - seconds
    tolerance = EDGE_SECONDS + Ledger.DRIFT * report["seconds"] + 2 * stage.longest_period
    if abs(missing) > tolerance and not (missing < 0 and stage.freewheels):
        found.append(
            f"{report['seconds']:.3f} s have passed, {seconds:.3f} s are accounted for: {abs(missing):.3f} s too "
            + ("little" if missing > 0 else "much"))
    return found
