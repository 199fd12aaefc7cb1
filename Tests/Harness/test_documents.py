"""Documents: what does not fit its schema, has none, or is no JSON is told with the words that printed it."""

import json
import os
import tempfile
import unittest

import documents

COMMAND = r"""#!/bin/bash
[[ "$*" == "help --schema jitter" ]] || exit 64
echo '{"$schema": "https://json-schema.org/draft/2020-12/schema", "required": ["schema", "load"], "properties":
    {"schema": {"const": "iounit.jitter/2"}, "load": {"type": "number"}}}'
"""


class Documents(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.command, self.folder = os.path.join(place.name, "iounit"), os.path.join(place.name, "documents")
        os.mkdir(self.folder)
        with open(self.command, "w", encoding="utf-8") as file:
            file.write(COMMAND)
        os.chmod(self.command, 0o755)

    def keep(self, text, words="jitter --json", code=0):
        with open(os.path.join(self.folder, str(len(os.listdir(self.folder)))), "w", encoding="utf-8") as file:
            file.write(f"{json.dumps([code, *words.split()])}\n{text}")

    def complaints(self):
        return documents.complaints(self.folder, self.command)

    def test_one_that_fits_its_schema_and_a_schema_itself_are_right(self):
        self.keep('{"schema": "iounit.jitter/2", "load": 0.5}\n')
        self.keep('{\n"schema": "iounit.jitter/2",\n"load": 1\n}\n', code=-2)
        self.keep('{"$schema": "draft", "type": "object"}', "help --schema jitter")
        self.assertEqual(self.complaints(), [])

    def test_one_that_does_not_is_told_once_with_its_place_and_its_words(self):
        for _ in range(2):
            self.keep('{"schema": "iounit.jitter/2", "load": "much"}')
        self.assertEqual(self.complaints(), ["iounit jitter --json: iounit.jitter/2: load: 'much' is not of type 'number'"])

    def test_each_line_is_a_document_where_there_are_several(self):
        self.keep('{"schema": "iounit.jitter/2", "load": 1}\n{"schema": "iounit.jitter/2"}\n')
        self.assertEqual(
            self.complaints(), ["iounit jitter --json: iounit.jitter/2: : 'load' is a required property"])

    def test_one_without_a_schema_is_told(self):
        self.keep('{"load": 1}', "ports --json")
        self.keep('{"schema": "iounit.tune/9"}', "tune --json")
        self.assertEqual(
            self.complaints(),
            ['iounit ports --json: there is no schema ""', 'iounit tune --json: there is no schema "iounit.tune/9"'])

    def test_what_is_no_json_is_told_but_where_a_signal_cut_it(self):
        self.keep('{"schema": "iounit', "jitter --json", -9)
        self.assertEqual(self.complaints(), [])
        self.keep('{"schema": "iounit', "jitter --json", 0)
        self.assertEqual(self.complaints(), ["iounit jitter --json: what it printed is no JSON"])


if __name__ == "__main__":
    unittest.main()
