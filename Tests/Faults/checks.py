"""Tests/Faults/run: whether the checkers find what is planted."""

import os
import sys
import unittest

suite = unittest.defaultTestLoader.discover(os.path.dirname(os.path.abspath(__file__)))
result = unittest.TextTestRunner(verbosity=2).run(suite)
wrong = {test.id() for test, _ in result.failures + result.errors}
for name in sorted(wrong):
    print(f"failed: {name}")
print(f"{result.testsRun - len(wrong)} passed, {len(wrong)} failed")
sys.exit(1 if wrong or result.testsRun == 0 else 0)
