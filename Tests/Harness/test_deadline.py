"""The deadline: a command that hangs is told of and ended, with all that it started; and one that ends is left alone."""

import os
import signal
import subprocess
import sys
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
PLANTED = [sys.executable, os.path.join(HERE, "planted.py")]


def start(seconds, *command, factor=1):
    return subprocess.Popen(
        [sys.executable, os.path.join(HERE, "deadline.py"), str(seconds), *command], stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, env={**os.environ, "DEADLINE_FACTOR": str(factor)})


def run(seconds, *command, factor=1):
    process = start(seconds, *command, factor=factor)
    out, err = process.communicate(timeout=100)
    return process.returncode, out, err


def is_gone(process):
    """Whether it has ended; a dead one that nobody has asked yet how is gone too."""
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8") as file:
            return file.read().rpartition(")")[2].split()[0] in "ZX"
    except OSError:
        return True


def wait_until_gone(processes, seconds=20):
    """Returns those that still run."""
    end = time.monotonic() + seconds
    while (left := [process for process in processes if not is_gone(process)]) and time.monotonic() < end:
        time.sleep(0.02)
    return left


class ACommandThatEnds(unittest.TestCase):
    def test_gives_its_exit_code(self):
        self.assertEqual(run(60, "sh", "-c", "echo out; echo err >&2; exit 3"), (3, "out\n", "err\n"))

    def test_gives_the_number_of_the_signal_that_ended_it(self):
        self.assertEqual(run(60, "sh", "-c", "kill -9 $$")[0], -9)

    def test_that_does_not_exist_is_named(self):
        code, _, err = run(60, "/nowhere/at-all")
        self.assertEqual(code, 127)
        self.assertIn("/nowhere/at-all cannot be run", err)

    def test_takes_its_orphans_with_it(self):
        code, out, err = run(60, "sh", "-c", "setsid sleep 1000 > /dev/null 2>&1 & echo $!; exit 5")
        self.assertEqual((code, err), (5, ""))
        self.assertTrue(is_gone(int(out)))


class ACommandThatHangs(unittest.TestCase):
    def test_is_told_of_thread_by_thread_and_ended_with_all_that_it_started(self):
        code, out, err = run(5, *PLANTED)
        own, orphan = (int(word) for word in out.split())
        self.assertEqual(code, 124)
        self.assertEqual([is_gone(own), is_gone(orphan)], [True, True])
        self.assertIn("did not end in 5 s", err)
        self.assertRegex(err, rf"-- process {own}: .*planted.py")
        self.assertRegex(err, rf"(?m)^   {own} \S+ S read of \d+, pipe:")
        self.assertRegex(err, r"(?m)^   \d+ \S+ S futex at 0x")
        self.assertRegex(err, rf"(?m)^   {orphan} \S+ S clock_nanosleep")
        # gdb's part.
        self.assertEqual(err.count("#0 "), 3)
        self.assertIn("PyThread_acquire_lock", err)

    def test_is_ended_where_nobody_reads_what_is_told_of_it(self):
        # It waits for nothing and never ends: that is what the deadline of a second is for.
        process = start(1, "sh", "-c", "trap '' TERM; echo $$; while :; do sleep 0.1; done")
        hanging = int(process.stdout.readline())
        process.stderr.close()
        self.assertEqual(process.wait(timeout=100), 124)
        self.assertEqual(wait_until_gone([hanging]), [])
        process.stdout.close()

    def test_is_given_more_time_by_the_environment(self):
        self.assertEqual(run(0.1, "sleep", "1", factor=100)[0], 0)


class AnInterruption(unittest.TestCase):
    def test_reaches_the_command_which_may_clean_up(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            process = start(60, "bash", "-c", f"trap 'echo cleaned; exit 0' {number.value}; echo ready; sleep 1000 & wait")
            self.assertEqual(process.stdout.readline(), "ready\n")
            process.send_signal(number)
            out, err = process.communicate(timeout=60)
            self.assertEqual((process.returncode, out, err), (-number, "cleaned\n", ""))

    def test_leaves_nothing_where_the_supervisor_itself_is_killed(self):
        process = start(60, "bash", "-c", "echo $$; sleep 1000")
        own = int(process.stdout.readline())
        process.kill()
        process.communicate(timeout=60)
        self.assertEqual(wait_until_gone([own]), [])


if __name__ == "__main__":
    unittest.main()
