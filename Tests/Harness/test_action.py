"""The action for GitHub: its scripts with a made-up iounit, and whether its description fits them."""

import os
import re
import subprocess
import tempfile
import unittest
import unittest.mock

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ACTION = os.path.join(ROOT, ".github/actions/iounit")
# An iounit that writes down its words, writes the files that they name, and ends as it is told to.
PROGRAM = r"""#!/bin/bash
if [[ $1 == diff ]]; then
    cat "$2" > "$WORDS.earlier"
    shift 2
    printf '%s\n' "$@" > "$WORDS.diff"
    echo "${DIFF_SAYS:-what changed}" >> "$3"
    exit "${DIFF_CODE:-0}"
fi
printf '%s\n' "$@" > "$WORDS"
[[ -z ${LEFT_OUT:-} ]] || echo "iounit: $LEFT_OUT is left out" >&2
while [[ $# -gt 0 ]]; do
    case $1 in
        --csv) [[ $CODE -gt 1 && -z ${BREAKS_OFF:-} ]] || echo made > "$2"; shift ;;
        --html | --junit) [[ $CODE -gt 1 ]] || echo made > "$2"; shift ;;
        --html=* | --junit=* | --markdown=*) [[ $CODE -gt 1 ]] || echo made >> "${1#*=}" ;;
    esac
    shift
done
if [[ $CODE -gt 1 ]]; then echo "iounit: there is no server <b>" >&2; exit "$CODE"; fi
printf 'iounit jitter\n  server  one\n\ndeviation p99   1.0 µs\n\nThe callback came\nregularly & <well>.\n'
exit "$CODE"
"""


