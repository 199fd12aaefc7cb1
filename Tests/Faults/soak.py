"""Tools/soak: a long recording at a short period, and whether anything grows or is lost on the way."""

import dataclasses
import json
import os
import shutil
import signal
import sys
import tempfile
import time

import options as command_line
import processes
import programs
import server as jack
import sidecar
import soundfile
import supervised
from content import Content
from counter import Counter
from ledger import Ledger
from load import Load

PERIOD = 64
SETTLE_SECONDS = 5
# What the allocator may still take for itself, in bytes; a leak of one small object per second is more in an hour.
MEMORY_GROWTH = 1 << 20
# What is known of a gap, in bytes: in the list, as a line of the log, and in that log's text while it is written.
GAP_BYTES = 1536
START_DEADLINE = 20
END_DEADLINE = 20
BLOCK_FRAMES = 1 << 20


class Soak:
    """One run. `violations` are sentences."""

    def __init__(self, minutes, is_sync, is_loaded, folder):
        self.seconds = minutes * 60
        self.is_sync = is_sync
        self.folder = folder
        self.recording = os.path.join(folder, "take.wav")
        self.server = jack.Server(folder, period=PERIOD, is_sync=is_sync)
        self.source = Counter(self.server, folder, "source")
        self.load = Load(self.server, folder) if is_loaded else None
        self.unit = None
        self.violations = []

    def run(self):
        try:
            self.server.start()
            self.source.start()
            if self.load and not self.load.start():
                raise jack.ServerFailed("the crowd does not get into the graph")
            self._record()
        finally:
            if self.unit:
                self.unit.end()
            if self.load:
                self.load.stop()
            self.source.stop()
            self.server.close()

    def _record(self):
        words = [programs.iounit(), "monitor", "--server", self.server.name, "--input", "^source:out_", "--bypass"]
        self.unit = processes.Process([*words, "--record", self.recording, "--json"], self.folder, "unit")
        if not processes.wait_until(lambda: self._recorded_bytes() > 100_000, START_DEADLINE):
            self.violations.append(f"nothing is recorded: {self.unit.err.strip()[-300:]}")
            return
        time.sleep(SETTLE_SECONDS)
        start = self._measure("start")
        for name in ("half", "end"):
            if not self._wait(self.seconds / 2):
                self.violations.append(f"it ended with {self.unit.code}: {self.unit.err.strip()[-300:]}")
                return
            now = self._measure(name)
        ended = processes.seconds()
        self.unit.send(signal.SIGINT)
        code = self.unit.wait(END_DEADLINE)
        if code != -signal.SIGINT:
            self.violations.append(f"exit code {code}" if code is not None else "it does not end")
            return
        report = json.loads(self.unit.out)
        self._compare(start, now, report["recorded"]["gaps"])
        self._examine(report, ended)

    def _recorded_bytes(self):
        return os.path.getsize(self.recording) if os.path.exists(self.recording) else 0

    def _wait(self, seconds):
        """Returns whether it still runs after that."""
        return not processes.wait_until(lambda: not self.unit.is_running, seconds, pause=0.5)

    def _measure(self, name):
        memory, peak = self.unit.memory
        figures = {"memory": memory, "descriptors": len(self.unit.descriptors), "threads": self.unit.threads}
        print(
            f"{name:6} {memory / 1024:9.0f} kB (at most {peak / 1024:.0f})  {figures['descriptors']} descriptors  "
            f"{figures['threads']} threads  {self._recorded_bytes() >> 20} MB recorded", flush=True)
        return figures

    def _compare(self, start, end, gaps):
        if end["memory"] - start["memory"] > MEMORY_GROWTH + gaps * GAP_BYTES:
            self.violations.append(f"memory grew by {(end['memory'] - start['memory']) / 1024:.0f} kB")
        for name in ("descriptors", "threads"):
            if end[name] > start[name]:
                self.violations.append(f"{end[name] - start[name]} {name} more than at the start")

    def _examine(self, report, ended):
        gone = processes.seconds()
        recorded = report["recorded"]
        file = soundfile.SoundFile(self.recording)
        log = sidecar.read(self.recording) if recorded["sidecar"] else None
        gaps = log.gaps if log else []
        print(
            f"frames {recorded['frames']}  dropped {recorded['droppedFrames']}  xruns {report['xruns']}  "
            f"skipped by the server {report['frameGaps']} times  lost {report['lostNanoseconds'] / 1e6:.1f} ms  "
            f"gaps {recorded['gaps']} of {sum(gap.length for gap in gaps) * 1000:.1f} ms in all")
        if recorded["droppedFrames"]:
            self.violations.append(f"{recorded['droppedFrames']} frames dropped")
        filled = sum(gap.filled for gap in gaps)
        if not recorded["frames"] - filled == report["frames"] == file.frames - filled:
            self.violations.append(
                f"{report['frames']} frames rendered, {recorded['frames']} recorded, {file.frames} in the file, "
                f"{filled} of them silence in gaps")
        if recorded["gaps"] != len(gaps):
            self.violations.append(f"{recorded['gaps']} gaps, {len(gaps)} of them listed")
        # Async, a cycle that the server skips is in no client, which is no fault of the recording.
        content = Content(slip_frames=0 if self.is_sync else 1 << 40)
        for first in range(0, file.frames, BLOCK_FRAMES):
            block = file.samples[first:first + BLOCK_FRAMES]
            content.add(0, block, file.rate, _gaps_of_block(gaps, first, len(block)))
        print(f"breaks in the content {content.slips + len(content.problems) + len(content.silences)}")
        if content.slips > report["frameGaps"] + 4 * report["xruns"]:
            self.violations.append(f"{content.slips} breaks in the content, more than the server's own")
        self.violations += content.problems[:10] + [str(silence) for silence in content.silences[:10]]
        if log:
            ledger = Ledger(log, PERIOD / file.rate)
            ledger.check_time(ended, gone)
            self.violations += ledger.problems[:10]


def _gaps_of_block(gaps, first, frames):
    """The gaps that begin in a block of a long file, counted from its first frame.

    One that reaches beyond it is filled in the next block too, where the silence goes on.
    """
    return [
        dataclasses.replace(gap, frame=gap.frame - first, filled=min(gap.filled, first + frames - gap.frame))
        for gap in gaps if first <= gap.frame < first + frames
    ]


def main(words):
    options = command_line.soak(words)
    supervised.within(1800 + 2 * options.minutes * 60, "soak")
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    folder = tempfile.mkdtemp(prefix="soak-")
    try:
        programs.iounit()
        programs.counter()
        run = Soak(options.minutes, options.mode == "sync", options.load, folder)
        run.run()
        for violation in run.violations:
            print(f"VIOLATION {violation}")
        print(f"{options.minutes:g} minutes: {len(run.violations)} violations")
        return 1 if run.violations else 0
    except KeyboardInterrupt:
        return 130
    except (jack.ServerFailed, programs.NotBuilt, soundfile.BadFile) as error:
        print(f"soak: {error}", file=sys.stderr)
        return 70
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
