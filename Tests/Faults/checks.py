"""Tests/Faults/run: whether the checkers find what is planted, and a minute of chaos."""

import concurrent.futures
import os
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
HARNESS = os.path.join(os.path.dirname(HERE), "Harness")
sys.path.append(HARNESS)

import isolation  # noqa: E402
import programs  # noqa: E402
import supervised  # noqa: E402

# As the tests' debug build has made it: to ask whether it is up to date would wait for any build that runs meanwhile.
programs.given = os.path.join(programs.ROOT, ".build/debug/iounit")
# The seeds have each kind of fault in their thirty seconds. A run prints its seed, and has its own deadline; this one is for
# what does not even get as far as that.
CHAOS = [["--seed", "1", "--mode", "sync"], ["--seed", "2", "--mode", "async"]]
MINUTES = 0.5
DEADLINE = (MINUTES * 60 + 360) * supervised.FACTOR


def check_the_checkers():
    """Returns how many tests there are, and the names of those that failed."""
    suite = unittest.defaultTestLoader.discover(HERE)
    result = unittest.TextTestRunner(verbosity=2).run(suite)
    return result.testsRun, {test.id() for test, _ in result.failures + result.errors}


def holds(words):
    """Whether a run of the chaos held, and what it printed."""
    command = [
        sys.executable, os.path.join(HARNESS, "isolation.py"), sys.executable, os.path.join(HERE, "chaos.py"), "--program",
        programs.given, "--minutes", str(MINUTES), *words]
    try:
        run = subprocess.run(
            command, timeout=DEADLINE, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    except subprocess.TimeoutExpired as late:
        return False, (late.stdout or b"").decode(errors="replace") + f"chaos {' '.join(words)}: past its deadline\n"
    return run.returncode == 0, run.stdout.decode(errors="replace")


count, wrong = check_the_checkers()
sys.stderr.flush()
# Side by side, each with servers that the other cannot reach; where that is not permitted, one after the other.
with concurrent.futures.ThreadPoolExecutor(len(CHAOS) if isolation.is_possible() else 1) as pool:
    for words, (held, said) in zip(CHAOS, pool.map(holds, CHAOS)):
        print(said, end="", flush=True)
        count += 1
        if not held:
            wrong.add(f"chaos {' '.join(words)}")
for name in sorted(wrong):
    print(f"failed: {name}")
print(f"{count - len(wrong)} passed, {len(wrong)} failed")
sys.exit(1 if wrong or count <= len(CHAOS) else 0)
