"""What the stage makes of clients that are not run: whom it blames, and whom it helps."""

import types
import unittest

from stage import Stage


class Client:
    """One that plays or does not, and is let in or is not."""

    def __init__(self, name, plays=False, is_let_in=True):
        self.name = name
        self.is_running = True
        self.process = object()
        self.starts = 0
        self._plays = plays
        self._is_let_in = is_let_in
        self._played = 0

    @property
    def played(self):
        self._played += self._plays
        return self._played

    def start(self):
        self.starts += 1
        return self._is_let_in


class TheStage(unittest.TestCase):
    limps = False

    def wait(self, neighbour, cycles, source=None):
        """Waits a little for what never comes; returns the kinds of events."""
        stage = self.stage = Stage.__new__(Stage)
        stage.PATIENCE, stage.SOUND_DEADLINE = 0.01, 0.02
        stage.neighbour, stage.source = neighbour, source
        stage.unit = types.SimpleNamespace(pid=0)
        stage.server = types.SimpleNamespace(is_running=True)
        stage.witness = types.SimpleNamespace(
            journal=lambda: types.SimpleNamespace(
                unit_cycles_since=lambda seconds: cycles, limp=lambda seconds: self.limps and "it limps"))
        self.restarts = 0
        stage._server_restarts = self.note_restart
        stage._events = []
        self.assertFalse(stage._wait_beside_others(lambda: False))
        return {event.kind for event in stage.take_events()}

    def note_restart(self, *_, **__):
        self.restarts += 1
        self.stage.neighbour = Client("neighbour", plays=True)

    def test_all_are_run(self):
        self.assertEqual(self.wait(Client("neighbour", plays=True), 100), set())

    def test_a_server_that_limps_though_the_unit_joined_anew_is_replaced(self):
        self.limps = True
        self.assertEqual(self.wait(Client("neighbour", plays=True), 100), {"limping"})
        self.assertEqual(self.restarts, 1)

    def test_a_neighbour_is_not_run(self):
        neighbour = Client("neighbour")
        self.assertEqual(self.wait(neighbour, 100), {"client not run"})
        self.assertGreater(neighbour.starts, 0)

    def test_the_unit_is_not_run_either(self):
        neighbour = Client("neighbour")
        self.assertEqual(self.wait(neighbour, 0), set())
        self.assertEqual(neighbour.starts, 0)

    def test_a_source_of_its_own_is_not_run(self):
        source = Client("source")
        self.assertEqual(self.wait(Client("neighbour", plays=True), 100, source), {"client not run"})
        self.assertGreater(source.starts, 0)

    def test_a_server_that_lets_nobody_in_is_replaced(self):
        neighbour = Client("neighbour", is_let_in=False)
        self.assertEqual(self.wait(neighbour, 100), {"client not run", "no client let in"})
        self.assertEqual(self.restarts, 1)

    def test_a_source_that_is_gone_is_started_again(self):
        source = Client("source", plays=True)
        source.is_running = False
        self.assertEqual(self.wait(Client("neighbour", plays=True), 100, source), {"client not run"})


if __name__ == "__main__":
    unittest.main()
