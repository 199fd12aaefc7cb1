"""The verdict on a run, and the health of a process: each finds what is planted."""

import json
import os
import tempfile
import types
import unittest

import numpy

import processes
import sidecar
import soundfile
from health import Health
from ledger import Outage
from scene import SOURCE, UNIT, Scene
from verdict import Verdict

RATE = 48000
FRAMES = 2 * RATE


class TheVerdict(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "take.wav")
        soundfile.write_counted(self.path, FRAMES, RATE)
        self.report = {
            "frames": FRAMES, "seconds": 2.0, "lostNanoseconds": 0, "xruns": 0,
            "recorded": {"frames": FRAMES, "droppedFrames": 0, "gaps": 0},
        }
        self.log = {
            "schema": "iounit.recording/1", "start": {"wallTime": "", "monotonicNanoseconds": 100 * 10**9},
            "segments": [{"path": "take.wav", "sampleRate": RATE, "channels": 2, "frames": FRAMES}], "gaps": [], "freewheels": [],
        }
        self.outages, self.silences = [], []
        self.said = None
        self.scene = Scene(period=256)
        self.scene.join(SOURCE)
        self.scene.join(UNIT)
        self.scene.cycles(FRAMES // 256)
        self.is_full = False
        self.source = object()

    def problems(self, log=False, is_sync=True, is_converted=False, is_killed=False):
        if log:
            with open(sidecar.path_of(self.path), "w", encoding="utf-8") as file:
                json.dump(self.log, file)
        stage = types.SimpleNamespace(
            source_rate=RATE, source=self.source, is_converted=is_converted, recording=self.path, outages=self.outages, silences=self.silences,
            freewheels=[], longest_period=0.005,
            server=types.SimpleNamespace(is_sync=is_sync, rate=RATE),
            witness=types.SimpleNamespace(is_full=self.is_full, journal=lambda: self.scene.journal),
            unit=types.SimpleNamespace(out=self.said or json.dumps(self.report)))
        self.verdict = Verdict(stage, 102.0, 102.01, is_killed)
        return self.verdict.problems

    def assert_one(self, text, **words):
        found = self.problems(**words)
        self.assertEqual(len(found), 1, found)
        self.assertIn(text, found[0])

    def test_a_run_without_fault(self):
        self.assertEqual(self.problems(), [])
        self.assertEqual(self.problems(log=True), [])

    def test_no_report(self):
        self.said = "killed"
        self.assert_one("printed no report")

    def test_frames_that_only_the_report_knows(self):
        self.report["recorded"]["frames"] += 1
        self.assert_one("the report tells of 96001")

    def test_frames_that_were_dropped(self):
        self.report["recorded"]["droppedFrames"] = 64
        self.assert_one("64 frames were dropped")

    def test_figures_of_the_report_that_do_not_add_up(self):
        self.report["seconds"] = 3.0
        self.assert_one("1.000 s too little")

    def test_gaps_that_only_the_report_knows(self):
        self.report["recorded"]["gaps"] = 1
        self.assert_one("the report of 1", log=True)

    def test_a_log_of_other_frames_than_there_are(self):
        self.log["segments"][0]["frames"] -= 1
        self.assert_one("are there, its log tells of 95999", log=True)

    def test_a_fault_that_left_no_gap(self):
        self.outages = [Outage(100.5, 101.5, "a fault")]
        self.assert_one("a fault kept the sound away", log=True)

    def test_a_file_that_is_not_whole(self):
        with open(self.path, "r+b") as file:
            file.truncate(1000)
        self.assert_one("are there")

    def test_a_unit_that_plays_itself_is_given_nothing(self):
        self.source, self.scene = None, Scene(period=256)
        self.scene.join(UNIT)
        for _ in range(FRAMES // 256):
            self.scene.own_cycle()
        self.assertEqual(self.problems(), [])
        samples = soundfile.SoundFile(self.path).samples.copy()
        samples[1024:1280] = 0
        soundfile.write(self.path, samples, RATE)
        self.assertEqual(
            sorted(problem.kind for problem in self.problems()), ["not as given", "silence"], "nothing excuses it")

    def test_a_recording_that_is_not_what_the_unit_was_given(self):
        samples = soundfile.SoundFile(self.path).samples.copy()
        samples[1024:1280] = samples[768:1024]
        soundfile.write(self.path, samples, RATE)
        for is_sync in (True, False):
            self.assertEqual(
                sorted({problem.kind for problem in self.problems(is_sync=is_sync)}), ["missing", "not as given", "twice"])

    def test_one_that_was_ended_at_once(self):
        self.said = "killed"
        self.scene.cycles(3 * RATE // 256)
        samples = self.scene.samples
        # Of the last two seconds the log may not know the gaps, nor the header the last block.
        samples = numpy.concatenate([samples[:-RATE], numpy.zeros((64, 2), dtype="f4"), samples[1 - RATE:]])
        soundfile.write(self.path, samples, RATE)
        with open(self.path, "ab") as file:
            file.write(bytes(800))
        self.log["segments"][0]["frames"] -= 4096
        for log in (False, True):
            self.assertEqual(self.problems(log, is_killed=True), [])
        soundfile.write(self.path, samples[256:], RATE)
        self.assertEqual({problem.kind for problem in self.problems(is_killed=True)}, {"not as given"})

    def test_one_that_was_ended_while_it_filled_a_gap(self):
        self.said = "killed"
        self.scene.cycles(3 * RATE // 256)
        samples = self.scene.samples
        soundfile.write(self.path, numpy.concatenate([samples, numpy.zeros((3 * RATE, 2), dtype="f4")]), RATE)
        self.log["segments"][0]["frames"] = len(samples)
        self.log["gaps"] = [{
            "segment": 1, "frame": len(samples), "wallTime": "", "monotonicNanoseconds": 105 * 10**9, "cause": "skipped",
            "lengthNanoseconds": 9 * 10**9, "lengthFrames": 9 * RATE, "filledFrames": 0}]
        self.assertEqual(self.problems(log=True, is_killed=True), [])
        # One that was filled, and reaches into the last two seconds.
        self.log["segments"][0]["frames"] += 3 * RATE
        self.log["gaps"][0].update(filledFrames=3 * RATE, lengthFrames=3 * RATE, lengthNanoseconds=3 * 10**9)
        self.assertEqual(self.problems(log=True, is_killed=True), [])

    def test_silence_at_the_end(self):
        self.scene.cycles(3 * RATE // 256, is_connected=False)
        soundfile.write(self.path, self.scene.samples, RATE)
        self.report["frames"] = self.report["recorded"]["frames"] = self.scene.frames
        self.report["seconds"] = self.scene.frames / RATE
        self.assert_one("ends with 3.00 s of silence")
        self.silences = [Outage(1001.5, 1006.0, "a cut connection")]
        self.assertEqual(self.problems(), [])

    def test_what_the_server_did(self):
        self.scene.slip()
        self.scene.cycles(100)
        soundfile.write(self.path, self.scene.samples, RATE)
        self.report["frames"] = self.report["recorded"]["frames"] = self.scene.frames
        self.report["seconds"] = self.scene.frames / RATE
        self.assertEqual(self.problems(), [])
        self.assertEqual([event.kind for event in self.verdict.events], ["left out"])

    def test_a_witness_that_saw_only_a_part(self):
        self.is_full = True
        self.assert_one("its memory is full")

    def test_silence_is_judged_by_the_time_at_which_it_was_given(self):
        self.scene.mute()
        self.scene.cycles(200, plays=False)
        self.scene.next += 200 * 256
        self.scene.cycles(100)
        soundfile.write(self.path, self.scene.samples, RATE)
        self.report["frames"] = self.report["recorded"]["frames"] = self.scene.frames
        self.report["seconds"] = self.scene.frames / RATE
        self.log["segments"][0]["frames"] = self.scene.frames
        self.assertEqual([event.kind for event in self.verdict.events] if self.problems() == [] else None, ["not run"])
        self.silences = [Outage(1002.0, 1003.0, "a cut connection")]
        self.assertEqual((self.problems(), self.verdict.events), ([], []))


class TheHealth(unittest.TestCase):
    def setUp(self):
        self.process = types.SimpleNamespace(memory=(1 << 20, 1 << 20), descriptors=["/dev/null"] * 20, threads=10)
        self.entries = ["a"]
        server = types.SimpleNamespace(leftovers=lambda: self.entries)
        self.health = Health(self.process, server)
        self.health.PATIENCE = 0

    def test_what_stays_as_it_was(self):
        self.assertEqual(self.health.problems(), [])

    def test_what_grows(self):
        self.process.memory = (40 << 20, 40 << 20)
        self.process.descriptors = self.process.descriptors + ["/tmp/a"]
        self.process.threads += 1
        self.entries += ["b"] * (1 + self.health.LEFT_BEHIND)
        self.assertEqual(len(self.health.problems()), 4)


class AProcess(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def test_what_it_says_and_how_it_ends(self):
        process = processes.Process(["sh", "-c", "echo said; echo wrong >&2; exit 3"], self.folder.name, "one")
        self.assertEqual((process.wait(10), process.out, process.err), (3, "said\n", "wrong\n"))

    def test_one_that_stands_still_is_ended_all_the_same(self):
        process = processes.Process(["sh", "-c", "kill -STOP $$"], self.folder.name, "still")
        self.assertIsNone(process.wait(0.2))
        process.end()
        self.assertIsNotNone(process.code)


if __name__ == "__main__":
    unittest.main()
