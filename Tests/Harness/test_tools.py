"""Each script of Tools explains itself; those that read their own options refuse one that they do not know before they do anything."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest

TOOLS = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "Tools")
# `iounit` is the command, and `debian` holds files of a package.
NAMES = sorted(set(os.listdir(TOOLS)) - {"debian", "iounit"})


class Tools(unittest.TestCase):
    def setUp(self):
        # A machine that has nothing, and on which nothing can be installed or built.
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        for name in ("dpkg-query", "apt-get", "sudo", "swift"):
            path = os.path.join(self.folder, name)
            with open(path, "w", encoding="utf-8") as file:
                file.write(f"#!/bin/sh\necho {name} >> {self.folder}/calls\nexit 1\n")
            os.chmod(path, 0o755)

    def run_tool(self, name, *words):
        return subprocess.run(
            [os.path.join(TOOLS, name), *words], capture_output=True, text=True, timeout=60, check=False,
            env={**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}"})

    def assert_refused(self, code, sentence, name, *words):
        result = self.run_tool(name, *words)
        self.assertEqual((result.returncode, result.stdout), (code, ""), f"{name} {words}: {result.stderr}")
        self.assertRegex(result.stderr, f"^{name}: [^\n]*{re.escape(sentence)}[^\n]*\n$")
        self.assertFalse(os.path.exists(os.path.join(self.folder, "calls")), f"{name} {words}")

    def test_explain_themselves_by_the_long_and_the_short_option(self):
        for name in NAMES:
            for word in ("--help", "-h"):
                result = self.run_tool(name, word)
                self.assertEqual((result.returncode, result.stderr), (0, ""), f"{name} {word}")
                self.assertTrue(result.stdout.startswith(f"usage: Tools/{name}"), f"{name} {word}: {result.stdout}")

    def test_refuse_an_option_that_they_do_not_know(self):
        for name in NAMES:
            self.assert_refused(64, "", name, "--no-such-option")

    def test_refuse_values_that_they_cannot_use(self):
        for sentence, name, *words in (
                ("--minutes needs a value; see Tools/fuzz --help", "fuzz", "--minutes"),
                ('there is no option "--such"; see Tools/fuzz --help', "fuzz", "--minutes=1", "--such=2"),
                ('--minutes takes a number, as 0.5 or 10, not "x"', "fuzz", "--minutes", "x"),
                ('--seed takes a whole number, not "1.5"', "fuzz", "--seed=1.5"),
                ("--input needs one --target", "fuzz", "--input", __file__),
                ('there is no stage "ios"', "test", "io", "ios"), ("--list stands alone", "test", "--list", "io"),
                ("--only needs a PATTERN and one area", "test", "--only", "x"),
                ("name one program", "build"), ("name one program", "build", "iounit", "measuring"),
                ("--samples needs a whole number", "bench", "--samples", "0", "kernels"),
                ("--samples needs a whole number", "bench", "kernels", "--samples"),
                ('there is no section "kernel"; there are kernels, antialiasing, plan', "bench", "kernel"),
                ("invalid minutes value: '-1'", "soak", "--minutes", "-1"),
                ("invalid minutes value: 'nan'", "chaos", "--minutes=nan"),
                ("invalid count value: '0'", "chaos", "--kills", "0"), ("invalid count value: '0'", "chaos", "--plan=0"),
                ("--jobs is for --seeds", "chaos", "--jobs", "2"),
                ("--seeds and --kills exclude each other", "chaos", "--seeds", "1-3", "--kills", "5"),
                ("both of them are for --seeds", "chaos", "--mode", "both"),
                ("not allowed with argument --json", "compare-faults", "--json", "--markdown"),
                ("invalid choice: 'jack'", "compare-faults", "--program", "jack"),
                ('no fault has "disc" in its name; there are server killed', "compare-faults", "--fault", "disc")):
            self.assert_refused(64, sentence, name, *words)
        self.assert_refused(66, "there is no file nowhere that can be read", "fuzz", "--target=x", "--input=nowhere")

    def test_bench_knows_the_sections_that_there_are(self):
        sources = os.path.join(os.path.dirname(TOOLS), "Tests/Benchmarks/Sections")
        names = set()
        for source in os.listdir(sources):
            with open(os.path.join(sources, source), encoding="utf-8") as file:
                names |= set(re.findall(r'\bSection\(\s*name: "([a-z]+)"', file.read()))
        self.assertGreater(len(names), 10)
        said = self.run_tool("bench", "no such section").stderr
        known = re.search("; there are (.*); see", said)
        self.assertEqual(set(known[1].split(", ")), names, said)


class Standalone(unittest.TestCase):
    """A build that is planted, of a toolchain that is found through a proxy, as swiftly's."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        shutil.copytree(TOOLS, self.path("Tools"))
        self.write("Tools/iounit", "")
        self.write("Sources/pluginprobe/probe.c", "")
        self.write("bin/swift", "")
        resources = f'    "runtimeResourcePath": "{self.path("toolchain/lib/swift")}"'
        self.write("bin/swiftc", f"echo '{resources}'")
        self.write("bin/strip", "")
        # Makes the file that it is told to, behind -o.
        made = (
            '[[ ${0##*/} != "$FULL" ]] || { echo "error: No space left on device"; exit 1; }\n'
            'until [[ $1 == -o ]]; do shift; done\necho "exit ${CODE:-0}" > "$2"; chmod +x "$2"')
        self.write("toolchain/bin/clang", made)
        self.write("toolchain/bin/swiftc", made)
        self.write("toolchain/lib/swift/linux/libswiftCore.so", "")
        self.write("bin/ldd", 'echo "libswiftCore.so => $LD_LIBRARY_PATH/libswiftCore.so (0x1)"')
        linked = f'    args: ["{self.path("toolchain/bin/swiftc")}"]'
        self.write(".build/release.yaml", f'  "C.iounit-x86_64-unknown-linux-gnu-release.exe":\n{linked}\n')

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(f"#!/bin/bash\n{text}\n")
        os.chmod(self.path(name), 0o755)

    def standalone(self, **environment):
        return subprocess.run(
            [self.path("Tools/standalone"), "place"], capture_output=True, text=True, timeout=60, check=False,
            cwd=self.folder, env={**os.environ, "PATH": f"{self.path('bin')}:{os.environ['PATH']}", **environment})

    def test_brings_the_libraries_of_the_toolchain_that_the_compiler_names(self):
        result = self.standalone()
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))
        self.assertEqual(os.listdir(self.path("place/lib/iounit")), ["libswiftCore.so"])

    def test_on_a_full_disk_says_so(self):
        for program in ("swiftc", "clang"):
            result = self.standalone(FULL=program)
            self.assertEqual((result.returncode, result.stdout), (74, ""), program)
            self.assertRegex(
                result.stderr, "^standalone: the build needs more room than the disk of place has; [^\n]+\n$")

    def test_fails_where_its_program_does_not_start(self):
        result = self.standalone(CODE="127")
        self.assertEqual((result.returncode, result.stdout), (70, ""))
        self.assertRegex(result.stderr, "standalone: the program that was linked does not start; see above\n$")


