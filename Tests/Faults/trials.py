"""What comes of a fault that is tried on a program."""

import dataclasses
import os
import re
import shutil
import signal
import tempfile
import time

import processes
import server as jack
import sidecar
import soundfile
from content import Content
from counter import Counter
from disk import SmallDisk

# What a program may say where it knows of a gap.
TELLING = re.compile(r"xrun|overrun|underrun|lost|gap|discontin|dropp|stands still|went away|late by", re.IGNORECASE)


@dataclasses.dataclass
class Outcome:
    """`None` where a question does not arise."""
    survives: bool = False
    """Whether it still ran when all was over, and had not to end by the fault's nature."""
    sound_again: float | None = None
    """Seconds from when the server was there again, or the fault over, until it did its work again."""
    needs_sound: bool = True
    """Whether there was a server to do it on."""
    code: int | None = None
    """Exit code; negative, the signal that ended it."""
    hangs: bool = False
    """Whether it went on in spite of SIGINT until the deadline."""
    file: str | None = None
    """"whole", or what is wrong with it."""
    lost_at_end: float | None = None
    """Seconds of sound that were played before the end, and are not in the file."""
    holes: list | None = None
    """Places where the content is not what was fed, and nothing says so."""
    gap_reported: bool | None = None


class Trial:
    """One fault on one program, on a server of its own."""

    WATCH = 4.0
    """How long to wait for sound after a fault, in seconds."""
    DEADLINE = 12.0
    """How long it may take to end after SIGINT."""

    def __init__(self, contestant, fault):
        self.kind = contestant
        self.fault = fault
        self.outcome = Outcome()
        self.playable = None
        """How many frames it can have heard, where that is known before the end."""

    def run(self):
        self.folder = tempfile.mkdtemp(prefix="faults-")
        self.server = jack.Server(self.folder)
        self.source = Counter(self.server, self.folder, "source")
        self.ear = Counter(self.server, self.folder, "ear")
        self.disk = None
        self.contestant = None
        try:
            self._set_up()
            self.fault.strike(self)
            self._watch()
            self._end()
            self._examine()
        finally:
            if self.contestant and self.contestant.process:
                self.contestant.process.send(signal.SIGCONT)
                self.contestant.process.end()
            self.source.stop()
            self.ear.stop()
            self.server.close()
            if self.disk:
                self.disk.close()
            shutil.rmtree(self.folder, ignore_errors=True)
        return self.outcome

    @property
    def process(self):
        return self.contestant.process

    def _set_up(self):
        if self.fault.disk_bytes:
            self.disk = SmallDisk(self.folder, self.fault.disk_bytes)
        self.contestant = self.kind(self.folder, self.disk.folder if self.disk else self.folder)
        self.server.start()
        if not self.source.start() or not self.ear.start():
            raise jack.ServerFailed("the counting clients do not get into the graph")
        self.out_reader, out = os.pipe() if self.fault.needs_pipe else (None, None)
        self.contestant.start(self.server, before=self.disk.limit if self.disk else None, out=out)
        if out is not None:
            os.close(out)
        # Not at once: every look at the ports opens a client, and where that coincides with another client's opening,
        # the server of jackd2 1.9.21 may never call that other one.
        time.sleep(1)
        joined = processes.wait_until(lambda: self.contestant.join(self.server), 5, pause=0.5)
        if not joined or self._time_to_work(5) is None:
            raise jack.ServerFailed(f"{self.kind.name} does not begin to work: {self.process.err.strip()[-300:]}")
        time.sleep(1)

    def _time_to_work(self, deadline):
        """Seconds until it has done some more of its work, or `None`."""
        start, before = processes.seconds(), self.contestant.work(self.ear)
        # Twice: what was under way already does not count.
        for _ in range(2):
            if not processes.wait_until(
                    lambda: not self.process.is_running or self.contestant.work(self.ear) != before, deadline):
                return None
            if not self.process.is_running:
                return None
            before = self.contestant.work(self.ear)
        return processes.seconds() - start

    def _watch(self):
        if self.fault.ends_program:
            return
        self.outcome.needs_sound = self.server.is_running
        if self.server.is_running:
            self.outcome.sound_again = self._time_to_work(self.WATCH)
        self.process.wait(self.WATCH if self.outcome.sound_again is None else 1)
        self.outcome.survives = self.process.is_running

    def _end(self):
        if self.playable is None:
            self.playable = self.source.played
        if not self.fault.ends_program or self.fault.number == signal.SIGINT:
            self.process.send(signal.SIGINT)
        self.outcome.code = self.process.wait(self.DEADLINE)
        self.outcome.hangs = self.outcome.code is None
        if self.outcome.hangs:
            self.process.send(signal.SIGKILL)
            self.process.wait(5)

    def _examine(self):
        said = self.process.out + self.process.err
        told = bool(TELLING.search(said))
        if self.kind.records:
            told = self._examine_file() or told
        if self.fault.makes_gap:
            self.outcome.gap_reported = told

    def _examine_file(self):
        """Looks at what was recorded; returns whether its log tells of a gap."""
        log = None
        if os.path.exists(sidecar.path_of(self.contestant.file)):
            try:
                log = sidecar.read(self.contestant.file)
            except sidecar.BadSidecar as error:
                self.outcome.file = str(error)
                return False
        paths = [part.path for part in log.segments] if log else self.contestant.files()
        # A slip in async mode is the server's, which no program can see.
        content, file = Content(slip_frames=2 * self.fault.longest_period), None
        try:
            for number, path in enumerate(paths):
                file = soundfile.SoundFile(path)
                gaps = [gap for gap in log.gaps if gap.segment == number] if log else []
                content.add(number, file.samples, file.rate, gaps)
        except (soundfile.BadFile, OSError) as error:
            self.outcome.file = str(error).replace(self.contestant.file, "the file")
            return False
        if file is None:
            self.outcome.file = "none"
            return False
        self.outcome.file = "whole" if content.heard else "empty"
        self.outcome.holes = content.problems + [
            f"segment {silence.segment + 1}, frame {silence.frame}: {silence.length} frames of silence"
            for silence in content.silences]
        self.outcome.lost_at_end = max(0, self.playable - 1 - content.last) / file.rate
        return bool(log and log.gaps)
