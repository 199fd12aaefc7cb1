"""Tools/install: what it installs runs without Swift, and leaves nothing when it is removed."""

import json
import os
import shutil
import subprocess
import tempfile
import unittest

from installation import ROOT, bare, files, libraries, tool


class Installation(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.prefix = os.path.join(cls.folder, "a prefix")
        result = tool("install", "--prefix", cls.prefix)
        if result.returncode != 0:
            raise AssertionError(result.stderr)
        cls.said = result
        cls.program = os.path.join(cls.prefix, "bin/iounit")

    def listed(self, prefix):
        with open(os.path.join(prefix, "share/iounit/installed"), encoding="utf-8") as file:
            return file.read().splitlines()

    def test_installs_a_probe_that_sees_what_a_plug_in_does(self):
        run = bare(self.program, "plugin", "check", "http://hyperglitch.com/dev/VocProc", "--json")
        self.assertEqual(run.returncode, 1, run.stderr)
        findings = json.loads(run.stdout)["plugins"][0]["findings"]
        self.assertIn("allocation", {finding["finding"] for finding in findings})

    def test_lists_all_that_it_installs(self):
        self.assertEqual(set(self.listed(self.prefix)), files(self.prefix) | {"./"})
        self.assertRegex(self.said.stdout, r"^installed iounit \d+\.\d+\.\d+ in .*/a prefix\n$")
        self.assertIn("is not in your PATH", self.said.stderr)

    def test_installs_a_program_that_runs_without_swift(self):
        build = os.path.join(ROOT, ".build/release/iounit")
        expected = subprocess.run([build, "--version", "--verbose"], capture_output=True, text=True, timeout=60).stdout
        self.assertEqual(bare(self.program, "--version", "--verbose").stdout, expected)
        loaded = libraries(self.program)
        self.assertIn("libjack.so.0", loaded)
        self.assertEqual([name for name, path in loaded.items() if "not found" in path or "swift" in (name + path).lower()], [])
        run = bare(self.program, "monitor", "--dummy", "--source", "tone", "--seconds", "0.3", "--json")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertGreater(json.loads(run.stdout)["cycles"], 0)

    def test_installs_a_program_without_icu_and_core_foundation(self):
        # Which Foundation would bring: time at each start, and 40 MB. FoundationEssentials does without them.
        with open(self.program, "rb") as file:
            program = file.read()
        self.assertIn(b"FoundationEssentials", program)
        self.assertEqual([name for name in (b"icudt", b"CFRunLoop", b"libFoundation.so") if name in program], [])

    def test_installs_a_page_of_each_subcommand_and_the_completions(self):
        names = bare(self.program, "help", "--man").stdout.split()
        self.assertGreater(len(names), 15)
        for name in names:
            path = os.path.join(self.prefix, "share/man", "man" + name[-1], name)
            found = subprocess.run(
                ["man", "-M", os.path.join(self.prefix, "share/man"), "-w", name[:-2]], capture_output=True, text=True,
                timeout=60)
            self.assertEqual(found.stdout.strip(), path, found.stderr)
        for place, shell in [
                ("bash-completion/completions/iounit", "bash"), ("zsh/site-functions/_iounit", "zsh"),
                ("fish/vendor_completions.d/iounit.fish", "fish")]:
            with open(os.path.join(self.prefix, "share", place), encoding="utf-8") as file:
                self.assertEqual(file.read(), bare(self.program, "help", "--completion", shell).stdout)

    def test_leaves_nothing_when_it_is_removed_and_touches_nothing_else(self):
        place = os.path.join(self.folder, "removed")
        os.makedirs(os.path.join(place, "bin"))
        own = ["bin/own", "share/man/man1/own.1"]
        self.assertEqual(tool("install", "--prefix", place).returncode, 0)
        for name in own:
            with open(os.path.join(place, name), "w", encoding="utf-8") as file:
                file.write("mine")
        # Over itself: what this version lacks goes, and the folders that were made are still known.
        old = os.path.join(place, "share/iounit/old")
        with open(old, "w", encoding="utf-8") as file:
            file.write("of an earlier version")
        with open(os.path.join(place, "share/iounit/installed"), "a", encoding="utf-8") as file:
            file.write("share/iounit/old\n")
        self.assertEqual(tool("install", "--prefix", place).returncode, 0)
        self.assertFalse(os.path.exists(old))
        self.assertEqual(tool("install", "--prefix", place, "--uninstall").returncode, 0)
        self.assertEqual(
            files(place), {*own, "bin/", "share/", "share/man/", "share/man/man1/"})
        result = tool("install", "--prefix", place, "--uninstall")
        self.assertEqual(result.returncode, 66)
        self.assertIn("nothing was installed there", result.stderr)

    def test_that_made_its_prefix_removes_it_too_and_takes_its_root_from_outside(self):
        root = os.path.join(self.folder, "root")
        os.mkdir(root)
        self.assertEqual(tool("install", "--prefix", "/opt/iounit", DESTDIR=root).returncode, 0)
        self.assertEqual(bare(os.path.join(root, "opt/iounit/bin/iounit"), "--version").returncode, 0)
        self.assertEqual(tool("install", "--prefix", "/opt/iounit", "--uninstall", DESTDIR=root).returncode, 0)
        self.assertEqual(files(root), {"opt/"})

    def test_removes_nothing_outside(self):
        place = os.path.join(self.folder, "forged")
        os.makedirs(os.path.join(place, "share/iounit"))
        victim = os.path.join(self.folder, "victim")
        for line in ["../victim", "share/../../victim", victim]:
            with open(victim, "w", encoding="utf-8") as file:
                file.write("mine")
            with open(os.path.join(place, "share/iounit/installed"), "w", encoding="utf-8") as file:
                file.write(line + "\n")
            result = tool("install", "--prefix", place, "--uninstall")
            self.assertEqual(result.returncode, 65, line)
            self.assertIn(f'line 1 of {place}/share/iounit/installed, "{line}", is nothing below', result.stderr)
            self.assertTrue(os.path.exists(victim))

    def test_removes_nothing_where_its_list_has_been_damaged(self):
        place = os.path.join(self.folder, "damaged")
        os.makedirs(os.path.join(place, "share/iounit"))
        listed = ["share/", "share/iounit/", "share/iounit/installed", "../elsewhere", "share/iounit/one"]
        for name in ["installed", "one"]:
            with open(os.path.join(place, "share/iounit", name), "w", encoding="utf-8") as file:
                file.write("\n".join(listed))
        before = files(place)
        for words in [["--uninstall"], []]:
            result = tool("install", "--prefix", place, *words)
            self.assertEqual(result.returncode, 65, result.stderr)
            self.assertIn('line 4 of', result.stderr)
            self.assertEqual(files(place), before)
        # Repaired, and without an end of its last line.
        listed.remove("../elsewhere")
        with open(os.path.join(place, "share/iounit/installed"), "w", encoding="utf-8") as file:
            file.write("\n".join(listed))
        self.assertEqual(tool("install", "--prefix", place, "--uninstall").returncode, 0)
        self.assertEqual(files(place), set())

    def test_changes_nothing_where_a_folder_stands_in_a_files_place(self):
        place = os.path.join(self.folder, "taken")
        os.makedirs(os.path.join(place, "share/zsh/site-functions/_iounit"))
        before = files(place)
        result = tool("install", "--prefix", place)
        self.assertEqual(result.returncode, 73, result.stderr)
        self.assertIn("site-functions/_iounit is a folder, where a file of iounit belongs", result.stderr)
        self.assertEqual(files(place), before)

    def test_that_ended_half_way_can_be_removed(self):
        place = os.path.join(self.folder, "half")
        # As a disk that is full at the probe.
        full = os.path.join(self.folder, "full")
        os.makedirs(full)
        with open(os.path.join(full, "install"), "w", encoding="utf-8") as file:
            file.write('#!/bin/sh\ncase "$*" in *pluginprobe*) exit 1;; esac\nexec /usr/bin/install "$@"\n')
        os.chmod(os.path.join(full, "install"), 0o755)
        result = tool("install", "--prefix", place, PATH=full + ":" + os.environ["PATH"])
        self.assertEqual(result.returncode, 74, result.stderr)
        self.assertIn("libexec/iounit/pluginprobe could not be written; --uninstall removes", result.stderr)
        self.assertIn("share/iounit/installed", files(place))
        # As one that was killed between writing a file and naming it.
        os.makedirs(os.path.join(place, "bin"), exist_ok=True)
        with open(os.path.join(place, "bin/iounit.new"), "w", encoding="utf-8") as file:
            file.write("half of it")
        self.assertEqual(tool("install", "--prefix", place, "--uninstall").returncode, 0)
        self.assertEqual(os.path.exists(place), False)

    def test_says_where_it_may_not_write_before_it_does_anything(self):
        place = os.path.join(self.folder, "locked")
        os.mkdir(place, 0o555)
        os.chmod(self.folder, 0o755)
        # Root may write everywhere.
        words = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if os.geteuid() == 0 else []
        script = os.path.join(self.folder, "Tools/install")
        os.makedirs(os.path.dirname(script))
        shutil.copy(os.path.join(ROOT, "Tools/install"), script)
        result = subprocess.run(
            [*words, script, "--prefix", place], capture_output=True, text=True, timeout=60, cwd="/")
        self.assertEqual(result.returncode, 77, result.stderr)
        self.assertIn(f"you may not write in {place}; choose a folder of your own", result.stderr)
        self.assertEqual(files(place), set())
        result = tool("install", "--prefix", os.path.join(self.program, "below"))
        self.assertEqual(result.returncode, 73)
        self.assertIn("is no folder", result.stderr)

    def test_takes_a_tilde_for_the_home_where_no_shell_has(self):
        home = os.path.join(self.folder, "nobody's home")
        for prefix, place in [("~/.local", f" {home}/.local"), ("~", f" {home}"), ("~ada", "/~ada")]:
            result = tool("install", "--prefix=" + prefix, "--uninstall", HOME=home)
            self.assertEqual(result.returncode, 66, result.stderr)
            self.assertIn(f"{place}/share/iounit/installed: nothing was installed there", result.stderr)

    def test_refuses_words_that_it_does_not_know(self):
        for words in [["--perfix", "/x"], ["--prefix"], ["--prefix", ""], ["here"]]:
            self.assertEqual(tool("install", *words).returncode, 64, words)

    def test_links_the_runtime_though_the_description_of_the_build_is_another_ones(self):
        # As after the tests, whose last stage builds another package in the same place.
        description = os.path.join(ROOT, ".build/release.yaml")
        with open(description, encoding="utf-8") as file:
            text = file.read()
        self.assertIn('"-static-stdlib",', text)
        with open(description, "w", encoding="utf-8") as file:
            file.write(text.replace('"-static-stdlib",', ""))
        place = os.path.join(self.folder, "again")
        result = tool("standalone", place)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(bare(os.path.join(place, "bin/iounit"), "--version").returncode, 0)

    def test_can_bring_the_shared_runtime_instead(self):
        place = os.path.join(self.folder, "bundle")
        result = tool("standalone", "--bundle", place)
        self.assertEqual(result.returncode, 0, result.stderr)
        moved = os.path.join(self.folder, "moved")
        os.rename(place, moved)
        program = os.path.join(moved, "bin/iounit")
        self.assertEqual(bare(program, "--version").returncode, 0)
        swift = {name: path for name, path in libraries(program).items() if "swift" in name.lower()}
        self.assertIn("libswiftCore.so", swift)
        self.assertNotIn("libFoundation.so", libraries(program))
        for path in swift.values():
            self.assertEqual(os.path.realpath(os.path.dirname(path)), os.path.join(moved, "lib/iounit"))


if __name__ == "__main__":
    unittest.main()
