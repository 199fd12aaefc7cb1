"""The checkers themselves: each must find what was planted, and nothing in what is right."""

import dataclasses
import json
import os
import struct
import tempfile
import unittest

import numpy

import index
import sidecar
import soundfile
from content import Content
from ledger import Ledger, Outage
from scene import UNIT, Scene

RATE = 48000


def gap(frame, filled=0, start=0.0, length=0.0, segment=0):
    return sidecar.Gap(segment, frame, start, length, round(length * RATE), filled, "reset")


def problems(samples, gaps=(), rate=RATE):
    content = Content(RATE)
    content.add(0, samples, rate, list(gaps))
    content.finish(rate)
    return content.problems


def silence(frames):
    return numpy.zeros((frames, 2), dtype=numpy.float32)


def sound(first, frames):
    return index.encode(first, frames)


def joined(*parts):
    return numpy.concatenate(parts)


class TheCode(unittest.TestCase):
    def test_every_frame_says_which_one_it_is(self):
        for first in (0, 4095, (1 << 23) - 5, 3 << 23):
            numbers = index.decode(index.encode(first, 10))
            self.assertEqual(list(numbers), list(range(first, first + 10)))

    def test_frames_of_nobody_are_found_out(self):
        samples = sound(1000, 6)
        samples[1] *= 0.75  # another gain
        samples[2, 1] = samples[3, 1]  # channels of two frames
        samples[4, 0] = 0  # one channel silent
        samples[5] = 0
        numbers = index.decode(samples)
        self.assertEqual(list(numbers[1:]), [index.BROKEN, index.BROKEN, 1003, index.HALF, index.SILENT])


