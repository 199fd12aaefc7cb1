"""Many runs of the chaos, each on its own in a namespace of its own, and a table of what came of them."""

import collections
import concurrent.futures
import dataclasses
import json
import os
import signal
import sys
import tempfile
import threading

import processes
import supervised

HERE = os.path.dirname(os.path.abspath(__file__))
COLUMNS = ["seed", "mode", "source", "faults", "violations", "of JACK", "exit code"]


def seeds(text):
    """The numbers of "1-3,7". Raises `ValueError`."""
    found = []
    for part in text.split(","):
        first, dash, last = part.partition("-")
        numbers = range(int(first), int(last if dash else first) + 1)
        if not numbers:
            raise ValueError(f"{part} is no range of seeds")
        found += numbers
    return found


@dataclasses.dataclass
class Run:
    """One of them, and what it says of itself: `None` where it did not get as far as that."""
    seed: int
    mode: str
    source: str
    code: int | None = None
    said: dict | None = None

    @property
    def name(self):
        return f"{self.seed}-{self.mode}-{self.source}"

    @property
    def row(self):
        said = self.said or {}
        code = "past its deadline" if self.code is None else str(self.code)
        return [
            str(self.seed), self.mode, self.source, str(said.get("faults", "–")), counts(said.get("violations", {})),
            counts(said.get("events", {})), code]


def counts(kinds):
    """As in "2 twice, 1 missing"."""
    return ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items())) or "0"


def table(runs):
    rows = [COLUMNS] + [run.row for run in runs]
    widths = [max(map(len, column)) for column in zip(*rows)]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows)


def total(runs):
    """A line for all of them together."""
    violations, events = collections.Counter(), collections.Counter()
    for run in runs:
        violations.update((run.said or {}).get("violations", {}))
        events.update((run.said or {}).get("events", {}))
    failed = sum(run.code != 0 for run in runs)
    faults = sum((run.said or {}).get("faults", 0) for run in runs)
    return f"{len(runs)} runs, {failed} failed; {faults} faults; violations: {counts(violations)}; " \
        f"of JACK: {counts(events)}"


class Series:
    """`jobs` runs at a time, each in its own /dev/shm and with its own semaphores and processes.

    Two servers share neither their registry nor the semaphore that guards it, and nothing outlives its run.
    """

    GRACE_SECONDS = 360
    """What a run may take beyond its minutes: it prints what its threads wait for before that, see chaos.py."""
    NAMESPACES = ["unshare", "--mount", "--ipc", "--pid", "--fork", "--kill-child", "--mount-proc"]

    def __init__(self, runs, words, minutes, keep=None):
        self._runs = runs
        self._words = words
        self._minutes = minutes
        self._keep = keep
        self._processes, self._lock, self._is_over = [], threading.Lock(), False

    def run(self, jobs):
        """Returns the runs; prints each when it has ended."""
        # The folder goes last: runs that are ended may still write into it.
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, \
                concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            try:
                waiting = [pool.submit(self._one, run, folder) for run in self._runs]
                for done in concurrent.futures.as_completed(waiting):
                    done.result()
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                self._end()
                raise
        return self._runs

    def _end(self):
        """Ends the runs under way; no other one begins."""
        with self._lock:
            self._is_over = True
            for process in self._processes:
                # unshare blocks SIGTERM. With --kill-child its death ends all of its namespace.
                process.send(signal.SIGKILL)

    def _one(self, run, folder):
        # A run that is killed does not remove its own files. They go with the run, as recordings add up.
        with tempfile.TemporaryDirectory(dir=folder, ignore_cleanup_errors=True) as temporary:
            self._perform(run, folder, temporary)

    def _perform(self, run, folder, temporary):
        result = os.path.join(folder, f"{run.name}.json")
        words = [
            sys.executable, os.path.join(HERE, "chaos.py"), "--seed", run.seed, "--mode", run.mode, "--source",
            run.source, "--minutes", self._minutes, "--result", result, *self._words]
        if self._keep:
            os.makedirs(self._keep, exist_ok=True)
            words += ["--keep", os.path.join(self._keep, run.name)]
        space = self.NAMESPACES if os.geteuid() == 0 else [*self.NAMESPACES, "--map-root-user"]
        with self._lock:
            if self._is_over:
                return
            process = processes.Process(
                [*space, "sh", "-c", 'mount -t tmpfs tmpfs /dev/shm && exec "$@"', "sh", *words], folder, run.name,
                {"TMPDIR": temporary})
            self._processes.append(process)
        run.code = process.wait((self._minutes * 60 + self.GRACE_SECONDS) * supervised.FACTOR)
        process.end()
        if self._is_over:
            return
        if os.path.exists(result):
            with open(result, encoding="utf-8") as file:
                run.said = json.load(file)
        if self._keep:
            with open(os.path.join(self._keep, f"{run.name}.log"), "w", encoding="utf-8") as file:
                file.write(process.out + process.err)
        print("  ".join(run.row), flush=True)
        if run.code != 0:
            print(process.out + process.err, flush=True)
