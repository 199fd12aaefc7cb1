"""What the tools run: built where it is not, or no longer up to date."""

import functools
import os
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HERE = os.path.dirname(os.path.abspath(__file__))


class NotBuilt(Exception):
    """What the compiler had to say."""


configuration = "release"
"""Which build of the command is run."""
given = None
"""The command, where it is to be run as it is, and not to be built."""


@functools.cache
def iounit():
    """The command."""
    # Nobody's settings have a say in a test.
    os.environ["XDG_CONFIG_HOME"] = os.devnull
    if given:
        return given
    print("building iounit", file=sys.stderr)
    if configuration == "release":
        _run(os.path.join(ROOT, "Tools", "iounit"), "--version")  # Which builds it.
    else:
        _run("swift", "build", "--configuration", configuration, "--product", "iounit", "--package-path", ROOT)
    return os.path.join(ROOT, ".build", configuration, "iounit")


@functools.cache
def counter():
    """The JACK client whose sound can be counted."""
    return _compiled("counter.c", "counter", "-lm")


@functools.cache
def witness():
    """The library that notes what the clients see into which it is preloaded."""
    return _compiled("witness.c", "witness.so", "-shared", "-fPIC")


def _compiled(source, name, *options):
    source, program = os.path.join(HERE, source), os.path.join(ROOT, ".build", "faults", name)
    if not os.path.exists(program) or os.path.getmtime(program) < os.path.getmtime(source):
        os.makedirs(os.path.dirname(program), exist_ok=True)
        flags = _run("pkg-config", "--cflags", "--libs", "jack").split()
        # Into its place in one step: another run may be starting the old one.
        fresh = f"{program}.{os.getpid()}"
        _run(_clang(), "-O2", "-Wall", "-Werror", source, "-o", fresh, *flags, *options)
        os.replace(fresh, program)
    return program


def _clang():
    """The toolchain's own."""
    beside = os.path.join(os.path.dirname(os.path.realpath(shutil.which("swift") or "swift")), "clang")
    return beside if os.path.exists(beside) else "clang"


def _run(*words):
    try:
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    except OSError as error:
        raise NotBuilt(f"{words[0]} cannot be run: {error.strerror}") from error
    with process:
        try:
            said, told = process.communicate()
        finally:
            process.terminate()  # Where this is interrupted: a script then ends the compiler.
    if process.returncode != 0:
        raise NotBuilt(said + told)
    return said
