"""The words of a command line; what they mean is in the script's own --help."""

import argparse
import sys

USAGE = 64


class Options(argparse.ArgumentParser):
    """A parser for one of the Tools."""

    def __init__(self, tool):
        super().__init__(prog=tool, add_help=False, allow_abbrev=False)

    def error(self, message):
        print(f"{self.prog}: {message}; see Tools/{self.prog} --help", file=sys.stderr)
        sys.exit(USAGE)
