"""Killing the program at any instant of its life: what it leaves must be a recording, and no trouble for the next."""

import collections
import os
import random
import signal
import statistics
import time

import processes
import programs
import server as jack
import sidecar
import soundfile
import supervised
from content import Content
from counter import Counter


class Kills:
    """So many starts and kills on one server, and a whole run at the end."""

    LONGEST = 1.5
    """Until when a start is killed, in seconds."""
    MEDIAN_LOSS = 0.025
    """The recorder writes every 10 ms; what is heard is known to a period and the time to look."""
    LONGEST_LOSS = 1.0
    """What a stalling machine does not explain any more."""

    UNSAID_BYTES = 1 << 15
    """Killed between writing sound and telling of it in the header, it leaves a block that no reader sees."""

    def __init__(self, seed, count, is_sync, folder):
        self.seed = seed
        self.count = count
        self.folder = folder
        self.violations = collections.Counter()
        self.events = collections.Counter()
        self.losses, self.unbegun = [], 0
        self._random = random.Random(seed)
        self.server = jack.Server(folder, is_sync=is_sync)
        self.source = Counter(self.server, folder, "source")
        self.ear = Counter(self.server, folder, "ear")

    def run(self):
        try:
            self.server.start()
            self.source.start()
            self.ear.start()
            entries = len(self.server.leftovers())
            for number in range(1, self.count + 1):
                self._kill_one(number, self._random.uniform(0, self.LONGEST))
            self._check_losses()
            self._run_one()
            # A killed client's semaphore may stay until the server's next start, which is the kernel's and JACK's way.
            names = {name.split(".", 1)[-1] for name in self.server.leftovers()}
            if len(names) > entries + 4:
                self._violate("the end", "shared", f"{len(names)} entries in shared memory, {entries} at the beginning")
        finally:
            self.source.stop()
            self.ear.stop()
            self.server.close()

    @property
    def summary(self):
        lost = ""
        if self.losses:
            lost = f"; lost at the end: median {statistics.median(self.losses) * 1000:.1f} ms, " \
                f"at most {max(self.losses) * 1000:.1f} ms"
        return f"seed {self.seed}: {self.count} kills, {self.unbegun} of them before the first sound{lost}; " \
            f"{self.violations.total()} violations" + "".join(f"; of JACK: {kind}" for kind in self.events)

    def _start(self, path, *words):
        return processes.Process(
            [programs.iounit(), "monitor", "--server", self.server.name, "--input", "^source:out_", "--output",
             "^ear:in_", "--bypass", "--record", path, *words], self.folder, "unit")

    def _kill_one(self, number, instant):
        path = os.path.join(self.folder, f"kill-{number}.wav")
        before = self.ear.heard
        unit = self._start(path)
        time.sleep(instant)
        heard = self.ear.heard
        unit.send(signal.SIGKILL)
        unit.wait(5)
        name = f"kill {number} after {instant:.3f} s"
        if heard == before:
            # Before any sound there is nothing to lose, but nothing to spoil either.
            self.unbegun += 1
        else:
            self._examine(name, path, heard)
        for left in (path, path + ".json"):
            if os.path.exists(left):
                os.remove(left)

    def _examine(self, name, path, heard):
        try:
            file = soundfile.SoundFile(path, self.UNSAID_BYTES)
        except (soundfile.BadFile, OSError) as error:
            self._violate(name, "file", str(error))
            return
        others = soundfile.frames_by_libsndfile(path)
        if others != file.frames:
            self._violate(name, "file", f"libsndfile finds {others} frames of {file.frames}")
        gaps = []
        if os.path.exists(sidecar.path_of(path)):
            try:
                gaps = sidecar.read(path).gaps
            except sidecar.BadSidecar as error:
                self._violate(name, "file", str(error))
                return
        content = Content()
        content.add(0, file.samples, file.rate, gaps)
        for problem in content.problems:
            self._violate(name, problem.kind, problem)
        loss = max(0, heard - content.last) / file.rate
        self.losses.append(loss)
        if loss > self.LONGEST_LOSS:
            self._violate(name, "loss", f"{loss:.3f} s that were heard before are not in the file")

    def _check_losses(self):
        # The single one may be the machine's: it stalls, and nothing was written meanwhile.
        if self.losses and statistics.median(self.losses) > self.MEDIAN_LOSS:
            self._violate("all", "loss", f"half of them lost more than {statistics.median(self.losses) * 1000:.1f} ms")

    def _run_one(self):
        path = os.path.join(self.folder, "after.wav")
        unit = self._start(path, "--seconds", "1")
        code = unit.wait(20)
        if code != 0:
            said = f"exit code {code}: {unit.err.strip()[-300:]}\n{supervised.stacks(unit.pid) if code is None else ''}"
            unit.end()
            played, answers = self.source.played, self.server.answers()
            time.sleep(1)
            if self.source.played == played or not answers:
                self.events["runs nobody"] += 1
                state = "answers" if answers else "does not answer"
                print(f"of JACK, runs nobody: the server {state}, and ran the source not once in 1 s; {said}", flush=True)
            else:
                self._violate("the next start", "start", said)
        elif soundfile.SoundFile(path).frames < 24000:
            self._violate("the next start", "start", "it recorded less than half of its second")

    def _violate(self, name, kind, text):
        self.violations[kind] += 1
        print(f"VIOLATION (seed {self.seed}, {kind}) {name}: {text}", flush=True)
