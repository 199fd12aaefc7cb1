"""What the package hdrhistogram (PyPI) makes of some sets of values: written to hdrhistogram.json, and kept there.

The values are made from whole numbers alone, so that HistogramReference.swift makes the same.
usage: python hdrhistogram.py > hdrhistogram.json
"""

import io
import json

from hdrh.histogram import HdrHistogram

MASK = (1 << 64) - 1
PERCENTILES = [0, 0.01, 1, 10, 25, 50, 75, 90, 99, 99.5, 99.9, 99.99, 99.999, 100]


def splitmix64(seed):
    """Steele, Lea and Flood, OOPSLA 2014."""
    state = seed
    while True:
        state = (state + 0x9E3779B97F4A7C15) & MASK
        mixed = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & MASK
        yield mixed ^ (mixed >> 31)


def uniform(random, _):
    return next(random) % 2_000_000


def small(random, _):
    return next(random) % 2048


def long_tailed(random, _):
    """The logarithm is about normal: as many powers of two as coins of 32 show heads."""
    octave = bin(next(random) & 0xFFFFFFFF).count("1")
    return (1 << octave) + next(random) % (1 << octave)


def spiked(random, index):
    value = 1_333_000 + next(random) % 667
    return value + 20_000_000 * (next(random) % 5) if index % 997 == 0 else value


SETS = [
    ("uniform", uniform, 1, 20_000),
    ("small", small, 2, 5_000),
    ("longTailed", long_tailed, 3, 100_000),
    ("spiked", spiked, 4, 20_000),
    ("constant", lambda random, index: 1_333_333, 5, 1_000),
    ("single", lambda random, index: 123_456_789, 6, 1),
    ("pair", lambda random, index: index * 99_999_999_999, 7, 2),
]


def figures(name, make, seed, count):
    random = splitmix64(seed)
    histogram = HdrHistogram(1, 100_000_000_000, 3)
    for index in range(count):
        if not histogram.record_value(make(random, index)):
            raise SystemExit(f"{name}: a value is out of range")
    text = io.BytesIO()
    # In microseconds: three digits after the point are the nanoseconds.
    histogram.output_percentile_distribution(text, 1000)
    return {
        "name": name,
        "seed": seed,
        "count": count,
        "percentiles": [[p, histogram.get_value_at_percentile(p)] for p in PERCENTILES],
        "mean": histogram.get_mean_value(),
        "standardDeviation": histogram.get_stddev(),
        "distribution": text.getvalue().decode().splitlines(),
    }


print(json.dumps([figures(*of) for of in SETS], indent=1))
