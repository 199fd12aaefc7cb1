"""The stages: what hangs, crashes or cannot be built counts as a failure that has a name, and the next stage runs."""

import contextlib
import io
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from unittest import mock

import lanes
import stages
from test_deadline import wait_until_gone
from test_isolation import POWERLESS

HERE = os.path.dirname(os.path.abspath(__file__))
SWIFT = r"""#!/bin/bash
[[ -z "$NO_BUILD" ]] || { echo "/here/Rig.swift:3:7: error: planted"; echo "macro expansion @Test:3:7: error: of that"; exit 1; }
[[ -z "$FULL" ]] || { echo "error: No space left on device"; exit 1; }
[[ -z "$NO_PACKAGE" ]] || sleep 1000
"""
SETUP = r"""#!/bin/bash
[[ -z "$NO_PACKAGE" ]] || { echo "setup: it could not be installed" >&2; exit 69; }
"""
# A program of three tests, one of which passes; what becomes of the others depends on the module.
TESTS = r"""#!/bin/bash
while [[ $# -gt 0 ]]; do
    case $1 in --filter) target=$2; filters+="$2;"; shift ;; --event-stream-output-path) events=$2; shift ;; esac
    shift
done
echo "$filters" >> "$FILTERS"
mkdir "$TMPDIR/left" && echo "$TMPDIR" >> "$FOLDERS"
[[ $target != *ReportsTests* ]] || for ((i = 0; i < 1000000; i++)); do :; done
test() { echo '{"kind":"test","payload":{"kind":"function","id":"Tests.Suite/'$1'/Suite.swift:7:6","name":"'$1'"}}'; }
event() {
    echo '{"kind":"event","payload":{"kind":"'$1'","testID":"Tests.Suite/'$2'/Suite.swift:7:6","instant":{"absolute":'$3'},"messages":[{"text":"'$4'"},{"text":"'$6'"}],"issue":{'$5'"sourceLocation":{"_filePath":"/x/Suite.swift","line":8}}}}'
}
[[ $target != *FileCommandsTests* ]] || { echo '{"kind":"event","payload":{"kind":"runEnded","instant":{"absolute":5},"messages":[]}}' >> "$events"; exit 0; }
{
    test well; test other; test last
    event testStarted well 1; event testEnded well 3
    event testStarted other 3
} >> "$events"
case $target in
    *AudioDSPTests*) { event testEnded other 4; event testSkipped last 4 "no cable"; event runEnded - 5; } >> "$events" ;;
    *JackTests*) echo "$$ hangs" >> "$PIDS"; trap '' TERM; sleep 1000 & echo "$! hangs" >> "$PIDS"; while :; do wait; done ;;
    *ThreadsTests*)
        {
            event issueRecorded other 4 "Issue recorded" '"isKnown":true,' "the master stood still"
            event testEnded other 5; event runEnded - 5
        } >> "$events" ;;
    *AudioFilesTests*)
        {
            event issueRecorded other 4 "1 is not 2"; event testEnded other 5
            event issueRecorded suite 5 "no server"; event runEnded - 5
        } >> "$events"
        exit 1 ;;
    *AudioRecordingTests*) printf '{"kind":"ev' >> "$events"; kill -SEGV $$ ;;
    *AudioMeteringTests*) echo "what it printed"; { event issueRecorded other 4 "1 is not 2" "" "of the first"; event testEnded other 5; event runEnded - 5; } >> "$events"; exit 1 ;;
    *SystemHealthTests*) { event testEnded other 4; event runEnded - 5; } >> "$events"; exit 1 ;;
    *) { event testEnded other 4; event runEnded - 5; } >> "$events" ;;
esac
"""


# One job at a time.
ONE_LANE = "import sys, lanes, stages; lanes.COUNT = 1; sys.exit(stages.main(sys.argv[1:]))"


