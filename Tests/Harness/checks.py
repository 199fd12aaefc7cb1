"""Runs the tests of a folder: of the harness, or of the one that is named."""

import os
import sys
import unittest


def main(folder):
    suite = unittest.defaultTestLoader.discover(folder)
    result = unittest.TextTestRunner(verbosity=2).run(suite)
    sys.stderr.flush()
    wrong = {test.id() for test, _ in result.failures + result.errors}
    for name in sorted(wrong):
        print(f"failed: {name}")
    print(f"{result.testsRun - len(wrong)} passed, {len(wrong)} failed")
    return 1 if wrong or result.testsRun == 0 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))))
