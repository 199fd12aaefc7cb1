"""The log that lies beside a recording: its segments, and each gap in them (`iounit.recording/1`)."""

import dataclasses
import json
import os

CAUSES = {"reset", "restart", "pause", "skipped", "late", "dropped"}


class BadSidecar(Exception):
    """A log that is not what it says it is."""


@dataclasses.dataclass
class Segment:
    """One file of a recording."""
    path: str
    rate: int
    channels: int
    frames: int


@dataclasses.dataclass
class Gap:
    """Where frames are missing: from `start` on, for `length` seconds, of which `filled` frames are silence instead.

    `segment` is a position in the list of segments; the log itself counts them from 1.
    """
    segment: int
    frame: int
    start: float
    length: float
    length_frames: int
    filled: int
    cause: str


@dataclasses.dataclass
class Freewheel:
    """Frames that were rendered free of the clock, from `start` on, within `length` seconds."""
    segment: int
    frame: int
    frames: int
    start: float
    length: float


@dataclasses.dataclass
class Sidecar:
    """Times are in seconds of the monotonic clock."""
    start: float
    segments: list
    gaps: list
    freewheels: list = dataclasses.field(default_factory=list)


def path_of(recording):
    return recording + ".json"


def read(recording):
    """The log of a recording.

    Raises `BadSidecar` where it cannot be read, lacks a field, or contradicts itself.
    """
    path = path_of(recording)
    try:
        with open(path, encoding="utf-8") as file:
            content = json.load(file)
        if content["schema"] != "iounit.recording/1":
            raise BadSidecar(f"{path}: its schema is {content['schema']}")
        folder = os.path.dirname(recording)
        log = Sidecar(
            content["start"]["monotonicNanoseconds"] / 1e9,
            [_segment(part, folder) for part in content["segments"]],
            [_gap(part) for part in content["gaps"]],
            [_freewheel(part) for part in content["freewheels"]])
        content["start"]["wallTime"]
        _check(log, path)
    except (OSError, ValueError) as error:
        raise BadSidecar(f"{path}: {error}") from error
    except (KeyError, TypeError) as error:
        raise BadSidecar(f"{path}: no field, or none of that kind: {error}") from error
    return log


def _segment(part, folder):
    # A recording and its log may have been moved together.
    path = os.path.join(folder, os.path.basename(part["path"]))
    return Segment(path, part["sampleRate"], part["channels"], part["frames"])


def _gap(part):
    part["wallTime"]
    return Gap(
        part["segment"] - 1, part["frame"], part["monotonicNanoseconds"] / 1e9, part["lengthNanoseconds"] / 1e9,
        part["lengthFrames"], part["filledFrames"], part["cause"])


def _freewheel(part):
    return Freewheel(
        part["segment"] - 1, part["frame"], part["frames"], part["monotonicNanoseconds"] / 1e9,
        part["lengthNanoseconds"] / 1e9)


def _check(log, path):
    if not log.segments:
        raise BadSidecar(f"{path}: it names no segment")
    for wheel in log.freewheels:
        if not 0 <= wheel.segment < len(log.segments):
            raise BadSidecar(f"{path}: freewheeling at frame {wheel.frame}: there is no such segment")
        if wheel.length > 1 and wheel.frames <= 0:
            raise BadSidecar(f"{path}: {wheel.length} s of freewheeling have no frames")
    previous = None
    for gap in log.gaps:
        where = f"{path}: the gap at frame {gap.frame} of segment {gap.segment + 1}"
        if not 0 <= gap.segment < len(log.segments):
            raise BadSidecar(f"{where}: there is no such segment")
        segment = log.segments[gap.segment]
        if gap.frame < 0 or gap.filled < 0 or gap.frame + gap.filled > segment.frames:
            raise BadSidecar(f"{where}: it reaches beyond the segment's {segment.frames} frames")
        if gap.cause not in CAUSES:
            raise BadSidecar(f"{where}: its cause is {gap.cause}")
        if gap.length < 0 or abs(gap.length * segment.rate - gap.length_frames) > 1:
            raise BadSidecar(f"{where}: {gap.length} s are not {gap.length_frames} frames at {segment.rate} Hz")
        if gap.filled > gap.length_frames + 1:
            raise BadSidecar(f"{where}: {gap.filled} frames fill one of {gap.length_frames}")
        position = (gap.segment, gap.frame, gap.start)
        if previous is not None and position < previous:
            raise BadSidecar(f"{where}: it comes after a later one")
        previous = position
