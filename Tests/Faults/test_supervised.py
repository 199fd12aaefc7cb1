"""The deadline of a tool, and what it shows of its own threads and of other processes."""

import os
import subprocess
import sys
import unittest
from unittest import mock

import chaos
import processes
import programs
import supervised

HERE = os.path.dirname(os.path.abspath(__file__))


class Supervision(unittest.TestCase):
    def test_shows_what_a_process_waits_for(self):
        sleeper = subprocess.Popen(["sleep", "1000"])
        self.addCleanup(sleeper.wait)
        self.addCleanup(sleeper.kill)
        self.assertTrue(processes.wait_until(lambda: "clock_nanosleep" in supervised.stacks(sleeper.pid), 60))

    def test_shows_where_a_tool_hangs_and_ends_it(self):
        done = subprocess.run(
            [sys.executable, "-c", "import supervised, time\nsupervised.within(1, 'tool')\ntime.sleep(1000)"], cwd=HERE,
            capture_output=True, text=True, timeout=200, check=False, env={**os.environ, "DEADLINE_FACTOR": "1"})
        self.assertEqual(done.returncode, 124)
        self.assertIn("tool did not end in 1 s", done.stderr)
        self.assertIn('File "<string>", line 3 in <module>', done.stderr)

    def test_has_an_eye_on_the_chaos(self):
        with mock.patch.multiple(
                programs, iounit=mock.DEFAULT, counter=mock.DEFAULT, given=programs.given, configuration="release"), \
                mock.patch("signal.signal"), mock.patch("supervised.within") as within, \
                mock.patch("chaos.run_one", side_effect=SystemExit), self.assertRaises(SystemExit):
            chaos.main(["--minutes", "2"])
        within.assert_called_once_with(120 + chaos.GRACE_SECONDS, "chaos")


if __name__ == "__main__":
    unittest.main()
