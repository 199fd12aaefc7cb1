"""Whether a process stays within its bounds: what it had at the beginning, and a little."""

import collections

import processes
from problem import Problem


class Health:
    """Memory, descriptors, threads and entries in shared memory of the unit, against those at the beginning."""

    MEMORY_GROWTH = 16 << 20
    """Of resident memory, in bytes: a few buffers more than at the beginning."""
    LEFT_BEHIND = 2
    """A server that is killed leaves the semaphore of a client that does not come back by its name, as when the
    neighbour takes the unit's: one of each of the two, until clients of those names come."""
    PATIENCE = 5.0
    """How long what was in use may take to go, in seconds."""

    def __init__(self, process, server):
        self._process = process
        self._server = server
        self.first = self.now()

    def now(self):
        memory, peak = self._process.memory
        targets = self._process.descriptors
        return {
            "memory": memory, "peak": peak, "descriptors": len(targets), "targets": targets,
            "threads": self._process.threads, "shared": len(self._server.leftovers()),
        }

    def problems(self):
        """What has grown, in sentences."""
        found = []

        def is_well():
            found[:] = self._grown(self.now())
            return not found
        processes.wait_until(is_well, self.PATIENCE)
        return found

    def _grown(self, now):
        found = []
        for name, what, spare in (
                ("descriptors", "descriptors", 0), ("threads", "threads", 0),
                ("shared", "shared-memory entries", self.LEFT_BEHIND)):
            if now[name] > self.first[name] + spare:
                new = collections.Counter(now["targets"]) - collections.Counter(self.first["targets"])
                more = ": " + ", ".join(new) if name == "descriptors" else ""
                found.append(Problem(name, f"{now[name]} {what}, {self.first[name]} at the beginning{more}"))
        if now["memory"] > self.first["memory"] + self.MEMORY_GROWTH:
            found.append(
                Problem("memory", f"{now['memory'] >> 20} MB of memory, {self.first['memory'] >> 20} MB at the beginning"))
        return found
