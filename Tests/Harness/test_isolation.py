"""Isolation: a command sees no other shared memory and no other semaphores, or says that it does."""

import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ISOLATED = [sys.executable, os.path.join(HERE, "isolation.py")]
# Root without any right, for whom the kernel makes no namespace.
POWERLESS = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"]


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    return done.returncode, done.stdout, done.stderr


class Isolation(unittest.TestCase):
    def setUp(self):
        self.foreign = tempfile.NamedTemporaryFile(dir="/dev/shm", prefix="harness-")
        self.addCleanup(self.foreign.close)

    def test_hides_what_is_not_ours(self):
        code, out, err = run(*ISOLATED, "sh", "-c", "ls -A /dev/shm; readlink /proc/self/ns/ipc; id -u; exit 3")
        if err:
            self.skipTest(err)
        own = f"{os.readlink('/proc/self/ns/ipc')}"
        self.assertEqual(code, 3)
        self.assertNotIn(own, out)
        self.assertEqual(out.splitlines()[1:], [str(os.getuid())])
        self.assertNotIn(os.path.basename(self.foreign.name), out)

    @unittest.skipIf(os.getuid() != 0, "only root can give up rights")
    def test_that_is_not_permitted_is_said_in_one_line_and_the_command_runs(self):
        code, out, err = run(*POWERLESS, *ISOLATED, "sh", "-c", "ls /dev/shm; exit 3")
        self.assertEqual(code, 3)
        self.assertIn(os.path.basename(self.foreign.name), out)
        self.assertRegex(err, r"\Aisolation: other JACK servers of this machine are in reach: [^\n]+\n\Z")


if __name__ == "__main__":
    unittest.main()