class Check(unittest.TestCase):
    """The sources with a manifest that is planted, on a machine whose compiler does nothing."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        shutil.copytree(os.path.join(os.path.dirname(TOOLS), "Sources"), self.path("Sources"))
        self.write("Tools/setup", "#!/bin/bash\n")
        self.write("Tools/deadline", '#!/bin/bash\nshift; exec "$@"\n')
        shutil.copy(os.path.join(TOOLS, "check"), self.path("Tools/check"))

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(self.path(name), 0o755)

    def assert_check(self, outcome, manifest, code=0):
        """What it says of the imports and of a manifest that the compiler prints, before it ends with the code."""
        self.write("bin/swift", f"#!/bin/bash\n[[ $2 != dump-package ]] || echo '{manifest}'\nexit {code}\n")
        result = subprocess.run(
            [self.path("Tools/check")], capture_output=True, text=True, timeout=60, check=False,
            env={**os.environ, "PATH": f"{self.path('bin')}:{os.environ['PATH']}"})
        for name in ("imports", "manifest"):
            self.assertIn(f"{outcome:5} {name}\n", result.stdout)

    def test_fails_where_there_is_nothing_to_check_too(self):
        self.assert_check("ok", '"name" : "AudioIO"')
        self.write("Sources/Fourier/Other.swift", "import Jack\n")
        self.assert_check("FAIL", '"name" : "AudioIO" unsafeFlags')
        os.remove(self.path("Sources/Fourier/Other.swift"))
        # A module without a rule, and a rule without a module.
        self.write("Sources/Other/Other.swift", "import Jack\n")
        self.assert_check("FAIL", "")
        shutil.rmtree(self.path("Sources/Other"))
        shutil.rmtree(self.path("Sources/Fourier"))
        self.assert_check("FAIL", '"name" : "AudioIO"', code=1)


if __name__ == "__main__":
    unittest.main()
