"""A series of runs: which ones, and the table of what came of them."""

import contextlib
import io
import os
import signal
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import processes
import series

HERE = os.path.dirname(os.path.abspath(__file__))
# A run leaves a folder in TMPDIR and does not end. It says which process it is.
HANGS = 'mkdir "$TMPDIR/chaos-x"; echo "$$" >> "$STARTED"; exec sleep 100'
SERIES = f"""
import signal, series
signal.signal(signal.SIGTERM, signal.default_int_handler)
class Hanging(series.Series):
    NAMESPACES = ["sh", "-c", {HANGS!r}, "sh"]
Hanging([series.Run(number, "sync", "file") for number in range(3)], [], 0).run(2)
"""


class TheSeries(unittest.TestCase):
    def test_the_numbers_of_a_list(self):
        self.assertEqual(series.seeds("1-3,7"), [1, 2, 3, 7])
        for text in ("", "a", "3-1", "1-"):
            with self.subTest(text), self.assertRaises(ValueError):
                series.seeds(text)

    def test_a_table_of_what_held_and_what_did_not(self):
        runs = [
            series.Run(1, "sync", "file", 0, {"faults": 20, "violations": {}, "events": {"torn": 2}}),
            series.Run(2, "async", "client", 1, {"faults": 9, "violations": {"twice": 1, "time": 3}, "events": {}}),
            series.Run(3, "sync", "file"),
        ]
        lines = [line.split() for line in series.table(runs).splitlines()]
        self.assertEqual(lines[1], ["1", "sync", "file", "20", "0", "2", "torn", "0"])
        self.assertEqual(lines[2], ["2", "async", "client", "9", "3", "time,", "1", "twice", "0", "1"])
        self.assertEqual(lines[3][-3:], ["past", "its", "deadline"])
        self.assertEqual(
            series.total(runs), "3 runs, 2 failed; 29 faults; violations: 3 time, 1 twice; of JACK: 2 torn")

    def test_a_run_that_does_not_end_is_ended_and_fails(self):
        run = series.Run(1, "sync", "file")

        class Slow(series.Series):
            NAMESPACES = ["sh", "-c", "exec sleep 100", "sh"]
            GRACE_SECONDS = 0.2

        with contextlib.redirect_stdout(io.StringIO()):
            Slow([run], [], 0).run(1)
        self.assertIsNone(run.code)
        self.assertIn("past its deadline", run.row)

    def test_that_is_interrupted_ends_its_runs_and_leaves_no_files(self):
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as temporary:
            started = os.path.join(folder, "started")
            environment = {**os.environ, "TMPDIR": temporary, "STARTED": started}
            process = subprocess.Popen(
                [sys.executable, "-c", SERIES], cwd=HERE, env=environment, stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL)
            self.addCleanup(process.wait)
            self.addCleanup(process.kill)
            self.assertTrue(processes.wait_until(lambda: len(numbers(started)) == 2, 20))
            process.send_signal(signal.SIGTERM)
            out, _ = process.communicate(timeout=20)
            self.assertEqual(out, b"")
            self.assertEqual(len(numbers(started)), 2)
            self.assertFalse([number for number in numbers(started) if os.path.exists(f"/proc/{number}")])
            self.assertEqual(os.listdir(temporary), [])

    def test_a_run_that_is_killed_leaves_no_files(self):
        class Slow(series.Series):
            NAMESPACES = ["sh", "-c", HANGS, "sh"]
            GRACE_SECONDS = 12

        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as temporary, \
                contextlib.redirect_stdout(io.StringIO()), mock.patch("tempfile.tempdir", temporary), \
                mock.patch.dict(os.environ, {"TMPDIR": temporary, "STARTED": os.path.join(folder, "started")}):
            Slow([series.Run(1, "sync", "file")], [], 0).run(1)
            self.assertEqual(len(numbers(os.path.join(folder, "started"))), 1)
            self.assertEqual(os.listdir(temporary), [])


def numbers(path):
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        return [int(line) for line in file if line.endswith("\n")]


if __name__ == "__main__":
    unittest.main()
