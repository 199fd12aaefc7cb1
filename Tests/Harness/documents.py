"""Holds what the command printed in the tests against the schemas that the command prints, by a validator that is not ours."""

import json
import os
import subprocess

from deadline import FACTOR

SECONDS = 60
"""So long may a schema take to be printed."""


def complaints(folder, command):
    """A sentence for each document that is not as its schema says.

    `folder` has a file for each run of the command that printed JSON, as `CommandRun` leaves it: the exit code and the words in
    an array on the first line, and what was printed behind it.
    """
    schemas, found = {}, {}
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
            try:
                code, *words = json.loads(file.readline())
            except ValueError:
                continue  # The tests came to no end, or the disk was full, which they tell.
            text = file.read()
        for document in _documents(text):
            for fault in _faults(document, code, schemas, command):
                found.setdefault(fault, " ".join(words))
    return [f"iounit {words[:200]}: {fault}" for fault, words in found.items()]


def _documents(text):
    """What was printed: one document, or one in each line; `None` for what is none."""
    for part in (text,), text.splitlines():
        try:
            return [json.loads(piece) for piece in part]
        except ValueError:
            continue
    return [None]


def _faults(document, code, schemas, command):
    if document is None:
        # One that a signal has ended may have been in the middle of it, but SIGINT lets it finish.
        return [] if code < 0 and code != -2 else ["what it printed is no JSON"]
    if not isinstance(document, dict) or "$schema" in document:
        return []
    name = document.get("schema", "")
    if name not in schemas:
        schemas[name] = _validator(name, command)
    if schemas[name] is None:
        return [f'there is no schema "{name}"']
    return [
        f'{name}: {"/".join(str(step) for step in error.absolute_path)}: {error.message[:200]}'
        for error in schemas[name].iter_errors(document)]


def _validator(name, command):
    # Installed by the set-up, so that what does not need it runs without.
    from jsonschema import Draft202012Validator
    kind = name.removeprefix("iounit.").split("/")[0]
    printed = subprocess.run(
        [command, "help", "--schema", kind], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        timeout=SECONDS * FACTOR, check=False)
    return Draft202012Validator(json.loads(printed.stdout)) if printed.returncode == 0 else None
