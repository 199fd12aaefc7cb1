"""Lanes: the longest job first, what is needed before what needs it, and what needs a quiet machine before others."""

import _thread
import os
import threading
import time
import unittest

import lanes


class Outcome:
    def __init__(self, failures=()):
        self.failures = list(failures)


class Job:
    def __init__(
        self, name, log, needs=(), after=(), quiet=False, failures=(), error=None, meeting=None, computes=False):
        self.name, self.log, self.needs, self.after, self.quiet = name, log, needs, after, quiet
        self.computes = computes
        self.failures, self.error, self.meeting = failures, error, meeting

    def perform(self, out):
        self.log.append(("begins", self.name))
        print(f"said by {self.name}", file=out)
        out.flush()
        if self.error:
            raise self.error
        if self.meeting:
            self.meeting.wait(20)  # Past it, a broken barrier fails the test.
        self.log.append(("ends", self.name))
        return Outcome(self.failures)


def names(log, what="begins"):
    return [name for kind, name in log if kind == what]


def until_gone(thread):
    end = time.monotonic() + 20
    while os.path.exists(f"/proc/self/task/{thread}") and time.monotonic() < end:
        time.sleep(0.01)


class Lanes(unittest.TestCase):
    def run_jobs(self, jobs, count=3, lasting=lambda job: 0):
        told = {}
        lanes.run(jobs, lasting, lambda job, outcome, seconds, output: told.update({job.name: output}), count)
        return told

    def test_begin_with_the_longest(self):
        log = []
        lasting = {"short": 1, "long": 9, "middle": 5}
        told = self.run_jobs([Job(name, log) for name in lasting], 1, lambda job: lasting[job.name])
        self.assertEqual(names(log), ["long", "middle", "short"])
        self.assertEqual(told["middle"], "said by middle\n")

    def test_end_where_what_is_found_cannot_be_told(self):
        def tell(*_):
            raise BrokenPipeError

        log = []
        with self.assertRaises(BrokenPipeError):
            lanes.run([Job("one", log), Job("other", log, after=("one",))], lambda job: 0, tell, 3)
        self.assertEqual(names(log), ["one"])

    def test_begin_with_what_others_come_behind(self):
        log = []
        lasting = {"middle": 5, "first": 2, "behind": 4}
        jobs = [Job("middle", log), Job("behind", log, after=("first",)), Job("first", log)]
        self.run_jobs(jobs, 1, lambda job: lasting[job.name])
        self.assertEqual(names(log), ["first", "middle", "behind"])

    def test_run_what_is_needed_first_and_all_else_beside_it(self):
        log = []
        meeting = threading.Barrier(2)
        jobs = [
            Job("one", log, needs=("build debug",)), Job("two", log, after=("one",)), Job("build debug", log, meeting=meeting),
            Job("free", log, meeting=meeting)]
        self.run_jobs(jobs)
        self.assertLess(log.index(("ends", "build debug")), log.index(("begins", "one")))
        self.assertLess(log.index(("ends", "one")), log.index(("begins", "two")))

    def test_leave_out_what_needs_a_build_that_failed(self):
        log = []
        self.run_jobs([Job("one", log, needs=("build debug",)), Job("build debug", log, failures=["no"]), Job("free", log)])
        self.assertEqual(sorted(names(log)), ["build debug", "free"])

    def test_run_one_that_computes_beside_those_that_wait(self):
        log = []
        both = threading.Barrier(2)
        jobs = [Job(f"computes {index}", log, computes=True) for index in range(2)]
        jobs += [Job(f"waits {index}", log) for index in range(2)]
        jobs[0].meeting = jobs[2].meeting = both
        self.run_jobs(jobs, 2)
        self.assertEqual(sorted(names(log)[:2]), ["computes 0", "waits 0"])

    def test_are_fewer_beside_one_that_computes(self):
        log = []
        three, done = threading.Barrier(3), threading.Barrier(3)
        jobs = [Job("computes", log, computes=True, meeting=three)]
        jobs += [Job(f"waits {index}", log, meeting=three if index < 2 else done) for index in range(5)]
        self.run_jobs(jobs, 4)
        # Three meet, of four lanes. Once nothing computes, three more do.
        self.assertEqual(sorted(names(log)[:3]), ["computes", "waits 0", "waits 1"])
        ends = [log.index(("ends", name)) for name in ("computes", "waits 0", "waits 1")]
        self.assertGreater(log.index(("begins", "waits 2")), min(ends))

    def test_run_what_needs_a_quiet_machine_first_and_beside_what_computes_alone(self):
        log = []
        both = threading.Barrier(2)
        jobs = [
            Job("one", log), Job("quiet", log, quiet=True, meeting=both), Job("other", log, quiet=True),
            Job("two", log), Job("computes", log, computes=True, meeting=both)]
        self.run_jobs(jobs)
        self.assertEqual([name for _, name in log if name == "quiet" or name == "other"], ["quiet"] * 2 + ["other"] * 2)
        for name in ("one", "two"):
            self.assertLess(log.index(("ends", "other")), log.index(("begins", name)))

    def test_do_not_wait_for_what_needs_a_quiet_machine_and_a_build(self):
        log = []
        both = threading.Barrier(2)
        jobs = [
            Job("build debug", log, computes=True, meeting=both), Job("beside", log, meeting=both),
            Job("quiet", log, needs=("build debug",), quiet=True), Job("behind", log, needs=("build debug",))]
        self.run_jobs(jobs)
        self.assertLess(log.index(("ends", "quiet")), log.index(("begins", "behind")))

    def test_keep_what_computes_for_later_while_what_waits_may_not_begin(self):
        log = []
        meeting = threading.Barrier(lanes.PROCESSORS + 1)
        jobs = [Job("quiet", log, quiet=True, meeting=meeting), Job("waits", log)]
        jobs += [Job(f"computes {index}", log, computes=True, meeting=meeting) for index in range(lanes.PROCESSORS)]
        jobs.append(Job("later", log, computes=True))
        self.run_jobs(jobs, lanes.PROCESSORS + 5)
        # Once the quiet one has ended, what waits begins, and what computes is kept no more.
        ends = [log.index(("ends", job.name)) for job in jobs if job.name.startswith(("computes", "quiet"))]
        self.assertGreater(log.index(("begins", "later")), min(ends))

    def test_pass_an_error_on(self):
        with self.assertRaises(ZeroDivisionError):
            self.run_jobs([Job("one", [], error=ZeroDivisionError()), Job("two", [])])
        self.assertLess(threading.active_count(), 4)

    def test_that_are_interrupted_begin_nothing_more_and_tell_nothing(self):
        log, told, workers, over = [], [], [], threading.Event()

        class Interrupted(Job):
            def perform(self, out):
                workers.append(threading.get_native_id())
                _thread.interrupt_main()
                over.wait(20)  # As where the main thread ends what runs.
                return super().perform(out)

        jobs = [Interrupted("one", log), Job("two", log), Job("three", log)]
        with self.assertRaises(KeyboardInterrupt):
            lanes.run(jobs, lambda job: 0, lambda job, *_: told.append(job.name), 1)
        over.set()
        # Not by join: Python 3.11 takes a thread for ended whose join was interrupted.
        until_gone(workers[0])
        self.assertEqual((names(log), told), (["one"], []))


if __name__ == "__main__":
    unittest.main()
