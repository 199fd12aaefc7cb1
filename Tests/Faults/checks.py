"""Tests/Faults/run: whether the checkers find what is planted, and a minute of chaos."""

import os
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
# The debug build is there when all tests run, and the seeds have each kind of fault in their thirty seconds. A run
# prints its seed, and has its own deadline; this one is for what does not even get as far as that.
CHAOS = [["--seed", "1", "--mode", "sync"], ["--seed", "2", "--mode", "async"]]
MINUTES = 0.5
DEADLINE = MINUTES * 60 + 300


def check_the_checkers():
    """Returns how many tests there are, and the names of those that failed."""
    suite = unittest.defaultTestLoader.discover(HERE)
    result = unittest.TextTestRunner(verbosity=2).run(suite)
    return result.testsRun, {test.id() for test, _ in result.failures + result.errors}


def holds(words):
    """Whether a run of the chaos held."""
    command = [sys.executable, os.path.join(HERE, "chaos.py"), "--build", "debug", "--minutes", str(MINUTES), *words]
    try:
        return subprocess.run(command, timeout=DEADLINE, check=False).returncode == 0
    except subprocess.TimeoutExpired:
        print(f"chaos {' '.join(words)}: past its deadline", file=sys.stderr)
        return False


count, wrong = check_the_checkers()
sys.stderr.flush()
for words in CHAOS:
    count += 1
    if not holds(words):
        wrong.add(f"chaos {' '.join(words)}")
for name in sorted(wrong):
    print(f"failed: {name}")
print(f"{count - len(wrong)} passed, {len(wrong)} failed")
sys.exit(1 if wrong or count <= len(CHAOS) else 0)
