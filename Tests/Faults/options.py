"""The words of the command lines; what they mean is in each script's own --help.

    options.py TOOL WORDS…

Refuses what TOOL does not understand, before anything is installed for it or built.
"""

import argparse
import math
import sys

import contestants
import faults
import series

USAGE = 64


class Options(argparse.ArgumentParser):
    """A parser for one of the Tools."""

    def __init__(self, tool):
        super().__init__(prog=tool, add_help=False, allow_abbrev=False)

    def error(self, message):
        print(f"{self.prog}: {message}; see Tools/{self.prog} --help", file=sys.stderr)
        sys.exit(USAGE)


def minutes(text):
    """Raises `ValueError`."""
    value = float(text)
    if not 0 < value < math.inf:
        raise ValueError(f"{text} are no minutes")
    return value


def count(text):
    """A number of 1 or more. Raises `ValueError`."""
    if int(text) < 1:
        raise ValueError(f"{text} is less than 1")
    return int(text)


def chaos(words):
    parser = Options("chaos")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--seeds", type=series.seeds)
    parser.add_argument("--jobs", type=count)
    parser.add_argument("--minutes", type=minutes, default=1)
    parser.add_argument("--mode", choices=["sync", "async", "both"], default="async")
    parser.add_argument("--reconnect", choices=["auto", "never"], default="auto")
    parser.add_argument("--source", choices=["file", "client", "both"], default="file")
    parser.add_argument("--on-rate-change", choices=["split", "convert"], default="split")
    parser.add_argument("--build", choices=["release", "debug"], default="release")
    parser.add_argument("--program")
    parser.add_argument("--kills", type=count)
    parser.add_argument("--plan", type=count)
    parser.add_argument("--result")
    parser.add_argument("--keep")
    options = parser.parse_args(words)
    if options.source != "file" and options.on_rate_change == "convert":
        parser.error("frames of a client are counted at the server's rate, so that none is known after a conversion")
    if not options.seeds and "both" in (options.mode, options.source):
        parser.error("both of them are for --seeds")
    if not options.seeds and options.jobs:
        parser.error("--jobs is for --seeds")
    others = [name for name in ("seed", "kills", "plan", "result") if getattr(options, name) is not None]
    if options.seeds and others:
        parser.error(f"--seeds and --{others[0]} exclude each other")
    if options.kills and options.plan:
        parser.error("--kills and --plan exclude each other")
    return options


def part_of_a_fault(text):
    """Words of the name of a fault. Raises `ArgumentTypeError`."""
    if any(text in fault.name for fault in faults.ALL):
        return text
    names = ", ".join(fault.name for fault in faults.ALL)
    raise argparse.ArgumentTypeError(f'no fault has "{text}" in its name; there are {names}')


def compare_faults(words):
    parser = Options("compare-faults")
    parser.add_argument("--program", action="append", choices=[kind.name for kind in contestants.ALL])
    parser.add_argument("--fault", action="append", type=part_of_a_fault)
    parser.add_argument("--reconnect", choices=["auto", "never"], default="auto")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true")
    form.add_argument("--markdown", action="store_true")
    return parser.parse_args(words)


def soak(words):
    parser = Options("soak")
    parser.add_argument("--minutes", type=minutes, default=60)
    parser.add_argument("--mode", choices=["sync", "async"], default="sync")
    parser.add_argument("--load", action="store_true")
    return parser.parse_args(words)


if __name__ == "__main__":
    {"chaos": chaos, "compare-faults": compare_faults, "soak": soak}[sys.argv[1]](sys.argv[2:])
