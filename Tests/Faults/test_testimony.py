"""What the audio threads saw: what the server did is told from what the unit did, and no excuse covers a real fault."""

import unittest

import numpy

from content import Content
from problem import Problem
from scene import RATE, SOURCE, UNIT, Scene
from testimony import Testimony


class TheTestimony(unittest.TestCase):
    def setUp(self):
        self.scene = Scene()
        self.scene.join(SOURCE)
        self.scene.join(UNIT)
        self.scene.cycles(100)

    def judge(self, samples=None):
        """The kinds of what does not hold, and of what the server did."""
        samples = self.scene.samples if samples is None else samples
        testimony = Testimony(self.scene.journal, self.scene.log(len(samples)))
        content = Content()
        content.add(0, samples, RATE, self.scene.gaps)
        content.finish(RATE)
        problems, events = testimony.check(0, samples) + testimony.check_end(), []
        for problem in content.problems:
            event = testimony.explain(problem)
            (events if event else problems).append(event or problem)
        for silence in content.silences:
            event = testimony.explain_silence(silence)
            (events if event else problems).append(event or Problem("silence", f"{silence.length} frames"))
        return [problem.kind for problem in problems], [event.kind for event in events]

    def test_all_that_was_given_is_there(self):
        self.scene.pass_period()
        self.scene.gap(64)
        self.scene.cycles(100)
        self.assertEqual(self.judge(), ([], []))

    # What the unit did.

    def test_a_period_that_was_given_and_is_not_recorded(self):
        self.scene.cycles(100)
        kinds, events = self.judge(numpy.delete(self.scene.samples, slice(640, 704), axis=0))
        self.assertIn("not as given", kinds)
        self.assertIn("missing", kinds)
        self.assertEqual(events, [])

    def test_a_period_that_is_recorded_twice(self):
        self.scene.cycles(100)
        samples = self.scene.samples
        kinds, events = self.judge(numpy.concatenate([samples[:704], samples[640:]]))
        self.assertEqual(kinds.count("not as given"), 2, "in its place, and in all")
        self.assertIn("twice", kinds)
        self.assertEqual(events, [])

    def test_silence_that_was_recorded_in_place_of_sound(self):
        self.scene.cycles(100)
        samples = self.scene.samples.copy()
        samples[640:1280] = 0
        kinds, events = self.judge(samples)
        self.assertEqual(sorted(kinds), ["not as given", "silence"])
        self.assertEqual(events, [])

    def test_a_frame_that_was_spoiled_within_a_period(self):
        samples = self.scene.samples.copy()
        samples[650] *= 0.5
        self.assertEqual(self.judge(samples), (["foreign"], []))

    def test_frames_that_were_never_given(self):
        samples = self.scene.samples
        self.assertIn("not as given", self.judge(numpy.concatenate([samples, samples[:64]]))[0])

    def test_the_end_that_was_given_and_is_not_recorded(self):
        self.scene.cycles(100)
        self.assertEqual(self.judge(self.scene.samples[:6400]), (["not as given"], []))

    def test_cycles_that_the_units_own_clock_tells_of(self):
        self.scene.cycle(reads=False)
        self.scene.cycles(100)
        self.assertEqual(self.judge(), (["missing"], []))

    def test_a_unit_that_was_late_itself(self):
        self.scene.cycle(cpu=3_000_000)
        self.scene.slip()
        self.scene.cycles(100)
        self.assertEqual(self.judge(), (["missing"], []))

    def test_a_unit_that_was_held_up_before_its_work(self):
        self.scene.cycle(held=3_000_000)
        self.scene.slip()
        self.scene.cycles(100)
        self.assertEqual(self.judge(), ([], ["left out"]))

    # What its source did.

    def test_a_source_that_leaves_something_out_itself(self):
        self.scene.next += 64
        self.scene.slip()
        self.scene.cycles(100)
        self.assertEqual(self.judge(), (["missing"], []))

    def test_sound_that_found_no_room_in_a_tap_was_given_all_the_same(self):
        # Where the disk was too slow. The cycles behind it are held against the recording, and explain it, as before.
        for fill in (True, False):
            self.setUp()
            self.scene.drop(3, fill)
            self.scene.cycles(50)
            self.scene.cycle(plays=False)
            self.scene.cycles(100)
            samples = self.scene.samples
            self.assertEqual(self.judge(samples), ([], ["read twice"]))
            wrong = samples.copy()
            wrong[-640:-576] = 0
            self.assertIn("not as given", self.judge(wrong)[0])

    # What the server did.

    def test_a_cycle_of_the_source_that_the_unit_was_not_run_in(self):
        self.scene.slip()
        self.scene.cycles(100)
        self.assertEqual(self.judge(), ([], ["left out"]))

    def test_a_clock_that_goes_on_before_the_unit_has_read_it(self):
        # The gap stands before the cycle that was held up, and the cycles that are missing lie behind it.
        for told, expected in ((128, ([], ["clock ahead"])), (64, (["missing"], []))):
            self.setUp()
            self.scene.gap(told)
            self.scene.cycle(cpu=1_400_000)
            self.scene.cycle(reads=False)
            self.scene.pass_period()
            self.scene.cycles(100)
            self.assertEqual(self.judge(), expected)

    def test_a_cycle_left_out_where_freewheel_sets_the_clock_anew(self):
        self.scene.cycle(reads=False)
        self.scene.frame_time += 190_464_000
        self.scene.cycles(100)
        self.assertEqual(self.judge(), ([], ["left out"]))

    def test_a_cycle_of_the_unit_that_the_source_was_not_run_in(self):
        self.scene.cycle(plays=False)
        self.scene.cycles(100)
        self.assertEqual(self.judge(), ([], ["read twice"]))

    def test_a_source_that_plays_while_the_unit_reads(self):
        self.scene.cycle(plays_late=True)
        self.scene.cycles(100)
        kinds, events = self.judge()
        self.assertEqual((kinds, set(events)), ([], {"torn"}))

    def test_a_source_on_its_way_into_the_graph(self):
        for periods, expected in ((40, ([], ["joining"])), (60, (["silence"], []))):
            self.setUp()
            self.scene.mute()
            self.scene.gap(64, "reset")
            self.scene.period = 4096
            self.scene.mute()
            self.scene.buffer = numpy.zeros((4096, 2), dtype=numpy.float32)
            self.scene.join(UNIT)
            self.scene.cycle(plays=False)
            self.scene.join(SOURCE)
            self.scene.cycles(periods, plays=False)
            self.scene.cycles(100)
            self.assertEqual(self.judge(), expected)

    def test_a_source_that_the_server_runs_no_more(self):
        self.scene.mute()
        self.scene.cycles(3000, plays=False)
        # Nobody plays, and so nobody's frames are missing.
        self.scene.next += 3000 * 64
        self.scene.cycles(100)
        self.assertEqual(self.judge(), ([], ["not run"]))

    def test_a_source_that_had_left(self):
        self.scene.mute()
        self.scene.join(SOURCE, is_end=True)
        self.scene.cycles(3000, plays=False)
        self.scene.next += 3000 * 64
        self.scene.cycles(100)
        self.assertEqual(self.judge(), (["silence"], []))

    def test_a_source_that_is_not_connected(self):
        self.scene.cycles(3000, is_connected=False)
        self.scene.cycles(100)
        self.assertEqual(self.judge(), (["silence"], []))

    def test_a_source_that_is_silent_itself(self):
        self.scene.mute()
        for _ in range(100):
            self.scene._note(SOURCE, 20_000, self.scene.buffer, "out", 5000)
            self.scene.cycle(plays=False)
        self.scene.next += 100 * 64
        self.scene.cycles(100)
        self.assertEqual(self.judge(), (["silence"], []))


class TheLimp(unittest.TestCase):
    def limp(self, rejoins, slow, cpu=5000):
        """What is seen of cycles that take 20 periods, of which every fifth does not where `slow` is not set."""
        scene = Scene()
        scene.join(UNIT)
        scene.cycles(100)
        start = scene.nanoseconds / 1e9
        if rejoins:
            scene.nanoseconds += 1000
            scene.join(UNIT)
        for count in range(50):
            scene.cycle(plays=False, cpu=cpu)
            if slow or count % 5:
                scene.nanoseconds += 20 * 64 * 10**9 // RATE
        return scene.journal.limp(start)

    def test_it_is_one_only_where_the_unit_has_joined_anew_and_no_cycle_is_in_time(self):
        self.assertIn("none of 49 cycles", self.limp(rejoins=True, slow=True))
        self.assertIsNone(self.limp(rejoins=False, slow=True))
        self.assertIsNone(self.limp(rejoins=True, slow=False))
        self.assertIsNone(self.limp(rejoins=True, slow=True, cpu=25_000_000), "the unit's own callback takes so long")


if __name__ == "__main__":
    unittest.main()
