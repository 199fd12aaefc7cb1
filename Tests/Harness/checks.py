"""Tests/Harness/run: the tests of the harness."""

import os
import sys
import unittest


def main():
    suite = unittest.defaultTestLoader.discover(os.path.dirname(os.path.abspath(__file__)))
    result = unittest.TextTestRunner(verbosity=2).run(suite)
    sys.stderr.flush()
    wrong = {test.id() for test, _ in result.failures + result.errors}
    for name in sorted(wrong):
        print(f"failed: {name}")
    print(f"{result.testsRun - len(wrong)} passed, {len(wrong)} failed")
    return 1 if wrong or result.testsRun == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
