"""Whether the witness changes what it watches."""

import os
import subprocess
import unittest

import programs
from witness import Witness


class TheWitness(unittest.TestCase):
    def test_the_unit_guards_itself_as_it_does_without_it(self):
        # It has functions of libjack's names, which a program finds before libjack's own.
        program = programs.iounit()
        witness = Witness(programs.witness())
        self.addCleanup(witness.close)
        words = witness.words
        done = subprocess.run(
            [program, "--version", "--verbose"], env={**os.environ, **words["environment"]},
            pass_fds=words["descriptors"], timeout=60, capture_output=True, text=True, check=True)
        self.assertIn("guard in place", done.stdout)


if __name__ == "__main__":
    unittest.main()
