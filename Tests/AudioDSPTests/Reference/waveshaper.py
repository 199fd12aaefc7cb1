"""What the waveshaper is to make of a signal, in double precision and by another way: written to waveshaper.json.

Means over an interval are integrated numerically, piece by piece, where the kernels have closed forms; filters are
plain convolutions and difference equations of the stuffed signal, where the kernels are polyphase.
usage: python waveshaper.py > waveshaper.json
"""

import json

import numpy as np

import halfband

GAIN = 3.0
FRAMES, KEPT = 224, 64
RATE = 44100
BIAS = 0.25
TABLE = [(-1.0, -0.75), (-0.25, -0.5), (0.0, 0.0), (0.5, 0.875), (1.0, 1.0)]


def splitmix64(seed):
    """Steele, Lea and Flood, OOPSLA 2014."""
    mask = (1 << 64) - 1
    while True:
        seed = (seed + 0x9E3779B97F4A7C15) & mask
        mixed = ((seed ^ (seed >> 30)) * 0xBF58476D1CE4E5B9) & mask
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & mask
        yield mixed ^ (mixed >> 31)


def noise(seed, count):
    """Exact in single precision: multiples of 2⁻²³ from −1 to 1."""
    random = splitmix64(seed)
    return np.array([(next(random) >> 40) / 2**23 - 1 for _ in range(count)])


# ---- Shapes: the curve, and the places where it is not smooth ----------------------------------------------------


def cubic(x):
    x = np.clip(x, -1, 1)
    return 1.5 * x - 0.5 * x**3


SHAPES = {
    "off": (lambda x: x, []),
    "hard": (lambda x: np.clip(x, -1, 1), [-1, 1]),
    "cubic": (cubic, [-1, 1]),
    "tanh": (np.tanh, []),
    "asymmetric": (lambda x: (cubic(x + BIAS) - cubic(BIAS)) / (1 + cubic(BIAS)), [-1 - BIAS, 1 - BIAS]),
    "fold": (lambda x: np.sin(np.pi / 2 * x), []),
    "table": (lambda x: np.interp(x, *zip(*TABLE)), [x for x, _ in TABLE]),
}

NODES, WEIGHTS = np.polynomial.legendre.leggauss(10)


def mean(shape, a, b):
    """The mean of the curve from a to b, by Gauss and Legendre over each smooth piece of at most 1/2."""
    curve, kinks = SHAPES[shape]
    low, high = np.minimum(a, b), np.maximum(a, b)
    reach = np.ceil(max(-low.min(), high.max())) + 1
    edges = np.unique(np.concatenate([np.arange(-reach, reach + 0.5, 0.5), kinks]))
    total = np.zeros_like(a)
    for start, end in zip(edges[:-1], edges[1:]):
        left, right = np.clip(low, start, end), np.clip(high, start, end)
        half, centre = (right - left) / 2, (right + left) / 2
        total += half * (curve(centre[:, None] + half[:, None] * NODES) @ WEIGHTS)
    return np.where(high > low, total / np.where(high > low, high - low, 1), curve(b))


# ---- Filters ----------------------------------------------------------------------------------------------------


def all_pass(coefficients, x):
    """The sections (a + z⁻²) / (1 + a z⁻²) in turn."""
    x = x.tolist()
    for a in coefficients:
        y = [a * x[0], a * x[1]]
        for n in range(2, len(x)):
            y.append(a * (x[n] - y[n - 2]) + x[n - 2])
        x = y
    return np.array(x)


def half_band(x, stage, phase):
    if phase == "linear":
        return np.convolve(x, halfband.impulse(halfband.LINEAR[stage]))[: len(x)]
    coefficients = halfband.MINIMUM[stage]
    later = np.concatenate([[0.0], x[:-1]])
    return 0.5 * (all_pass(coefficients[0::2], x) + all_pass(coefficients[1::2], later))


def up(x, stage, phase):
    stuffed = np.zeros(2 * len(x))
    stuffed[::2] = 2 * x
    return half_band(stuffed, stage, phase)


def down(x, stage, phase, first):
    """`first`: which of two samples is kept."""
    return half_band(x, stage, phase)[first::2]


def kept(stage, stages, phase):
    """The later of two samples is a sample's delay less. With linear phase the outer stage of one keeps the earlier,
    so that the whole delay is whole frames."""
    return 0 if phase == "linear" and (stage == 1 or stages == 1) else 1


def block_dc(x):
    pole = 1 - 2 * np.pi / 4800
    y = np.zeros_like(x)
    for n in range(len(x)):
        y[n] = x[n] - (x[n - 1] if n else 0) + pole * (y[n - 1] if n else 0)
    return y


