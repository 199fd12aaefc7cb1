"""Tools/iounit: it builds when something changed, and only then."""

import os
import shutil
import subprocess
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# A swift that counts the builds, and builds a program that says which of them it is from.
SWIFT = r"""#!/bin/bash
echo "$PWD $*" >> "$BUILDS"
[[ -z "$BROKEN" ]] || { echo "error: planted"; exit 1; }
# No build is so short that the clock of the files stands still.
tick() { touch .build/a; until touch .build/b; [[ .build/b -nt .build/a ]]; do :; done; rm .build/a .build/b; }
tick
[[ -z "$EDITED" ]] || echo >> "$EDITED"
tick
mkdir -p .build/release
number=$(wc -l < "$BUILDS")
printf '#!/bin/bash\necho "build %s: $*"\n' "$number" > .build/release/new
chmod +x .build/release/new
mv .build/release/new .build/release/iounit
"""


class Launcher(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.checkout = self.path("checkout")
        os.makedirs(os.path.join(self.checkout, "Tools"))
        os.makedirs(os.path.join(self.checkout, "Sources/unit"))
        os.makedirs(os.path.join(self.checkout, ".build"))
        shutil.copy(os.path.join(ROOT, "Tools/iounit"), os.path.join(self.checkout, "Tools/iounit"))
        self.write("checkout/Tools/setup", "#!/bin/bash\n", 0o755)
        self.write("checkout/Package.swift", "// a manifest\n")
        self.write("checkout/Sources/unit/One.swift", "let one = 1\n")
        self.write("checkout/Sources/unit/Two.swift", "let two = 2\n")
        self.write("bin/swift", SWIFT, 0o755)
        # Another program may install a package of Debian's at any time.
        self.write("dpkg/status", "Package: one\n")
        self.environment = {
            **os.environ, "PATH": f"{self.path('bin')}:{os.environ['PATH']}", "BUILDS": self.path("builds"),
            "DPKG_ADMINDIR": self.path("dpkg")}
        for name in ("RTSAN", "FUZZ", "PKG_CONFIG_PATH"):
            self.environment.pop(name, None)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def write(self, name, text, mode=0o644):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(self.path(name), mode)

    def builds(self):
        if not os.path.exists(self.path("builds")):
            return 0
        with open(self.path("builds"), encoding="utf-8") as file:
            return len(file.readlines())

    def run_launcher(self, *words, checkout=None, **environment):
        return subprocess.run(
            [os.path.join(checkout or self.checkout, "Tools/iounit"), *words], cwd=self.folder, capture_output=True,
            text=True, timeout=60, env={**self.environment, **environment})

    def assert_builds(self, count, **options):
        result = self.run_launcher(**options)
        self.assertEqual((result.returncode, self.builds()), (0, count), result.stderr)

    def test_builds_once_and_runs_with_the_words_and_the_folder_of_the_caller(self):
        result = self.run_launcher("ports", "a b")
        self.assertEqual((result.returncode, result.stdout), (0, "build 1: ports a b\n"))
        self.assertIn("building it for the first time", result.stderr)
        result = self.run_launcher("--version")
        self.assertEqual((result.stdout, result.stderr, self.builds()), ("build 1: --version\n", "", 1))
        os.symlink(os.path.join(self.checkout, "Tools/iounit"), self.path("link"))
        linked = subprocess.run([self.path("link")], capture_output=True, text=True, timeout=60, env=self.environment)
        self.assertEqual((linked.stdout, self.builds()), ("build 1: \n", 1))

    def test_builds_after_a_source_was_written(self):
        self.assert_builds(1)
        self.write("checkout/Sources/unit/One.swift", "let one = 11\n")
        self.assert_builds(2)
        self.assert_builds(2)

    def test_builds_after_a_source_was_added_removed_or_renamed(self):
        self.assert_builds(1)
        self.write("checkout/Sources/unit/Three.swift", "let three = 3\n")
        self.assert_builds(2)
        os.remove(self.path("checkout/Sources/unit/Two.swift"))
        self.assert_builds(3)
        os.rename(self.path("checkout/Sources/unit/Three.swift"), self.path("checkout/Sources/unit/Four.swift"))
        self.assert_builds(4)
        self.assert_builds(4)

    def test_builds_after_a_file_came_with_an_old_date(self):
        self.assert_builds(1)
        self.write("old.swift", "let one = 0\n")
        os.utime(self.path("old.swift"), (1e9, 1e9))
        shutil.copy2(self.path("old.swift"), self.path("checkout/Sources/unit/One.swift"))
        self.assert_builds(2)

    def test_builds_after_the_manifest_the_set_up_the_packages_or_the_compiler_changed(self):
        self.assert_builds(1)
        changes = ["checkout/Package.swift", "checkout/Tools/setup", "dpkg/status", "bin/swift"]
        for count, name in enumerate(changes, start=2):
            with open(self.path(name), "a", encoding="utf-8") as file:
                file.write("\n")
            self.assert_builds(count)
            self.assert_builds(count)

    def test_builds_with_another_compiler_in_front(self):
        self.assert_builds(1)
        self.write("other/swift", SWIFT, 0o755)
        self.assert_builds(2, PATH=f"{self.path('other')}:{self.environment['PATH']}")

    def test_builds_under_other_settings_of_the_manifest(self):
        self.assert_builds(1)
        self.assert_builds(2, RTSAN="1")
        self.assert_builds(3)

    def test_builds_after_the_program_was_replaced_or_removed(self):
        self.assert_builds(1)
        self.write("checkout/.build/release/iounit", "#!/bin/bash\n", 0o755)
        self.assert_builds(2)
        os.remove(self.path("checkout/.build/release/iounit"))
        self.assert_builds(3)

    def test_builds_in_a_copy_of_the_checkout(self):
        self.assert_builds(1)
        shutil.copytree(self.checkout, self.path("copy"))
        self.assert_builds(2, checkout=self.path("copy"))
        self.assert_builds(2)

    def test_builds_again_what_was_edited_during_the_build(self):
        self.assert_builds(1, EDITED=self.path("checkout/Sources/unit/Two.swift"))
        self.assert_builds(2)
        self.assert_builds(2)

    def test_whose_build_fails_says_why_and_builds_again(self):
        result = self.run_launcher(BROKEN="1")
        self.assertEqual((result.returncode, result.stdout, self.builds()), (70, "", 1))
        self.assertIn("error: planted\niounit: the build failed; see above\n", result.stderr)
        self.assert_builds(2)
        self.write("checkout/Package.swift", "// another one\n")
        self.assertEqual(self.run_launcher(BROKEN="1").returncode, 70)
        self.assert_builds(4)

    def test_leaves_nothing_but_its_stamp(self):
        self.environment["TMPDIR"] = self.path("temporary")
        os.mkdir(self.path("temporary"))
        self.assert_builds(1)
        self.assertEqual(os.listdir(self.path("temporary")), [])
        self.assertEqual(sorted(os.listdir(self.path("checkout/.build"))), ["iounit.stamp", "release"])


if __name__ == "__main__":
    unittest.main()
