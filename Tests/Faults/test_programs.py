"""How the command is built that the tools run."""

import os
import tempfile
import unittest
import unittest.mock

import programs


class TheCommand(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        # There is no compiler: but for its launcher, nothing builds the command.
        for patch in (
                unittest.mock.patch.object(programs, "ROOT", self.folder),
                unittest.mock.patch.object(programs, "given", None),
                unittest.mock.patch.dict(os.environ, {"PATH": self.folder})):
            patch.start()
            self.addCleanup(patch.stop)

    def launch(self, text):
        """The path of the command, for which the launcher does so."""
        launcher = os.path.join(self.folder, "Tools", "iounit")
        os.mkdir(os.path.dirname(launcher))
        with open(launcher, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/bash\n{text}\n")
        os.chmod(launcher, 0o755)
        return programs.iounit.__wrapped__()

    def test_is_built_by_its_launcher(self):
        self.assertEqual(
            self.launch('[[ $* == --version ]] && : > "${0%/*}/called"'), os.path.join(self.folder, ".build/release/iounit"))
        self.assertTrue(os.path.exists(os.path.join(self.folder, "Tools", "called")))

    def test_that_does_not_compile_says_why(self):
        with self.assertRaisesRegex(programs.NotBuilt, "^error: planted\n$"):
            self.launch("echo error: planted >&2; exit 70")


if __name__ == "__main__":
    unittest.main()