class Action(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        os.mkdir(os.path.join(self.folder, "bin"))
        program = os.path.join(self.folder, "bin/iounit")
        with open(program, "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        os.chmod(program, 0o755)

    def read(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8", newline="") as file:
            return file.read()

    def measure(self, code=0, **inputs):
        return self.step("measure", code, inputs)

    def check(self, code=0, **inputs):
        return self.step("check", code, inputs)

    def step(self, script, code, inputs):
        names = {"WORDS": "words", "GITHUB_STEP_SUMMARY": "summary", "GITHUB_OUTPUT": "output"}
        environment = {
            **os.environ, "PATH": f"{self.folder}/bin:{os.environ['PATH']}", "CODE": str(code),
            **{name: os.path.join(self.folder, file) for name, file in names.items()},
            **{f"INPUT_{name.upper()}": value for name, value in inputs.items()}}
        return subprocess.run(
            [os.path.join(ACTION, script)], cwd=self.folder, capture_output=True, text=True, timeout=60,
            env=environment)

    def outputs(self):
        return dict(line.split("=", 1) for line in self.read("output").splitlines())

    def test_runs_the_measurement_with_its_options_and_limits(self):
        result = self.measure(
            measurement="compare", options="--dummy  --seconds 2", limits="own=0\n p99=5ms\n", html="page.html",
            junit="cases.xml")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.read("words").split("\n")[:-1], [
            "compare", "--dummy", "--seconds", "2", "--limit", "own=0", "--limit", "p99=5ms", "--html", "page.html",
            "--junit", "cases.xml"])
        self.assertEqual(self.outputs(), {
            "outcome": "met", "verdict": "The callback came regularly & <well>.", "html": "page.html",
            "junit": "cases.xml"})
        self.assertIn("deviation p99", result.stdout)
        self.assertNotIn("::error", result.stdout)

    def test_writes_a_summary_in_which_nothing_is_markup(self):
        self.measure(measurement="jitter", limits="own=0")
        self.assertEqual(self.read("summary"), (
            "### iounit jitter: ✓ limits met\n\nThe callback came regularly    well .\n\n"
            "<details><summary>All figures</summary>\n\n    iounit jitter\n      server  one\n    \n"
            "    deviation p99   1.0 µs\n    \n    The callback came\n    regularly & <well>.\n\n</details>\n"))

    def test_fails_with_the_code_of_a_limit_that_is_exceeded(self):
        result = self.measure(code=1, measurement="jitter", limits="own=0", html="page.html")
        self.assertEqual((result.returncode, self.outputs()["outcome"]), (1, "exceeded"))
        self.assertEqual((self.outputs()["html"], self.outputs()["junit"]), ("page.html", ""))
        self.assertIn("::error title=iounit jitter::The callback came regularly", result.stdout)
        self.assertIn("✗ limits exceeded", self.read("summary"))

    def test_that_cannot_measure_says_why_and_names_no_file_of_an_earlier_run(self):
        self.measure(measurement="jitter", html="page.html")
        os.remove(os.path.join(self.folder, "output"))
        result = self.measure(code=69, measurement="jitter", html="page.html")
        self.assertEqual(result.returncode, 69)
        self.assertEqual(self.outputs(), {
            "outcome": "failed", "verdict": "iounit: there is no server <b>", "html": "", "junit": ""})
        self.assertIn("exit code 69", self.read("summary"))

    def baseline(self, code, changed):
        """Measures, with a baseline that this run's log takes the place of."""
        for name in ["run.csv", "run.worse.csv", "output", "words.diff"]:
            if os.path.exists(os.path.join(self.folder, name)):
                os.remove(os.path.join(self.folder, name))
        with open(os.path.join(self.folder, "run.csv"), "w", encoding="utf-8") as file:
            file.write("earlier\n")
        os.environ["DIFF_CODE"] = str(changed)
        self.addCleanup(os.environ.pop, "DIFF_CODE", None)
        return self.measure(
            code=code, measurement="jitter", options="", csv="run.csv", baseline="run.csv",
            tolerances="p99+20% overruns+0")

    def test_compares_with_a_baseline_of_which_this_run_may_take_the_place(self):
        for code, changed, exit_code, outcome in [
                (0, 0, 0, "met"), (0, 1, 1, "exceeded"), (1, 0, 1, "exceeded"), (0, 65, 65, "failed")]:
            with self.subTest(code=code, changed=changed):
                result = self.baseline(code, changed)
                self.assertEqual((result.returncode, self.outputs()["outcome"]), (exit_code, outcome))
                self.assertEqual(self.read("words"), "jitter\n--csv\nrun.csv\n")
                self.assertEqual(self.read("words.earlier"), "earlier\n")
                words = self.read("words.diff").splitlines()
                self.assertEqual((words[:2], words[3:]), (
                    ["run.csv", "--markdown"], ["--fail-if", "p99+20%", "--fail-if", "overruns+0"]))
                self.assertTrue(self.read("summary").endswith("\nwhat changed\n"))
                self.assertEqual("::error title=iounit diff::" in result.stdout, changed > 0)

    def test_keeps_a_baseline_that_the_run_is_worse_than_or_that_it_has_no_log_beside(self):
        for code, changed, kept in [(0, 0, "made\n"), (0, 1, "earlier\n"), (0, 65, "made\n"), (69, 0, "earlier\n")]:
            with self.subTest(code=code, changed=changed):
                self.baseline(code, changed)
                self.assertEqual(self.read("run.csv"), kept)
                self.assertEqual(os.path.exists(os.path.join(self.folder, "run.worse.csv")), changed == 1)

    def test_a_run_that_broke_off_takes_the_place_of_no_baseline(self):
        os.environ["BREAKS_OFF"] = "1"
        self.addCleanup(os.environ.pop, "BREAKS_OFF", None)
        self.assertEqual(self.baseline(69, 0).returncode, 69)
        self.assertEqual((self.read("run.csv"), self.read("run.worse.csv")), ("earlier\n", "made\n"))
        os.remove(os.path.join(self.folder, "run.csv"))
        self.measure(code=69, measurement="jitter", options="", csv="run.csv", baseline="run.csv")
        self.assertFalse(os.path.exists(os.path.join(self.folder, "run.csv")))

    def test_a_run_with_another_setting_fails_once_and_takes_the_place_of_the_baseline(self):
        os.environ["DIFF_SAYS"] = "all the same; limits were held against another setting."
        self.addCleanup(os.environ.pop, "DIFF_SAYS", None)
        result = self.baseline(0, 1)
        self.assertEqual((result.returncode, self.read("run.csv")), (1, "made\n"))
        self.assertFalse(os.path.exists(os.path.join(self.folder, "run.worse.csv")))
        self.assertIn("::the baseline was measured with another period, rate or mode\n", result.stdout)

    def test_compares_with_nothing_where_there_is_no_baseline_yet(self):
        result = self.measure(measurement="jitter", options="", baseline="none.csv")
        self.assertEqual(result.returncode, 0)
        self.assertEqual(self.read("words"), "jitter\n--csv\niounit.csv\n")
        self.assertIn("::notice title=iounit diff::there is no none.csv yet", result.stdout)
        self.assertFalse(os.path.exists(os.path.join(self.folder, "words.diff")))
        self.assertEqual(self.measure(measurement="latency", baseline="none.csv").returncode, 64)

    def test_hands_words_over_as_they_are(self):
        self.measure(measurement="jitter", options="$(touch ran) `touch ran` * ;touch ran")
        self.assertEqual(
            self.read("words").split("\n")[:-1],
            ["jitter", "$(touch", "ran)", "`touch", "ran`", "*", ";touch", "ran"])
        self.assertFalse(os.path.exists(os.path.join(self.folder, "ran")))

    def test_refuses_another_subcommand(self):
        result = self.measure(measurement="record\n::set-output")
        self.assertEqual(result.returncode, 64)
        self.assertEqual(len(result.stdout.splitlines()), 1)
        self.assertEqual(self.outputs(), {
            "outcome": "failed", "verdict": 'measurement is jitter, compare or latency, not "record ::set-output"'})
        self.assertFalse(os.path.exists(os.path.join(self.folder, "words")))

    def test_checks_plugins_one_to_a_line(self):
        result = self.check(
            plugins="http://example.org/a b\n\n  fomp/autowah\r\n--package fomp\n/usr/lib/lv2/x.lv2/",
            fail_on="allocation lock\nwait", allow=" first-block denormals", html="page.html", junit="cases.xml")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.read("words").split("\n")[:-1], [
            "plugin", "check", "--package=fomp", "--fail-on=allocation,lock,wait", "--allow=first-block",
            "--allow=denormals", "--html=page.html", "--junit=cases.xml",
            f"--markdown={os.path.join(self.folder, 'summary')}", "--", "http://example.org/a b", "fomp/autowah",
            "/usr/lib/lv2/x.lv2/"])
        self.assertEqual(self.outputs(), {
            "outcome": "met", "verdict": "The callback came", "html": "page.html", "junit": "cases.xml"})
        # What iounit has added to it, and nothing more.
        self.assertEqual(self.read("summary"), "made\n")

    def test_checks_all_plugins_or_those_with_a_text(self):
        self.check(plugins="--all")
        self.assertEqual(self.read("words").split("\n")[2:-2], ["--all", f"--markdown={self.folder}/summary"])
        self.check(plugins="--all low pass\n--all --json\n")
        self.assertEqual(self.read("words").split("\n")[2:-1], [
            "--all", f"--markdown={self.folder}/summary", "--", "low pass", "--json"])

    def test_fails_with_the_code_of_a_plugin_that_is_not_safe_or_not_there(self):
        result = self.check(code=1, plugins="fomp/autowah", junit="cases.xml")
        self.assertEqual((result.returncode, self.outputs()["outcome"]), (1, "exceeded"))
        self.assertIn("::error title=iounit plugin check::The callback came", result.stdout)
        for name in ["output", "summary"]:
            os.remove(os.path.join(self.folder, name))
        result = self.check(code=66, plugins="fomp/autowah", junit="cases.xml")
        self.assertEqual(result.returncode, 66)
        self.assertEqual(self.outputs(), {
            "outcome": "failed", "verdict": "iounit: there is no server <b>", "html": "", "junit": ""})
        self.assertEqual(self.read("summary"), (
            "### iounit plugin check: ✗ nothing was checked (exit code 66)\n\n    iounit: there is no server <b>\n"))

    def test_takes_no_bundle_that_is_left_out_for_the_verdict_of_the_check(self):
        with unittest.mock.patch.dict(os.environ, {"LEFT_OUT": "x.lv2/"}):
            self.check(code=66, plugins="fomp/autowah")
            self.assertEqual(self.outputs()["verdict"], "iounit: there is no server <b>")
            os.remove(os.path.join(self.folder, "output"))
            self.check(code=1, plugins="fomp/autowah")
            self.assertEqual(self.outputs()["verdict"], "The callback came")

    def test_hands_names_of_plugins_over_as_they_are(self):
        lines = ["$(touch ran)", "`touch ran`", "*", ";touch ran", "'a\"b'", "\\n", "${PATH}"]
        self.check(plugins="\n".join(lines), fail_on="--html=x * $(touch", allow="--force ran)")
        words = self.read("words").split("\n")[:-1]
        self.assertEqual(words[words.index("--") + 1:], lines)
        self.assertEqual(words[2:5], ["--fail-on=--html=x,*,$(touch", "--allow=--force", "--allow=ran)"])
        self.assertFalse(os.path.exists(os.path.join(self.folder, "ran")))

    def test_lets_nothing_that_a_plugin_says_be_a_command_to_the_runner(self):
        lines = self.check(plugins="fomp/autowah").stdout.splitlines()
        stop = re.fullmatch("::stop-commands::([0-9a-f]{32})", lines[0])
        self.assertTrue(stop, lines[0])
        # Between the two stands all that iounit has said.
        self.assertEqual((lines[-1], len(lines)), (f"::{stop[1]}::", 9))
        self.assertNotIn(stop[1], self.check(plugins="fomp/autowah").stdout)

    def test_refuses_a_line_that_is_another_option_and_all_beside_a_name(self):
        for plugins, reason in [
                ("--html\n", 'not "--html"'), ("-x", 'not "-x"'), ("--packages fomp", 'not "--packages fomp"'),
                ("--all\nfomp/autowah", '--all cannot stand beside "fomp/autowah"')]:
            with self.subTest(plugins=plugins):
                result = self.check(plugins=plugins)
                self.assertEqual((result.returncode, len(result.stdout.splitlines())), (64, 1))
                self.assertIn(reason, result.stdout)
                self.assertEqual(self.outputs()["outcome"], "failed")
                self.assertIn(reason, self.outputs()["verdict"])
                self.assertFalse(os.path.exists(os.path.join(self.folder, "words")))

    def test_has_each_input_and_output_that_its_description_names(self):
        with open(os.path.join(ACTION, "action.yml"), encoding="utf-8") as file:
            description = file.read()
        parts = re.split(r"^(\w+):", description, flags=re.MULTILINE)
        sections = dict(zip(parts[1::2], parts[2::2]))
        inputs = set(re.findall(r"^  ([\w-]+):$", sections["inputs"], re.MULTILINE))
        outputs = set(re.findall(r"^  (\w+):$", sections["outputs"], re.MULTILINE))
        steps = re.findall(r"^    - id: (\w+)\n(.*?)(?=^    - |\Z)", sections["runs"], re.MULTILINE | re.DOTALL)
        self.assertEqual([name for name, _ in steps], ["measure", "check"])
        taken = set()
        for name, step in steps:
            with open(os.path.join(ACTION, name), encoding="utf-8") as file:
                script = file.read()
            handed = dict(re.findall(r"INPUT_(\w+): \$\{\{ inputs\.([\w-]+) \}\}", step))
            # Nothing of an input is in the script that the shell reads.
            self.assertIn(f"run: '\"$GITHUB_ACTION_PATH/{name}\"'\n", step)
            self.assertEqual(step.count("${{"), len(handed))
            for variable, place in handed.items():
                self.assertEqual(variable, place.upper().replace("-", "_"))
                self.assertRegex(script, rf"INPUT_{variable}|for kind in .*\b{place}\b")
            taken.update(handed.values())
        self.assertEqual(inputs, taken)
        for run in [lambda: self.measure(measurement="jitter"), lambda: self.check(plugins="fomp/autowah")]:
            run()
            self.assertEqual(outputs, set(self.outputs()))
            os.remove(os.path.join(self.folder, "output"))
        for name in outputs:
            self.assertIn(f"steps.measure.outputs.{name} || steps.check.outputs.{name} ", sections["outputs"])


if __name__ == "__main__":
    unittest.main()