class TheContent(unittest.TestCase):
    def test_sound_without_a_gap_is_right(self):
        self.assertEqual(problems(joined(silence(500), sound(0, 20000), silence(100))), [])

    def test_channels_that_slip_apart(self):
        torn = sound(0, 1000)
        torn[500:532, 1] = sound(500 - 64, 32)[:, 1]
        content = Content(RATE, slip_frames=64)
        content.add(0, torn, RATE, [])
        self.assertEqual((content.slips, content.problems), (1, []))
        self.assertIn("none of those that were fed", problems(torn)[0])

    def test_slips_are_counted_where_they_may_be(self):
        samples = joined(sound(0, 640), sound(704, 64), sound(704, 640), sound(1345, 64))
        self.assertEqual(len(problems(samples)), 3)
        content = Content(RATE, slip_frames=64)
        content.add(0, samples, RATE, [])
        self.assertEqual((content.slips, content.problems), (3, []))
        content.add(1, sound(2000, 64), RATE, [])
        self.assertEqual((content.slips, len(content.problems)), (3, 1))

    def test_a_missing_frame(self):
        found = problems(joined(sound(0, 700), sound(701, 700)))
        self.assertEqual(len(found), 1)
        self.assertIn("frame 700: 1 frames of the source are missing", found[0])

    def test_a_frame_that_is_there_twice(self):
        found = problems(joined(sound(0, 700), sound(699, 700)))
        self.assertEqual(len(found), 1)
        self.assertIn("frame 700: 1 frames of the source are there twice", found[0])

    def test_a_frame_there_twice_is_not_excused_by_a_gap(self):
        found = problems(joined(sound(0, 700), silence(64), sound(699, 700)), [gap(700, 64)])
        self.assertIn("twice", found[0])

    def test_a_frame_that_was_spoiled(self):
        samples = sound(0, 1000)
        samples[500] *= 0.5
        self.assertIn("none of those", problems(samples)[0])

    def test_one_channel_is_as_good_as_none(self):
        half = sound(500, 500)
        half[:, 1] = 0
        self.assertEqual(problems(joined(half, sound(1000, 500))), [])
        content = Content(RATE)
        content.add(0, joined(sound(0, 500), half, sound(1000, 500)), RATE, [])
        self.assertEqual((content.problems, len(content.silences)), ([], 1))
        self.assertIn("not silent", problems(joined(sound(0, 500), half, sound(1000, 500)), [gap(500, 500)])[0])

    def test_a_reported_gap_is_right_filled_and_cut(self):
        self.assertEqual(problems(joined(sound(0, 700), silence(640), sound(900, 700)), [gap(700, 640)]), [])
        self.assertEqual(problems(joined(sound(0, 700), sound(900, 700)), [gap(700)]), [])

    def test_a_gap_reported_at_the_wrong_frame(self):
        self.assertEqual(len(problems(joined(sound(0, 700), sound(900, 700)), [gap(699)])), 1)
        self.assertEqual(len(problems(joined(sound(0, 700), sound(900, 700)), [gap(701)])), 1)

    def test_a_gap_reported_longer_than_it_is(self):
        found = problems(joined(sound(0, 700), silence(640), sound(900, 700)), [gap(700, 704)])
        self.assertIn("64 of 704 frames that fill a gap are not silent", found[0])

    def test_a_gap_reported_shorter_than_it_is(self):
        found = problems(joined(sound(0, 700), silence(3 * RATE), sound(900, 700)), [gap(700, 64)])
        self.assertIn("more than the gap before is reported to fill", found[0])

    def test_silence_between_one_server_and_the_next(self):
        quiet = silence(round(1.2 * RATE))
        parts = joined(sound(0, 700), silence(64), quiet, silence(64), quiet, sound(900, 700))
        second = 700 + 64 + len(quiet)
        self.assertEqual(problems(parts, [gap(700, 64), gap(second, 64)]), [])
        late = dataclasses.replace(gap(second, 64), cause="late")
        self.assertIn("more than the gap before", problems(parts, [gap(700, 64), late])[0])

    def test_sound_in_a_gap_that_is_filled(self):
        found = problems(joined(sound(0, 700), silence(30), sound(700, 700)), [gap(700, 64)])
        self.assertIn("not silent", found[0])

    def test_silence_while_nothing_was_connected_is_told_apart(self):
        content = Content(RATE)
        content.add(0, joined(sound(0, 700), silence(100), sound(800, 700)), RATE, [])
        self.assertEqual(content.problems, [])
        self.assertEqual([(part.frame, part.length) for part in content.silences], [(700, 100)])

    def test_silence_that_hides_missing_frames(self):
        found = problems(joined(sound(0, 700), silence(100), sound(801, 700)))
        self.assertIn("no gap is reported", found[0])

    def test_frames_missing_between_segments(self):
        for gaps, expected in (([], 1), ([gap(700)], 0)):
            content = Content(RATE)
            content.add(0, sound(0, 700), RATE, gaps)
            content.add(1, sound(900, 700), RATE, [])
            self.assertEqual(len(content.problems), expected)

    def test_a_recording_of_nothing(self):
        self.assertIn("nothing", problems(silence(1000))[0])

    def test_a_recording_that_ends_in_silence(self):
        self.assertIn("ends with", problems(joined(sound(0, 700), silence(3 * RATE)))[0])

    def test_sound_at_another_rate(self):
        rate = 44100

        def converted(first, frames):
            numbers = first + numpy.arange(frames) * RATE / rate
            low = (numbers % (1 << 23) + 1) * index.UNIT
            return numpy.stack([low, low], axis=1).astype(numpy.float32)

        for first in (5000, (1 << 23) - 3000):
            whole = converted(first, 10000)
            self.assertEqual(problems(whole, rate=rate), [])
            missing = numpy.delete(whole, slice(7000, 7500), axis=0)
            self.assertIn("missing", problems(missing, rate=rate)[0])
            self.assertEqual(problems(missing, [gap(7000)], rate), [])
            twice = joined(whole[:7500], whole[7000:])
            self.assertIn("twice", problems(twice, rate=rate)[0])
            ringing = whole[5000:].copy()
            ringing[:200:2] += 5000 * index.UNIT
            again = joined(whole[:5000], silence(1000), ringing)
            self.assertEqual(problems(again, [gap(5000, 1000)], rate), [])
            again[4800:5000:2, 0] += 5000 * index.UNIT
            again[5000:5600, 1] = index.UNIT
            self.assertEqual(problems(again, [gap(5000)], rate), [])


