"""A series of runs: which ones, and the table of what came of them."""

import contextlib
import io
import unittest

import series


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
            NAMESPACES = ["sh", "-c", "sleep 100", "sh"]
            GRACE_SECONDS = 0.2

        with contextlib.redirect_stdout(io.StringIO()):
            Slow([run], [], 0).run(1)
        self.assertIsNone(run.code)
        self.assertIn("past its deadline", run.row)


if __name__ == "__main__":
    unittest.main()
