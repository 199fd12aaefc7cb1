"""What a run of Swift tests reported of itself, test by test, as far as it came."""

import json


class Report:
    """The events that swift-testing writes with --event-stream-output-path.

    It writes each as it happens, so that also a run that crashed or hung is known up to that moment.
    """

    def __init__(self, lines):
        self.titles, self._started, self._ended, self._skipped = {}, {}, {}, {}
        self._issues, self._known = {}, []
        self.is_complete = False
        for line in lines:
            try:
                record = json.loads(line)
            except ValueError:
                continue  # The end of a run that crashed, in the middle of a line.
            self._take(record["kind"], record["payload"])

    def _take(self, kind, payload):
        if kind == "test":
            if payload["kind"] == "function":
                title = payload.get("displayName") or payload["name"]
                self.titles[payload["id"]] = f'{payload["id"].split("/")[0]}: {title}'
            return
        test, kind, time = payload.get("testID"), payload["kind"], payload["instant"]["absolute"]
        if kind == "runEnded":
            self.is_complete = True
        elif kind == "issueRecorded":
            text = "; ".join(_texts(payload)) + _place(payload)
            if payload.get("issue", {}).get("isKnown"):
                self._known.append((test, text))
            else:
                self._issues.setdefault(test, []).append(text)
        elif test in self.titles:
            if kind == "testStarted":
                self._started[test] = time
            elif kind == "testEnded":
                self._ended[test] = time
            elif kind == "testSkipped":
                self._skipped[test] = _texts(payload)[0]

    @property
    def failures(self):
        """What went wrong, a sentence for each test that failed, and for what failed outside of any."""
        found = []
        for test, texts in self._issues.items():
            found.append(f'{self._title(test)}: {"; ".join(texts[:3])}')
        for test in self.interrupted:
            if test not in self._issues:
                found.append(f"{self.titles[test]}: was running when the process ended")
        return found

    @property
    def failed(self):
        """The identifiers of the tests that went wrong."""
        return [test for test in dict.fromkeys([*self._issues, *self.interrupted]) if test in self.titles]

    @property
    def names_every_failure(self):
        """Whether `failed` is all that went wrong: every test was run, and each issue is a test's, not a suite's."""
        return self.is_complete and self._issues.keys() <= self.titles.keys()

    @property
    def interrupted(self):
        """Tests that began and did not come to their end."""
        return [test for test in self._started if test not in self._ended]

    @property
    def passed(self):
        return len([test for test in self._ended if test not in self._issues])

    @property
    def not_run(self):
        """How many tests the run did not come to."""
        return len(self.titles.keys() - self._skipped.keys() - self._started.keys())

    @property
    def skipped(self):
        """A sentence for each test that was left out, with its reason."""
        return [f"{self.titles[test]}: {text}" for test, text in self._skipped.items() if test in self.titles]

    @property
    def known(self):
        """A sentence for each issue that a test expects (`withKnownIssue`), and that does not fail it."""
        return [f"{self._title(test)}: {text}" for test, text in self._known]

    def _title(self, test):
        return self.titles.get(test, test or "outside of a test")

    def slowest(self, count):
        """Pairs of seconds and a title."""
        times = [(end - self._started[test], self.titles[test]) for test, end in self._ended.items()]
        return sorted(times, reverse=True)[:count]


def _place(payload):
    """Where in the source an issue was found, as in " (EngineTests.swift:12)"."""
    place = payload.get("issue", {}).get("sourceLocation") or {}
    path = place.get("_filePath") or place.get("filePath") or place.get("fileID") or ""
    return f" ({path.rsplit('/', 1)[-1]}:{place.get('line')})" if path else ""


def _texts(payload):
    """The kind of an issue, which may say no more than "Issue recorded", and the comments on it."""
    texts = [" ".join(message["text"].split())[:300] for message in payload.get("messages", []) if message.get("text")]
    return texts or ["an issue without a text"]
