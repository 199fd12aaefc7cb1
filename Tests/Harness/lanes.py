"""Jobs side by side, each with its deadline and its output in a file: what the longest row begins with comes first."""

import contextlib
import os
import tempfile
import threading
import time

import commands


def _processors():
    """How many there are for us: a container may have a share of the machine's, and a process may be kept to some."""
    count = len(os.sched_getaffinity(0))
    try:
        with open("/sys/fs/cgroup/cpu.max", encoding="ascii") as file:
            quota, period = file.read().split()
            return count if quota == "max" else max(1, min(count, round(int(quota) / int(period))))
    except (OSError, ValueError):
        return count


PROCESSORS = _processors()
COUNT = PROCESSORS + 5
"""Most tests wait for sound. Beside one that computes there is a lane less: their servers would lose some."""


def run(jobs, lasting, done, count):
    """Runs jobs and calls `done(job, outcome, seconds, output)` for each that has ended, one at a time.

    A job has a `name`, the names of the jobs that it `needs`, and of others that it comes `after`, where they are among these,
    whether it `computes` or waits for sound, whether it needs a machine that is `quiet` but for what computes, and
    `perform(log)`. `lasting(job)` is how long it lasted last time. What needs a job that failed is not run.
    """
    def left(job):
        # With what can only come behind it.
        return lasting(job) + max((left(other) for other in jobs if job.name in other.after), default=0)

    waiting = sorted(jobs, key=left, reverse=True)
    names, ended, running, broken = {job.name for job in jobs}, set(), set(), []
    changed = threading.Condition()

    def is_due(job):
        return not any(name in names and name not in ended for name in (*job.needs, *job.after))

    def ready(job):
        # What needs a quiet machine goes before all that waits for sound, one by one.
        if job.quiet:
            return is_due(job) and all(other.computes for other in running)
        quiet = [other for other in running if other.quiet] + [other for other in waiting if other.quiet and is_due(other)]
        return is_due(job) and (job.computes or not quiet)

    def choose():
        # One that computes beside those that wait for sound, as long as there are both: several would take their processors.
        able = list(filter(ready, waiting))
        computing = sum(job.computes for job in running)
        computes = computing > 0
        job = next((job for job in able if job.computes != computes), able[0] if able else None)
        # What more of it would take from the others is of use later, beside what waits for sound and may not begin yet.
        if job and job.computes and computing >= PROCESSORS and not all(other.computes for other in waiting):
            return None
        lanes = max(2, count - 1) if computes or job and job.computes else count
        return job if len(running) < lanes else None

    def work():
        while True:
            with changed:
                while waiting and not broken and not (job := choose()):
                    changed.wait()
                if broken or not waiting:
                    return
                waiting.remove(job)
                running.add(job)
            start = time.monotonic()
            try:
                with tempfile.TemporaryFile("w+", errors="replace") as log:
                    outcome = job.perform(log)
                    log.seek(0)
                    with changed:
                        if broken:
                            return
                        # First, so that nothing comes behind a job of which nothing could be told.
                        done(job, outcome, time.monotonic() - start, log.read())
                        running.discard(job)
                        ended.add(job.name)
                        if outcome.failures:
                            # Nothing is told of what could not even be made.
                            waiting[:] = [other for other in waiting if job.name not in other.needs]
                        changed.notify_all()
            except BaseException as error:  # Told by the main thread.
                with changed:
                    broken.append(error)
                    changed.notify_all()
                return

    workers = [threading.Thread(target=work, daemon=True) for _ in range(min(count, len(jobs)))]
    try:
        for worker in workers:
            worker.start()
        for worker in workers:
            # In short waits, so that a signal and an error are seen.
            while worker.is_alive() and not broken:
                worker.join(0.2)
    except BaseException as error:
        # A signal: the caller ends the jobs that run. That is no result, so `done` is called for none of them. No other
        # job begins.
        with changed:
            broken.append(error)
            changed.notify_all()
        raise
    if broken:
        raise broken[0]


class Commands:
    """What jobs have started, and how it is ended. `folder`: theirs for temporary files; `None` for the usual one."""

    def __init__(self, folder=None):
        self.folder = folder
        self._processes, self._lock, self._is_over = set(), threading.Lock(), False

    def call(self, seconds, command, environment=None, log=None, isolated=False):
        """The exit code of a command that may take so many seconds, and the seconds of processor of all that it started."""
        with self._lock:
            if self._is_over:
                return 128, 0
            process = commands.start(seconds, command, environment, log, isolated)
            self._processes.add(process)
        try:
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            processor = used.ru_utime + used.ru_stime
        except ChildProcessError:  # `end` was there first.
            processor = 0
        with self._lock:
            self._processes.discard(process)
        return process.wait(), processor

    def end(self):
        """Ends all that runs: each deadline ends what runs under it."""
        with self._lock:
            self._is_over = True
            processes = list(self._processes)
        for process in processes:
            with contextlib.suppress(ProcessLookupError):
                process.terminate()
        for process in processes:
            process.wait()
