"""Each script of Tools explains itself; those that read their own options refuse one that they do not know before they do anything."""

import os
import subprocess
import unittest

TOOLS = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "Tools")
# `iounit` is the command, and `debian` holds files of a package.
NAMES = sorted(set(os.listdir(TOOLS)) - {"debian", "iounit"})


class Tools(unittest.TestCase):
    def run_tool(self, name, *words):
        return subprocess.run([os.path.join(TOOLS, name), *words], capture_output=True, text=True, timeout=60, check=False)

    def test_explain_themselves_by_the_long_and_the_short_option(self):
        for name in NAMES:
            for word in ("--help", "-h"):
                result = self.run_tool(name, word)
                self.assertEqual((result.returncode, result.stderr), (0, ""), f"{name} {word}")
                self.assertTrue(result.stdout.startswith(f"usage: Tools/{name}"), f"{name} {word}: {result.stdout}")

    def test_refuse_an_option_that_they_do_not_know(self):
        for name in ("check", "compile-failures", "documentation", "disassembly", "fuzz", "install", "package", "setup"):
            result = self.run_tool(name, "--no-such-option")
            self.assertEqual((result.returncode, result.stdout), (64, ""), f"{name}: {result.stderr}")
        result = self.run_tool("fuzz", "--minutes")
        self.assertEqual((result.returncode, result.stderr), (64, "fuzz: --minutes needs a value; see Tools/fuzz --help\n"))
        result = self.run_tool("fuzz", "--minutes=1", "--such=2")
        self.assertEqual((result.returncode, result.stderr), (64, 'fuzz: there is no option "--such"; see Tools/fuzz --help\n'))


if __name__ == "__main__":
    unittest.main()
