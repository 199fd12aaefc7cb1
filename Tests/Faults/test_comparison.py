"""The table of the comparison: what it makes of an outcome."""

import types
import unittest

import comparison
import faults
from trials import Outcome

FAULTS = {fault.name: fault for fault in faults.ALL}
PROGRAM = types.SimpleNamespace(name="program")


def row(fault, **facts):
    return comparison.cells(FAULTS[fault], PROGRAM, Outcome(**facts))[2:]


class TheTable(unittest.TestCase):
    def test_one_that_goes_on(self):
        cells = row(
            "server restarted", survives=True, sound_again=0.25, code=130, file="whole", lost_at_end=0.005, holes=[],
            gap_reported=True)
        self.assertEqual(cells, ["sound after 0.25 s", "130", "whole", "5 ms", "0", "yes"])

    def test_one_that_runs_without_doing_anything(self):
        self.assertEqual(row("server restarted", survives=True, code=0)[0], "no sound")
        self.assertEqual(row("server killed", survives=True, needs_sound=False, code=0)[0], "waits")

    def test_one_that_has_to_be_killed(self):
        self.assertEqual(row("SIGINT", hangs=True)[:2], ["goes on", "HANGS"])

    def test_one_that_is_killed(self):
        cells = row("SIGKILL", code=-9, file="a.wav: its header is not complete")
        self.assertEqual(cells[:3], ["ends", "137", "broken"])

    def test_its_two_forms(self):
        self.assertEqual(comparison.text([["a", "b"], ["long", "c"]]), "a     b\nlong  c")
        rows = [
            comparison.COLUMNS, ["SIGINT", "one", "ends", "130", "whole", "0 ms", "0", "–"],
            ["SIGINT", "two", "goes on", "HANGS", "broken", "5 ms", "2", "no"],
        ]
        self.assertEqual(comparison.markdown(rows).splitlines(), [
            "| fault | one | two |", "| --- | --- | --- |",
            "| SIGINT | ends, file whole | goes on, has to be killed, file broken, 5 ms lost, "
            "2 holes that nothing tells of, gap not told |",
        ])


if __name__ == "__main__":
    unittest.main()