class TheLedger(unittest.TestCase):
    def setUp(self):
        self.scene = Scene()
        self.scene.join(UNIT)

    def ledger(self, frames, gaps):
        segment = sidecar.Segment("a.wav", RATE, 2, frames)
        return Ledger(sidecar.Sidecar(100.0, [segment], gaps), 0.005)

    def test_figures_that_add_up(self):
        ledger = self.ledger(4 * RATE, [gap(2 * RATE, RATE, 102.0, 1.0)])
        ledger.check_time(104.0)
        ledger.check_outages([Outage(102.0, 103.0, "a fault")], self.scene.journal)
        self.assertEqual(ledger.problems, [])

    def test_a_gap_of_the_wrong_length(self):
        for length in (0.5, 1.5):
            ledger = self.ledger(4 * RATE, [gap(2 * RATE, RATE, 102.0, length)])
            ledger.check_time(104.0)
            self.assertEqual(len(ledger.problems), 1)

    def test_a_gap_at_the_wrong_time(self):
        ledger = self.ledger(4 * RATE, [gap(2 * RATE, RATE, 102.2, 1.0)])
        ledger.check_time(104.0)
        self.assertEqual(len(ledger.problems), 2)

    def test_frames_of_which_nobody_knows(self):
        ledger = self.ledger(4 * RATE, [])
        ledger.check_time(104.2)
        self.assertIn("0.200 s too little", ledger.problems[0])

    def test_an_end_that_is_known_roughly(self):
        for latest, expected in ((104.0, 1), (104.5, 0)):
            ledger = self.ledger(round(4.3 * RATE), [])
            ledger.check_time(104.0, latest)
            self.assertEqual(len(ledger.problems), expected)

    def test_when_a_frame_was_recorded(self):
        ledger = self.ledger(4 * RATE, [gap(2 * RATE, 0, 102.0, 1.0)])
        self.assertAlmostEqual(ledger.time_of(0, RATE), 101.0)
        self.assertAlmostEqual(ledger.time_of(0, 3 * RATE), 104.0)

    def test_an_outage_that_is_not_reported(self):
        ledger = self.ledger(4 * RATE, [gap(2 * RATE, RATE, 102.0, 1.0)])
        ledger.check_outages([Outage(101.0, 101.5, "a fault")], self.scene.journal)
        self.assertIn("0.500 s are in no reported gap", ledger.problems[0])

    def test_an_outage_into_which_a_late_cycle_fell(self):
        # The first alone, and not one that came much later: then it was no outage.
        for late, gone, expected in ((0.5, 0.5, 1), (0.2, 0.2, 0), (0.22, 0.4, 1)):
            self.scene.nanoseconds = round((102 + late) * 1e9)
            self.scene.cycle()
            ledger = self.ledger(4 * RATE, [gap(2 * RATE, RATE, 102 + gone, 1 - gone)])
            ledger.check_outages([Outage(102.0, 103.0, "a fault")], self.scene.journal)
            self.assertEqual(len(ledger.problems), expected)

    def test_freewheel_may_run_ahead_but_not_behind(self):
        wheel = [Outage(101.0, 101.5, "freewheel")]
        ahead, behind = self.ledger(9 * RATE, []), self.ledger(3 * RATE, [])
        ahead.check_time(104.0, freewheels=wheel)
        behind.check_time(104.0, freewheels=wheel)
        self.assertEqual((len(ahead.problems), len(behind.problems)), (0, 1))

    def test_freewheel_that_was_slower_than_the_clock_is_as_long_as_the_log_tells(self):
        for length, expected in ((0.4, 0), (0.2, 1)):
            ledger = self.ledger(4 * RATE, [])
            ledger.log.freewheels = [sidecar.Freewheel(0, 2 * RATE, RATE // 10, 102.0, length)]
            ledger.check_time(104.3)
            self.assertEqual(len(ledger.problems), expected, ledger.problems)

    def test_a_gap_without_a_fault(self):
        ledger = self.ledger(4 * RATE, [gap(2 * RATE, RATE, 102.0, 1.0)])
        self.assertEqual(len(ledger.unexplained([Outage(110.0, 111.0, "a fault")])), 1)
        self.assertEqual(ledger.unexplained([Outage(101.9, 103.0, "a fault")]), [])


class TheFiles(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "a.wav")
        soundfile.write_counted(self.path, 1000, RATE)

    def bytes(self):
        with open(self.path, "rb") as file:
            return bytearray(file.read())

    def keep(self, content):
        with open(self.path, "wb") as file:
            file.write(content)

    def test_a_whole_file(self):
        file = soundfile.SoundFile(self.path)
        self.assertEqual((file.rate, file.channels, file.frames), (RATE, 2, 1000))
        self.assertEqual(problems(file.samples), [])

    def test_a_file_that_was_cut_off(self):
        for length in (0, 11, 30, 43, 44 + 4000):
            self.keep(self.bytes()[:length])
            with self.assertRaises(soundfile.BadFile):
                soundfile.SoundFile(self.path)
            soundfile.write_counted(self.path, 1000, RATE)

    def test_a_header_that_was_never_finished(self):
        content = self.bytes()
        struct.pack_into("<I", content, 40, 0)
        self.keep(content)
        with self.assertRaises(soundfile.BadFile):
            soundfile.SoundFile(self.path)

    def test_sound_that_the_header_does_not_tell_of(self):
        self.keep(self.bytes() + bytes(800))
        with self.assertRaises(soundfile.BadFile):
            soundfile.SoundFile(self.path)

    def test_sound_that_the_header_does_not_tell_of_yet(self):
        self.keep(self.bytes() + bytes(800))
        self.assertEqual(soundfile.SoundFile(self.path, 800).frames, 1000)
        self.assertEqual(soundfile.frames_by_libsndfile(self.path), 1000)
        with self.assertRaises(soundfile.BadFile):
            soundfile.SoundFile(self.path, 799)

    def test_a_file_that_libsndfile_cannot_open(self):
        self.keep(self.bytes()[:30])
        self.assertIsNone(soundfile.frames_by_libsndfile(self.path))

    def log(self, **changes):
        part = {
            "segment": 1, "frame": 500, "wallTime": "2026-01-01T00:00:00Z", "monotonicNanoseconds": 2_000_000_000,
            "cause": "reset", "lengthNanoseconds": 1_000_000_000, "lengthFrames": RATE, "filledFrames": 200,
        }
        part.update(changes)
        content = {
            "schema": "iounit.recording/1", "start": {"wallTime": "", "monotonicNanoseconds": 1_000_000_000},
            "segments": [{"path": "a.wav", "sampleRate": RATE, "channels": 2, "frames": 1000}], "gaps": [part], "freewheels": [],
        }
        with open(sidecar.path_of(self.path), "w", encoding="utf-8") as file:
            json.dump(content, file)
        return sidecar.read(self.path)

    def test_a_log_that_is_right(self):
        log = self.log()
        self.assertEqual((log.start, log.gaps[0].start, log.gaps[0].length), (1.0, 2.0, 1.0))
        self.assertEqual(log.segments[0].path, self.path)

    def test_a_log_that_contradicts_itself(self):
        for changes in (
                {"segment": 0}, {"segment": 2}, {"frame": 1001}, {"frame": 900}, {"cause": "fate"},
                {"lengthFrames": 47000}, {"lengthNanoseconds": -1}, {"frame": None}, {"filledFrames": -1}):
            with self.subTest(changes), self.assertRaises(sidecar.BadSidecar):
                self.log(**changes)

    def test_a_log_that_is_not_there(self):
        with self.assertRaises(sidecar.BadSidecar):
            sidecar.read(self.path)


if __name__ == "__main__":
    unittest.main()
