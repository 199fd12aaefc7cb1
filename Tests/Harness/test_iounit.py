"""Tools/iounit: it builds when something changed, and only then."""

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# A swift that counts the builds, and builds a program that says which of them it is from.
SWIFT = r"""#!/bin/bash
# Before the test sees that it runs.
trap 'echo interrupted >> "$ENDED"; exit 1' INT
echo "$*" >> "$BUILDS"
[[ "$2" != --package-path ]] || cd "$3"
if [[ -n "$SLOW" ]]; then
    echo "[1/2] Compiling One one.swift"
    # No longer than the test that ends it.
    for ((index = 0; index < 300; index++)); do sleep 0.1; [[ ! -e "$SLOW" ]] || break; done
fi
[[ -z "$FULL" ]] || { echo "error: No space left on device"; exit 1; }
[[ -z "$BROKEN" ]] || { echo "error: planted"; exit 1; }
# No build is so short that the clock of the files stands still.
tick() { touch .build/a; until touch .build/b; [[ .build/b -nt .build/a ]]; do :; done; rm .build/a .build/b; }
tick
[[ -z "$EDITED" ]] || echo >> "$EDITED"
tick
mkdir -p .build/release
number=$(wc -l < "$BUILDS")
program=${@: -1}
[[ $program == iounit ]] && said=build || said="build of $program"
printf '#!/bin/bash\necho "'"$said"' %s: $*"\n[[ -z "$LASTS" ]] || read\n' "$number" > .build/release/new
chmod +x .build/release/new
mv .build/release/new ".build/release/$program"
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
        for name in ("iounit", "build"):
            shutil.copy(os.path.join(ROOT, "Tools", name), os.path.join(self.checkout, "Tools", name))
        self.write("checkout/Tools/setup", "#!/bin/bash\n", 0o755)
        self.write("checkout/Package.swift", "// a manifest\n")
        self.write("checkout/Sources/unit/One.swift", "let one = 1\n")
        self.write("checkout/Sources/unit/Two.swift", "let two = 2\n")
        self.write("bin/swift", SWIFT, 0o755)
        # Another program may install a package of Debian's at any time.
        self.write("dpkg/status", "Package: one\n")
        self.environment = {
            **os.environ, "PATH": f"{self.path('bin')}:{os.environ['PATH']}", "BUILDS": self.path("builds"),
            "DPKG_ADMINDIR": self.path("dpkg"), "XDG_CONFIG_HOME": self.path("config"), "ENDED": self.path("ended")}
        for name in ("RTSAN", "FUZZ", "LIGHT", "SHARED", "PKG_CONFIG_PATH"):
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

    def test_answers_a_shell_without_a_build(self):
        words = ("complete", "bash", "--", "mon")
        result = self.run_launcher(*words)
        self.assertEqual((result.returncode, result.stdout, result.stderr, self.builds()), (0, "", "", 0))
        self.assert_builds(1)
        self.write("checkout/Sources/unit/One.swift", "let one = 11\n")
        result = self.run_launcher(*words)
        self.assertEqual((result.stdout, self.builds()), ("build 1: complete bash -- mon\n", 1))

    def test_builds_once_and_runs_with_the_words_and_the_folder_of_the_caller(self):
        result = self.run_launcher("monitor", "a b")
        self.assertEqual((result.returncode, result.stdout), (0, "build 1: monitor a b\n"))
        self.assertIn("building iounit for the first time; on two cores this takes", result.stderr)
        self.assertRegex(result.stderr, r"\niounit: built in \d+ s\n$")
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
        self.assertEqual(
            sorted(os.listdir(self.path("checkout/.build"))), ["iounit.lock", "iounit.stamp", "release"])

    def test_builds_what_only_measures_for_who_only_measures(self):
        result = self.run_launcher("compare", "--dummy")
        self.assertEqual((result.returncode, result.stdout), (0, "build of measuring 1: compare --dummy\n"))
        self.assertEqual(self.run_launcher("diff").stdout, "build of measuring 1: diff\n")
        self.assertEqual(self.run_launcher("monitor").stdout, "build 2: monitor\n")
        # The whole command is there now.
        self.assertEqual((self.run_launcher("compare").stdout, self.builds()), ("build 2: compare\n", 2))

    def test_builds_the_whole_command_for_who_has_settings(self):
        self.write("config/iounit/config", "period = 64\n")
        self.assertEqual(self.run_launcher("compare").stdout, "build 1: compare\n")

    def test_builds_the_whole_command_for_who_measures_plug_ins(self):
        self.assertEqual(self.run_launcher("jitter", "--plugin=a").stdout, "build 1: jitter --plugin=a\n")

    def start_launcher(self, *words, **environment):
        process = subprocess.Popen(
            [os.path.join(self.checkout, "Tools/iounit"), *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, start_new_session=True, env={**self.environment, **environment})
        self.addCleanup(self.end, process)
        return process

    def end(self, process):
        """With what waits for it, as where a test fails."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate(timeout=60)

    def await_builds(self, process, count):
        # Nobody tells when a build begins, so that it is looked for.
        end = time.monotonic() + 60
        while self.builds() < count:
            self.assertIsNone(process.poll())
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)

    def test_that_is_interrupted_ends_the_build_and_goes_on_the_next_time(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            before = self.builds()
            process = self.start_launcher(SLOW=self.path("never"))
            self.await_builds(process, before + 1)
            process.send_signal(number)
            out, err = process.communicate(timeout=60)
            self.assertEqual((process.returncode, out), (-number, ""))
            self.assertIn("the next call goes on from there", err)
            with open(self.path("ended"), encoding="utf-8") as file:
                self.assertEqual(file.read(), "interrupted\n")
            os.remove(self.path("ended"))
        self.assert_builds(3)

    def test_that_is_interrupted_as_soon_as_the_build_runs_ends_it(self):
        self.write("at-once", "trap '[[ $BASH_COMMAND != \"set +m\" ]] || { until [[ -s $BUILDS ]]; do :; done; kill -INT $$; }' DEBUG\n")
        done = subprocess.run(
            [os.path.join(self.checkout, "Tools/build"), "iounit"], capture_output=True, text=True, timeout=60, check=False,
            env={**self.environment, "BASH_ENV": self.path("at-once"), "SLOW": self.path("never")})
        self.assertEqual(done.returncode, -signal.SIGINT)
        self.assertIn("the next call goes on from there", done.stderr)
        with open(self.path("ended"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "interrupted\n")

    def test_beside_one_that_builds_waits_and_says_so(self):
        first = self.start_launcher(SLOW=self.path("go"))
        self.await_builds(first, 1)
        second = self.start_launcher()
        self.assertIn("another iounit is building here", second.stderr.readline())
        self.write("go", "")
        for process in (first, second):
            out, _ = process.communicate(timeout=60)
            self.assertEqual((process.returncode, out), (0, "build 1: \n"))

    def start_beside_one_that_builds(self, *words):
        """One that has waited for the build of another, which has ended."""
        first = self.start_launcher(SLOW=self.path("go"))
        self.await_builds(first, 1)
        second = self.start_launcher(*words, LASTS="1")
        self.assertIn("another iounit is building here", second.stderr.readline())
        self.write("go", "")
        first.communicate(timeout=60)
        return second

    def test_that_has_waited_builds_what_else_it_needs(self):
        process = self.start_beside_one_that_builds("plugin")
        # In seconds, so that it does not say how many minutes.
        self.assertEqual(process.stderr.readline(), "iounit: building pluginprobe for the first time\n")
        self.assertEqual((process.communicate(timeout=60)[0], self.builds()), ("build 1: plugin\n", 2))

    def test_that_has_waited_and_runs_keeps_nobody_from_building(self):
        running = self.start_beside_one_that_builds()
        self.assertEqual(running.stdout.readline(), "build 1: \n")
        self.write("checkout/Sources/unit/One.swift", "let one = 11\n")
        third = self.start_launcher()
        self.assertRegex(third.stderr.readline(), "^iounit: built in")
        self.assertEqual(third.communicate(timeout=60)[0], "build 2: \n")

    def test_links_the_static_runtime_of_the_toolchain_that_the_compiler_names(self):
        # Behind a proxy, as swiftly has it.
        self.write("bin/swift", SWIFT.replace('echo "$*"', 'echo "$SHARED."', 1), 0o755)
        os.makedirs(self.path("toolchain/lib/swift_static/linux"))
        self.write("toolchain/bin/ld.lld", "", 0o755)
        place = self.path("toolchain/lib/swift")
        facts = f'{{\n  "paths": {{\n    "runtimeLibraryPaths": [ ],\n    "runtimeResourcePath": "{place}"\n  }}\n}}\n'
        self.write("facts", facts)
        self.write("bin/swiftc", f'#!/bin/bash\n[[ $1 != -print-target-info ]] || cat {self.path("facts")}\n', 0o755)
        self.assert_builds(1)
        with open(self.path("builds"), encoding="utf-8") as file:
            self.assertEqual(file.read(), ".\n")

    def test_has_the_objects_of_the_benchmarks(self):
        # For a toolchain without a static runtime too, as the one of these tests.
        shutil.copy(os.path.join(ROOT, "Tools/bench"), self.path("checkout/Tools/bench"))
        self.write("checkout/Tools/deadline", '#!/bin/bash\nshift; exec "$@"\n', 0o755)
        self.write("bin/clang", "#!/bin/bash\necho error: no twins; exit 1\n", 0o755)
        self.write("bin/swift", SWIFT.replace('echo "$*"', 'echo "$LIGHT $SHARED ${@: -1}"', 1), 0o755)
        result = subprocess.run(
            [self.path("checkout/Tools/bench")], capture_output=True, text=True, timeout=60, env=self.environment)
        self.assertEqual((result.returncode, result.stderr.splitlines()[1]), (70, "error: no twins"))
        with open(self.path("builds"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "1 1 Benchmarks\n1 1 iounit\n")

    def test_on_a_full_disk_says_so_in_a_sentence(self):
        result = self.run_launcher(FULL="1")
        self.assertEqual((result.returncode, result.stdout), (74, ""))
        self.assertRegex(result.stderr, r"needs more room than the disk of \S+ has; free some 2 GB, and run it again\n$")

    def test_on_a_disk_without_room_for_its_folder_or_its_stamp_says_so_too(self):
        os.rmdir(self.path("checkout/.build"))
        for name, written, builds in (("mkdir", ".build", 0), ("mv", ".stamp", 1)):
            self.write(
                f"bin/{name}",
                f'#!/bin/bash\n[[ "$*" == *{written}* ]] || exec /bin/{name} "$@"\n'
                "echo 'No space left on device' >&2\nexit 1\n", 0o755)
            result = self.run_launcher()
            self.assertEqual((result.returncode, result.stdout, self.builds()), (74, "", builds), result.stderr)
            self.assertRegex(result.stderr, r"iounit: the build needs more room than the disk of \S+ has; [^\n]+\n$")
            os.remove(self.path("bin", name))
        self.assertEqual([name for name in os.listdir(self.path("checkout/.build")) if ".stamp" in name], [])
        self.assert_builds(2)

    def test_under_sudo_builds_as_the_owner_of_the_checkout(self):
        self.write("bin/id", "#!/bin/bash\necho ${USER_ID:-0}\n", 0o755)
        self.write("bin/setpriv", '#!/bin/bash\necho "${@:1:7}" >> "$ENDED"\nUSER_ID=1000 exec "${@:8}"\n', 0o755)
        user, group = os.getuid(), os.getgid()
        sudo = {"SUDO_UID": str(user), "SUDO_GID": str(group)}
        self.assertEqual(self.run_launcher("compare", **sudo).stdout, "build of measuring 1: compare\n")
        self.assertEqual(self.run_launcher("plugin", **sudo).stdout, "build 2: plugin\n")
        self.assertEqual(self.builds(), 3)
        with open(self.path("ended"), encoding="utf-8") as file:
            self.assertEqual(file.read(), f"--pdeathsig TERM --reuid {user} --regid {group} --init-groups\n" * 3)
        # A checkout of somebody else's, which is not the one that called sudo.
        self.write("checkout/Sources/unit/One.swift", "let one = 11\n")
        self.assert_builds(4, SUDO_UID=str(user + 1))
        if user == 0:
            # What root built before, as older versions did, root builds on.
            self.write("checkout/Sources/unit/One.swift", "let one = 12\n")
            os.chown(self.path("checkout"), 1, -1)
            self.assert_builds(5, SUDO_UID="1")
        with open(self.path("ended"), encoding="utf-8") as file:
            self.assertEqual(len(file.readlines()), 3)

    def test_that_cannot_write_says_where_to_build_instead(self):
        os.rmdir(self.path("checkout/.build"))
        self.write("checkout/.build", "")
        result = self.run_launcher()
        self.assertEqual((result.returncode, result.stdout, self.builds()), (73, "", 0))
        self.assertIn("clone the checkout to a folder of your own", result.stderr)

    def test_that_cannot_write_runs_no_tests_and_lists_them(self):
        os.rmdir(self.path("checkout/.build"))
        self.write("checkout/.build", "")
        shutil.copy(os.path.join(ROOT, "Tools/test"), self.path("checkout/Tools/test"))
        shutil.copytree(os.path.join(ROOT, "Tests/Harness"), self.path("checkout/Tests/Harness"))
        refused, listed = (
            subprocess.run(
                [self.path("checkout/Tools/test"), word], capture_output=True, text=True, timeout=60, env=self.environment)
            for word in ("io", "--list"))
        self.assertEqual((refused.returncode, refused.stdout, self.builds()), (73, "", 0), refused.stderr)
        self.assertRegex(refused.stderr, r"^test: cannot build in [^\n]+; clone the checkout to a folder of your own [^\n]+\n$")
        self.assertEqual((listed.returncode, listed.stderr), (0, ""))
        self.assertRegex(listed.stdout, r"(?m)^io 1 +not yet$")


if __name__ == "__main__":
    unittest.main()
