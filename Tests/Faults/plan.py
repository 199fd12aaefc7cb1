"""Which faults come, in which order and how long: a function of the seed alone."""

import dataclasses
import random
import signal

PERIODS = [16, 32, 64, 128, 256, 512, 1024, 2048, 4096]
RATES = [44100, 48000, 96000]


@dataclasses.dataclass(frozen=True)
class Step:
    """A fault, the time to wait before it in seconds, and what it is done with."""
    number: int
    pause: float
    fault: str
    parameters: dict

    def __str__(self):
        words = " ".join(f"{name}={value}" for name, value in self.parameters.items())
        return f"{self.fault} {words}".strip()


class Plan:
    """A sequence of faults that never ends, and how the run does.

    With `survives_server` also those that take the server away; with `has_client` those of a client that the sound
    comes from.
    """

    def __init__(self, seed, survives_server=True, has_client=False):
        self.seed = seed
        self._random = random.Random(seed)
        self._kinds = list(LASTING)
        if survives_server:
            self._kinds += TAKING
        if has_client:
            self._kinds += FEEDING
        self.ending = self._random.choice([[signal.SIGINT], [signal.SIGTERM], [signal.SIGINT, signal.SIGINT]])

    def steps(self):
        number = 0
        left = []
        while True:
            # Each kind once before any comes again, so that a short run misses few of them.
            if not left:
                left = self._kinds.copy()
                self._random.shuffle(left)
            fault, draw = left.pop()
            number += 1
            yield Step(number, round(self._random.uniform(0.1, 2), 2), fault, draw(self._random))


def _seconds(least, most):
    return lambda random: {"seconds": round(random.uniform(least, most), 2)}


def _restart(signal_name, rates=None):
    def draw(random):
        away = {"signal": signal_name, "seconds": round(random.uniform(0, 1.5), 2)}
        if rates:
            away |= {"rate": random.choice(rates), "period": random.choice(PERIODS[2:])}
        return away | {"namesake": random.random() < 0.25}
    return draw


# Faults that leave the server alive.
LASTING = [
    ("server-freezes", _seconds(0.2, 3)),
    ("program-freezes", _seconds(0.2, 3)),
    ("period-changes", lambda random: {"periods": random.sample(PERIODS, 3)}),
    ("freewheel", _seconds(0.05, 0.2)),
    ("neighbour-crashes", _seconds(0.2, 0.5)),
    ("neighbour-freezes", _seconds(0.2, 1.5)),
    ("neighbour-changes-ports", lambda random: {"rename": random.random() < 0.5}),
    ("disk-busy", _seconds(0.5, 1.5)),
]

# Faults that take it away.
TAKING = [
    ("server-restarts", _restart("SIGKILL")),
    ("server-restarts", _restart("SIGTERM")),
    ("server-restarts", _restart("SIGKILL", RATES)),
    ("server-flaps", lambda random: {"times": random.randint(2, 4), "seconds": round(random.uniform(0, 0.5), 2)}),
]

# Faults of the client that the sound comes from.
FEEDING = [
    ("source-disconnected", _seconds(0.1, 1)),
    ("source-changes-ports", _seconds(0.1, 1)),
    ("source-renames-ports", _seconds(0.1, 0.5)),
]
