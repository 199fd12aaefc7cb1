"""Tools/package: a package that Debian's own tools have nothing to say against."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest

from installation import bare, files, libraries, tool

# Nobody keeps the package: its size is of no use.
MAKER = {"DEBFULLNAME": "A Maintainer", "DEBEMAIL": "someone@example.org", "DPKG_DEB_COMPRESSOR_LEVEL": "0"}


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        result = tool("package", "-o", cls.folder, **MAKER)
        if result.returncode != 0:
            raise AssertionError(result.stderr)
        cls.package = result.stdout.strip()
        cls.tree = os.path.join(cls.folder, "tree")
        subprocess.run(["dpkg-deb", "--extract", cls.package, cls.tree], check=True, timeout=120)
        cls.program = os.path.join(cls.tree, "usr/bin/iounit")

    def field(self, name):
        return subprocess.run(
            ["dpkg-deb", "--field", self.package, name], capture_output=True, text=True, timeout=60).stdout.strip()

    def test_has_the_programs_version_and_what_it_depends_on(self):
        version = bare(self.program, "--version").stdout.split()[1]
        self.assertEqual(self.field("Version"), version)
        architecture = subprocess.run(["dpkg", "--print-architecture"], capture_output=True, text=True).stdout.strip()
        self.assertEqual(os.path.basename(self.package), f"iounit_{version}_{architecture}.deb")
        self.assertEqual(self.field("Maintainer"), "A Maintainer <someone@example.org>")
        depends = self.field("Depends")
        for package in ["libjack-jackd2-0", "libc6", "libflac12", "liblilv-0-0", "libmp3lame0", "libmpg123-0", "libopus0",
                        "libsamplerate0", "libsndfile1", "libsoxr0"]:
            self.assertIn(package, depends)
        # What only some runs need, and is loaded by them.
        self.assertEqual(
            self.field("Recommends"),
            "jackd2 | jackd, liblo7, libpng16-16, libshout3, libspeexdsp1, libwebrtc-audio-processing1, libwebsockets17")
        for package in ["libshout3", "libwebsockets17", "libssl3"]:
            self.assertNotIn(package, depends)
        self.assertNotIn("swift", " ".join(libraries(self.program)).lower())
        changes = bare("/usr/bin/zcat", os.path.join(self.tree, "usr/share/doc/iounit/changelog.gz")).stdout
        self.assertRegex(changes, rf"^iounit \({re.escape(version)}\) \w+; urgency=\w+\n\n  \* ")
        self.assertEqual(
            bare("/usr/bin/dpkg-parsechangelog", "-l", self.unpacked(changes), "-S", "Version").stdout.strip(), version)

    def unpacked(self, text):
        path = os.path.join(self.folder, "changelog")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def test_has_manual_completions_and_copyright_where_debian_looks(self):
        found = files(self.tree)
        pages = {f"usr/share/man/man{name[-1]}/{name}.gz" for name in bare(self.program, "help", "--man").stdout.split()}
        self.assertEqual({name for name in found if name.endswith(".gz")}, pages | {"usr/share/doc/iounit/changelog.gz"})
        for name in [
                "share/bash-completion/completions/iounit", "share/zsh/vendor-completions/_iounit",
                "share/fish/vendor_completions.d/iounit.fish", "share/doc/iounit/copyright"]:
            self.assertIn(f"usr/{name}", found)
        self.assertNotIn("usr/share/iounit/", found)
        with open(os.path.join(self.tree, "usr/share/doc/iounit/copyright"), encoding="utf-8") as file:
            self.assertIn("has not chosen a licence yet", file.read())

    def test_is_one_that_lintian_accepts(self):
        result = subprocess.run(
            ["lintian", "--allow-root", "--fail-on", "error,warning", self.package],
            capture_output=True, text=True, timeout=300)
        self.assertEqual((result.returncode, result.stdout), (0, ""), result.stderr)

    def test_is_the_same_when_it_is_made_again(self):
        other = os.path.join(self.folder, "other.deb")
        result = tool("package", "-o", other, **MAKER)
        self.assertEqual((result.returncode, result.stdout), (0, other + "\n"), result.stderr)
        with open(self.package, "rb") as first, open(other, "rb") as second:
            self.assertTrue(first.read() == second.read())

    def test_says_before_it_builds_that_no_commit_names_a_maintainer(self):
        result = tool("package", GIT_DIR="/nonexistent", DEBFULLNAME="A Maintainer", DEBEMAIL="")
        self.assertEqual(result.returncode, 65, result.stderr)
        self.assertIn("set DEBFULLNAME and DEBEMAIL", result.stderr)

    def test_refuses_words_that_it_does_not_know(self):
        for words in [["-o"], ["-o", ""], ["here"], ["-o", "a", "b"]]:
            self.assertEqual(tool("package", *words).returncode, 64, words)


if __name__ == "__main__":
    unittest.main()
