"""The plan: what a seed decides, and that all of it can be done."""

import inspect
import itertools
import unittest

from plan import FEEDING, LASTING, TAKING, Plan
from stage import Stage


def steps(seed, count, **words):
    return list(itertools.islice(Plan(seed, **words).steps(), count))


class ThePlan(unittest.TestCase):
    def test_a_seed_decides_everything(self):
        self.assertEqual(steps(7, 50), steps(7, 50))
        self.assertEqual(Plan(7).ending, Plan(7).ending)
        self.assertNotEqual(steps(7, 50), steps(8, 50))

    def test_every_kind_comes_before_one_comes_twice(self):
        count = len(LASTING) + len(TAKING)
        expected = sorted(name for name, _ in LASTING + TAKING)
        self.assertEqual(sorted(step.fault for step in steps(3, count)), expected)

    def test_faults_of_a_client_come_only_where_there_is_one(self):
        feeding = {name for name, _ in FEEDING}
        self.assertFalse(feeding & {step.fault for step in steps(3, 100)})
        self.assertLess(feeding, {step.fault for step in steps(3, 100, has_client=True)})

    def test_the_server_stays_where_its_end_is_not_survived(self):
        names = {step.fault for step in steps(3, 100, survives_server=False)}
        self.assertEqual(names, {name for name, _ in LASTING})

    def test_every_step_can_be_done(self):
        for step in steps(5, 200, has_client=True):
            act = getattr(Stage, "_" + step.fault.replace("-", "_"))
            inspect.signature(act).bind(None, **step.parameters)


if __name__ == "__main__":
    unittest.main()
