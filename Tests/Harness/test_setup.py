"""Tools/setup: what cannot be installed is named, with what to try."""

import os
import shutil
import subprocess
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Setup(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.program("swift", "")
        # As for somebody who is not root; sudo hands on no environment.
        self.program("id", "echo ${USER_ID:-1000}")
        self.program("sudo", 'exec env -u DEBIAN_FRONTEND -u LC_ALL "$@"')
        # All is there but one.
        self.program("dpkg-query", 'for name; do [[ $name == libsoxr-dev ]] || echo "$name installed"; done; exit 1')

    def program(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/bash\n{text}\n")
        os.chmod(path, 0o755)

    def run_setup(self, *words, root=ROOT, **environment):
        return subprocess.run(
            [os.path.join(root, "Tools/setup"), *words], capture_output=True, text=True, timeout=60,
            env={**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}", **environment})

    def calls(self):
        """What apt-get has noted."""
        with open(os.path.join(self.folder, "calls"), encoding="utf-8") as file:
            return file.read().splitlines()

    def test_installs_what_is_missing_and_no_more(self):
        self.program("apt-get", f'echo "$*" >> {self.folder}/calls')
        self.assertEqual(self.run_setup().returncode, 0)
        self.assertEqual([self.calls()[0], len(self.calls())], ["update -q", 2])
        self.assertRegex(self.calls()[1], "^install -y -q --no-install-recommends (-o [^ ]+ )?libsoxr-dev$")

    def test_installs_without_a_question_and_in_the_language_that_it_reads(self):
        self.program("apt-get", f'echo "$1 $DEBIAN_FRONTEND $LC_ALL" >> {self.folder}/calls')
        for user in ("0", "1000"):
            self.assertEqual(self.run_setup(USER_ID=user, LC_ALL="C.UTF-8").returncode, 0)
        self.assertEqual(self.calls(), ["update noninteractive C", "install noninteractive C"] * 2)

    def test_without_a_network_names_the_package_and_what_to_try(self):
        self.program("apt-get", '[[ "$1" == install ]] || { echo "E: Temporary failure resolving"; exit 100; }')
        result = self.run_setup()
        self.assertEqual((result.returncode, result.stdout), (69, ""))
        self.assertRegex(result.stderr, "libsoxr-dev could not be installed; .*apt-get install libsoxr-dev\n$")

    def test_waits_for_another_update(self):
        self.program(
            "apt-get",
            f'echo "$1" >> {self.folder}/calls; [[ $(wc -l < {self.folder}/calls) -gt 1 ]] || {{ '
            'echo "E: Could not get lock /var/lib/apt/lists/lock. It is held by process 1 (apt-get)"; exit 100; }')
        result = self.run_setup()
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.calls(), ["update", "update", "install"])

    def test_names_a_package_that_there_is_not(self):
        self.program("apt-get", '[[ "$1" == update ]] || { echo "E: Unable to locate package libsoxr-dev"; exit 100; }')
        result = self.run_setup()
        self.assertEqual(result.returncode, 69)
        self.assertIn("setup: Debian does not offer libsoxr-dev here", result.stderr)

    def test_without_jackd1s_library_names_it_and_what_to_try(self):
        # In a checkout that has the Python of the tests and nothing else.
        root = os.path.join(self.folder, "checkout")
        os.makedirs(os.path.join(root, ".build/python/bin"))
        os.mkdir(os.path.join(root, "Tools"))
        shutil.copy(os.path.join(ROOT, "Tools/setup"), os.path.join(root, "Tools/setup"))
        self.program("checkout/.build/python/bin/python", "")
        self.program("apt-get", '[[ "$1" != download ]] || { echo "E: Failed to fetch it"; exit 100; }')
        result = self.run_setup("--tests", root=root)
        self.assertEqual((result.returncode, result.stdout), (69, ""))
        self.assertRegex(
            result.stderr, "E: Failed to fetch it\nsetup: the package libjack0 could not be had; .* try: sudo apt-get update "
            "&& apt-get download libjack0\n$")

    def test_refuses_a_word_that_it_does_not_know(self):
        result = self.run_setup("--test")
        self.assertEqual((result.returncode, result.stderr), (64, 'setup: "--test" is no option; see Tools/setup --help\n'))


if __name__ == "__main__":
    unittest.main()