class Stages(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        os.mkdir(os.path.join(folder.name, "debug"))
        for name, text in (("swift", SWIFT), ("setup", SETUP), ("debug/iounitPackageTests.xctest", TESTS)):
            program = os.path.join(folder.name, name)
            with open(program, "w", encoding="utf-8") as file:
                file.write(text)
            os.chmod(program, 0o755)
        self.started, self.filters, self.folders = (os.path.join(folder.name, name) for name in ("pids", "filters", "folders"))
        self.temporary = os.path.join(folder.name, "temporary")
        os.mkdir(self.temporary)
        # Twenty minutes become two.
        self.environment = {
            **os.environ, "PATH": f"{folder.name}:{os.environ['PATH']}", "TEST_BUNDLES": folder.name,
            "TEST_SETUP": os.path.join(folder.name, "setup"),
            "TMPDIR": self.temporary, "PIDS": self.started, "FILTERS": self.filters, "FOLDERS": self.folders, "DEADLINE_FACTOR": "0.1"}

    def start(self, *names, before=(), program=(os.path.join(HERE, "stages.py"),), **environment):
        return subprocess.Popen(
            [*before, sys.executable, *program, *names], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            cwd=HERE, env={**self.environment, **environment})

    def run_stages(self, *names, **environment):
        process = self.start(*names, **environment)
        out, err = process.communicate(timeout=100)
        return process.returncode, out, err

    def processes(self):
        with open(self.started, encoding="utf-8") as file:
            return [int(line.split()[0]) for line in file]

    def wait_for_two(self, process):
        """Nobody tells when they have begun, so that it is looked for, for as long as one waits for what has ended."""
        end = time.monotonic() + 60
        while not os.path.exists(self.started) or len(self.processes()) < 2:
            self.assertIsNone(process.poll())
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)

    def test_that_pass_say_what_was_slow(self):
        code, out, _ = self.run_stages("dsp")
        self.assertEqual((code, out.splitlines()[-1]), (0, "2 passed, 0 failed"))
        self.assertRegex(out, r"The slowest:\n +2.0 s  dsp: Tests.Suite: well\n")
        self.assertIn("skipped: Tests.Suite: last: no cable\n", out)

    def test_that_pass_with_a_known_issue_say_which(self):
        code, out, _ = self.run_stages("threads")
        self.assertEqual((code, out.splitlines()[-1]), (0, "2 passed, 0 failed"))
        self.assertIn("known: Tests.Suite: other: Issue recorded; the master stood still (Suite.swift:8)\n", out)

    def test_leave_no_temporary_files(self):
        self.run_stages("dsp", "recording")
        with open(self.folders, encoding="utf-8") as file:
            folders = file.read().splitlines()
        self.assertEqual(len(folders), 2)
        self.assertEqual([folder for folder in folders if os.path.exists(folder)], [])

    def test_that_hang_are_one_failure_with_a_name_and_the_next_one_runs(self):
        code, out, _ = self.run_stages("jack", "dsp", DEADLINE_FACTOR="0.01")
        self.assertEqual((code, out.splitlines()[-1]), (1, "3 passed, 2 failed"))
        self.assertIn("jack: Tests.Suite: other: was running when the process ended", out)
        self.assertIn("jack: did not run to its end (it was past its deadline; see above); 1 tests were not run", out)
        self.assertIn("did not end in 12 s", out)
        self.assertEqual(wait_until_gone(self.processes(), 0), [])

    def test_that_crash_count_what_had_passed_and_name_the_test(self):
        code, out, _ = self.run_stages("recording")
        self.assertEqual((code, out.splitlines()[-1]), (1, "1 passed, 2 failed"))
        self.assertIn("recording: Tests.Suite: other: was running when the process ended", out)

    def test_with_a_test_that_fails_say_why_and_where_and_how_it_runs_alone(self):
        code, out, _ = self.run_stages("metering")
        self.assertEqual((code, out.splitlines()[-1]), (1, "1 passed, 1 failed"))
        self.assertIn("what it printed\n", out)
        # At once, and once more at the end.
        told = (
            "metering: Tests.Suite: other: 1 is not 2; of the first (Suite.swift:8)\n"
            "  alone: Tools/test --only Tests.Suite/other metering\n")
        self.assertIn(told, out)
        self.assertIn("What failed (Tools/test --failed runs it again):\n" + told, out)

    def test_of_a_script_that_fails_say_how_it_runs_alone(self):
        out = io.StringIO()
        run = stages.Run(stages.Memory(self.filters))
        self.addCleanup(run.end)

        def ends(jobs, _lasting, done, _count):
            done(jobs[-1], stages.Outcome(1, ["failed: one"], 0, failed=1), 1, "")

        with mock.patch("isolation.is_possible", return_value=True), mock.patch("lanes.run", ends), \
                contextlib.redirect_stdout(out):
            code = run.perform(run.jobs(["faults"]))
        self.assertEqual(code, 1)
        self.assertIn(
            "What failed (Tools/test --failed runs it again):\nfaults: failed: one\n  alone: Tools/test faults\n",
            out.getvalue())

    def test_that_failed_run_again_alone_until_they_pass(self):
        self.run_stages("metering", "dsp")
        code, out, _ = self.run_stages("--list")
        self.assertEqual(code, 0)
        self.assertRegex(out, r"(?m)^metering +[0-9.]+ s +[0-9.]+ s  failed$")
        self.assertRegex(out, r"(?m)^dsp +[0-9.]+ s +[0-9.]+ s$")
        self.assertRegex(out, r"(?m)^voice +not yet$")
        os.remove(self.filters)
        code, out, _ = self.run_stages("--failed")
        self.assertEqual((code, out.splitlines()[-1]), (0, "2 passed, 0 failed"))
        with open(self.filters, encoding="utf-8") as file:
            self.assertEqual(file.read(), "Tests.Suite/other;\n")
        code, out, err = self.run_stages("--failed")
        self.assertEqual((code, out, err), (0, "", "test: nothing failed last time\n"))

    def test_that_failed_without_a_test_that_did_run_again_as_they_were(self):
        self.run_stages("health", "dsp")
        os.remove(self.filters)
        code, out, _ = self.run_stages("--failed")
        self.assertEqual((code, out.splitlines()[-1]), (1, "2 passed, 1 failed"))
        with open(self.filters, encoding="utf-8") as file:
            self.assertEqual(file.read(), stages.shares("health")[0][1][1] + ";\n")

    def test_that_name_no_more_than_a_part_of_what_failed_run_again_as_they_were(self):
        # One crashes in a test, with another one not run; in the other one a suite fails beside a test.
        for area in ("recording", "files"):
            self.run_stages(area)
            os.remove(self.filters)
            code, _, _ = self.run_stages("--failed")
            self.assertEqual(code, 1)
            with open(self.filters, encoding="utf-8") as file:
                self.assertEqual(file.read(), stages.shares(area)[0][1][1] + ";\n")
            os.remove(os.path.join(os.path.dirname(self.filters), "tests.json"))

    def test_of_a_pattern_that_failed_run_no_more_once_their_whole_area_has_passed(self):
        self.assertEqual(self.run_stages("--only", "AudioMeteringTests", "io")[0], 1)
        self.assertEqual(self.run_stages("io")[0], 0)
        self.assertEqual(self.run_stages("--failed"), (0, "", "test: nothing failed last time\n"))

    def test_beside_another_run_leave_what_that_one_has_noted(self):
        path = os.path.join(os.path.dirname(self.filters), "tests.json")
        first, second = stages.Memory(path), stages.Memory(path)
        second.note("io 1", 2, 1, ["--filter", "a"])
        second.keep()
        first.note("dsp", 3, 1, None)
        first.keep()
        kept = stages.Memory(path)
        self.assertEqual((kept.times, kept.failed), ({"io 1": 2, "dsp": 3}, {"io 1": ["--filter", "a"]}))
        kept.note("io 1", None, None, None)
        kept.keep()
        self.assertEqual(stages.Memory(path).failed, {})
        self.assertEqual([name for name in os.listdir(os.path.dirname(path)) if name.startswith("tests.json.")], [])

    def test_that_were_not_run_because_a_build_failed_run_again(self):
        self.run_stages("dsp", "voice", NO_BUILD="1")
        code, out, _ = self.run_stages("--failed", NO_BUILD="1")
        self.assertEqual((code, out.splitlines()[-1]), (1, "0 passed, 1 failed"))
        code, out, _ = self.run_stages("--failed")
        self.assertEqual((code, out.splitlines()[-1]), (0, "4 passed, 0 failed"))
        with open(self.filters, encoding="utf-8") as file:
            self.assertEqual(
                sorted(file.read().splitlines()), sorted(stages.shares(area)[0][1][1] + ";" for area in ("dsp", "voice")))

    def test_of_a_pattern_run_alone(self):
        code, _, _ = self.run_stages("--only", "some test", "io")
        self.assertEqual(code, 0)
        with open(self.filters, encoding="utf-8") as file:
            self.assertEqual(file.read(), r"^(?=AudioIOTests\.)(?=.*(?:some test));" + "\n")
        for words in (["--only"], ["--only", "x"], ["--only", "x", "harness"], ["--failed", "io"]):
            self.assertEqual(self.run_stages(*words)[:2], (64, ""))

    def test_of_an_area_in_shares_run_each_suite_once(self):
        suites = []
        for folder, _, names in os.walk(stages.ROOT + "/Tests"):
            module = os.path.relpath(folder, stages.ROOT + "/Tests").split("/")[0]
            for name in names if module.endswith("Tests") else ():
                if name.endswith(".swift"):
                    with open(os.path.join(folder, name), encoding="utf-8") as file:
                        found = re.findall(r"^( *)(?:@Suite(?:\(.*\))? )?(?:final )?(?:class|struct) (\w+Tests)\b", file.read(), re.M)
                    suites += [f"{module}.{'OnServer/' if indent else ''}{suite}/x()" for indent, suite in found]
        self.assertGreater(len(suites), 300)
        choices = [choice[1] for area in stages.AREAS for _, choice in stages.shares(area)]
        for suite in suites:
            self.assertEqual(len([choice for choice in choices if re.search(choice, suite)]), 1, suite)
        for choice in choices:
            self.assertNotRegex("AudioIOTests.OnServer", choice)
            self.assertTrue(any(re.search(choice, suite) for suite in suites), choice)

    def test_side_by_side_are_counted_together(self):
        code, out, _ = self.run_stages("metering", "dsp", "voice")
        self.assertEqual((code, out.splitlines()[-1]), (1, "5 passed, 1 failed"))
        for line in ("== set-up: all is there in", "== build debug: built in", "== dsp: 2 passed, 0 failed in", "== metering: 1 passed, 1 failed in"):
            self.assertIn(line, out)

    def test_that_share_a_memory_run_one_by_one_which_is_said(self):
        for is_possible, count, said in (
                (True, lanes.COUNT, r"\A\Z"), (False, 1, r"\Atest: so the stages run one by one; [^\n]+\n\Z")):
            err = io.StringIO()
            with mock.patch("isolation.is_possible", return_value=is_possible), mock.patch("lanes.run") as run, \
                    contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(err):
                stage_run = stages.Run(stages.Memory(self.filters))
                self.addCleanup(stage_run.end)
                stage_run.perform([])
            self.assertEqual(run.call_args.args[3:], (count,))
            self.assertRegex(err.getvalue(), said)

    def test_say_what_they_computed(self):
        _, out, _ = self.run_stages("reports", "dsp")
        computed = {
            name: float(re.search(rf"(?m)^== {name}: .* s, (\d+) s of processor$", out)[1]) for name in ("reports", "dsp")}
        self.assertGreater(computed["reports"], computed["dsp"])

    def test_with_an_exit_code_and_no_failure_have_failed(self):
        code, out, _ = self.run_stages("health")
        self.assertEqual((code, out.splitlines()[-1]), (1, "2 passed, 1 failed"))

    def test_of_which_there_is_none_have_failed_though_others_pass(self):
        code, out, _ = self.run_stages("convert", "dsp")
        self.assertEqual((code, out.splitlines()[-1]), (1, "2 passed, 1 failed"))
        self.assertIn("convert: there are no such tests", out)

    def test_that_cannot_be_built_have_failed_and_show_the_error(self):
        code, out, _ = self.run_stages("dsp", NO_BUILD="1")
        self.assertEqual((code, out.splitlines()[-1]), (1, "0 passed, 1 failed"))
        self.assertIn("error: of that", out)
        self.assertIn("build debug: the build failed (exit code 1)\n  /here/Rig.swift:3:7: error: planted\n", out)
        self.assertNotIn("  macro expansion", out)

    def test_that_cannot_be_built_on_a_full_disk_say_so(self):
        code, out, _ = self.run_stages("dsp", FULL="1")
        self.assertEqual((code, out.splitlines()[-1]), (1, "0 passed, 1 failed"))
        self.assertIn(f"build debug: the build failed (it needs more room than the disk of {stages.ROOT} has; free some GB)\n", out)

    def test_without_what_they_need_end_the_run_though_it_builds(self):
        for before in ([], POWERLESS) if os.getuid() == 0 else ([],):
            process = self.start("dsp", "release", before=before, NO_PACKAGE="1")
            out, err = process.communicate(timeout=100)
            self.assertEqual((process.returncode, out), (69, ""))
            self.assertTrue(err.endswith("setup: it could not be installed\n"), err)

    def test_in_the_optimised_build_link_the_shared_runtime_where_there_is_no_other(self):
        with tempfile.TemporaryDirectory() as toolchain:
            os.makedirs(os.path.join(toolchain, "bin"))
            with open(os.path.join(toolchain, "bin/swift"), "w", encoding="utf-8") as file:
                file.write('#!/bin/bash\necho "$LIGHT $SHARED" >> "$FILTERS"\nexit 1\n')
            os.chmod(os.path.join(toolchain, "bin/swift"), 0o755)
            path = f"{toolchain}/bin:{os.environ['PATH']}"
            self.run_stages("release", PATH=path, SHARED="")
            os.makedirs(os.path.join(toolchain, "lib/swift_static/linux"))
            with open(os.path.join(toolchain, "bin/ld.lld"), "w", encoding="utf-8"):
                pass
            self.run_stages("release", PATH=path, SHARED="")
        with open(self.filters, encoding="utf-8") as file:
            self.assertEqual(file.read(), "1 1\n1 \n")

    def test_in_the_optimised_build_ask_the_compiler_where_its_toolchain_is(self):
        proxies = os.path.dirname(self.filters)
        with tempfile.TemporaryDirectory() as toolchain:
            os.makedirs(os.path.join(toolchain, "bin"))
            os.makedirs(os.path.join(toolchain, "lib/swift_static/linux"))
            facts = f'{{"paths": {{"runtimeResourcePath": "{toolchain}/lib/swift"}}}}'
            for path, text in (
                    (f"{toolchain}/bin/ld.lld", ""), (f"{proxies}/swiftc", f"echo '{facts}'"),
                    (f"{proxies}/swift", 'echo "$LIGHT $SHARED" >> "$FILTERS"\nexit 1')):
                with open(path, "w", encoding="utf-8") as file:
                    file.write(f"#!/bin/bash\n{text}\n")
                os.chmod(path, 0o755)
            self.run_stages("release", SHARED="")
        with open(self.filters, encoding="utf-8") as file:
            self.assertEqual(file.read(), "1 \n")

    def test_that_do_not_exist_are_an_error_of_usage(self):
        code, out, err = self.run_stages("jack", "jcak")
        self.assertEqual((code, out), (64, ""))
        self.assertIn('there is no stage "jcak"', err)

    def test_that_are_interrupted_leave_nothing(self):
        for number, ends in ((signal.SIGINT, -2), (signal.SIGTERM, -15), (signal.SIGKILL, -9)):
            process = self.start("jack")
            self.wait_for_two(process)
            process.send_signal(number)
            process.communicate(timeout=100)
            self.assertEqual(process.returncode, ends)
            self.assertEqual(wait_until_gone(self.processes(), 60), [])
            if number != signal.SIGKILL:
                self.assertEqual(os.listdir(self.temporary), [])
            os.remove(self.started)

    def test_that_are_interrupted_leave_what_was_known_of_those_that_did_not_end(self):
        self.run_stages("health", "recording")
        before = self.run_stages("--list")[1]
        # The one that was never run comes first, and hangs; the others wait for its lane.
        process = self.start("health", "jack", "recording", program=("-c", ONE_LANE))
        self.wait_for_two(process)
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=100)
        self.assertEqual(process.returncode, -signal.SIGTERM)
        self.assertNotIn("did not run to its end", out)
        self.assertIn("test: interrupted; 0 passed, 0 failed so far", err)
        areas = [[line for line in text.splitlines() if line.split()[0] in stages.AREAS]
                 for text in (before, self.run_stages("--list")[1])]
        self.assertEqual(*areas)


if __name__ == "__main__":
    unittest.main()