# ---- Modes: stages of oversampling, and whether the antiderivative is used ----------------------------------------

MODES = {
    "off": (0, False),
    "adaa": (0, True),
    "2x": (1, False),
    "4x": (2, False),
    "adaa+2x": (1, True),
    "best": (2, True),
}


def shaped(x, shape, mode, phase):
    """`x` is driven already."""
    if shape == "off":
        return x
    stages, integrates = MODES[mode]
    for stage in range(stages):
        x = up(x, stage, phase)
    x = mean(shape, np.concatenate([[0.0], x[:-1]]), x) if integrates else SHAPES[shape][0](x)
    for stage in reversed(range(stages)):
        x = down(x, stage, phase, kept(stage, stages, phase))
    return block_dc(x) if shape == "asymmetric" else x


def latency(mode, phase):
    """In frames, at DC."""
    stages, integrates = MODES[mode]
    total = 0.5 / 2**stages if integrates else 0
    for stage in range(stages):
        design = (halfband.LINEAR if phase == "linear" else halfband.MINIMUM)[stage]
        delay = 2 * len(design) - 1 if phase == "linear" else halfband.delay_at_dc(design)
        total += (2 * delay - kept(stage, stages, phase)) / 2 ** (stage + 1)
    return total


# ---- Aliases ----------------------------------------------------------------------------------------------------


def purity(output, turns):
    """Decibels from the harmonics up to 20 kHz to everything else up to 20 kHz, DC left out.

    `output` holds an odd number of turns in a power of two of frames: no window is needed, since all is periodic,
    and the multiples of an odd number fall on different bins, so that no alias hides on a harmonic's.
    """
    power = np.abs(np.fft.rfft(output)) ** 2
    top = int(20000 / RATE * len(output))
    wanted = np.arange(turns, top + 1, turns)
    harmonics = np.sum(power[wanted])
    return 10 * np.log10(harmonics / (np.sum(power[1 : top + 1]) - harmonics))


def odd_turns(frequency, frames):
    return 2 * round((frequency * frames / RATE - 1) / 2) + 1


def alias(shape, mode, phase, frequency, gain=10, frames=8192):
    turns, settling = odd_turns(frequency, frames), 1024
    sine = gain * np.sin(2 * np.pi * turns * np.arange(-settling, frames) / frames)
    return purity(shaped(sine, shape, mode, phase)[settling:], turns)


def check_purity():
    """On a sine, a harmonic of it and a tone of −60 dB that is neither."""
    time = 2 * np.pi * np.arange(8192) / 8192
    known = np.sin(231 * time) + 0.5 * np.sin(3 * 231 * time) + 1e-3 * np.cos(1000 * time)
    assert abs(purity(known, 231) - 10 * np.log10(1.25e6)) < 1e-6


def check_filters():
    """As they are used, in single precision: to 20 kHz at 44.1 kHz, ±0.001 dB, and 100 dB down."""
    for designs, respond in (
            (halfband.LINEAR, halfband.linear_response), (halfband.MINIMUM, halfband.minimum_response)):
        for design, edge in zip(designs, (halfband.FIRST_EDGE, halfband.SECOND_EDGE)):
            used = np.float64(np.float32(design))
            ripple, stop = halfband.figures(lambda f: respond(used, f), edge)
            assert ripple <= 0.001 and stop <= -100, (ripple, stop)


def cases():
    for mode, (stages, _) in MODES.items():
        for phase in ("linear", "minimum") if stages else ("linear",):
            yield mode, phase


def main():
    check_purity()
    check_filters()
    signal = GAIN * noise(1, FRAMES)
    filters = {"linear": halfband.LINEAR, "minimum": halfband.MINIMUM}
    lines = ['{"gain": %g, "frames": %d,' % (GAIN, FRAMES)]
    lines.append('"filters": ' + json.dumps({
        phase: [[float(np.float32(value)) for value in design] for design in designs]
        for phase, designs in filters.items()}) + ",")
    lines.append('"latencies": [')
    lines.append(",\n".join(json.dumps([m, p, round(latency(m, p), 9)]) for m, p in cases()) + "],")
    lines.append('"aliases": [')
    lines.append(",\n".join(
        json.dumps([shape, mode, phase, frequency, round(alias(shape, mode, phase, frequency), 2)])
        for shape in ("cubic",) for mode, phase in cases() for frequency in (1244.5, 5000)) + "],")
    lines.append('"outputs": [')
    lines.append(",\n".join(
        json.dumps([shape, mode, phase, [round(v, 9) for v in shaped(signal, shape, mode, phase)[-KEPT:]]])
        for shape in SHAPES if shape != "off" for mode, phase in cases()) + "]}")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
