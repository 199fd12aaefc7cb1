"""Sound whose frames say which ones they are.

Frame n of two channels holds (n mod 2²³) + 1 and (n div 2²³) · 2¹² + (n mod 2¹²) + 1, both in units of 2⁻²⁴: whole
numbers that a 32-bit float holds exactly, below full scale, and never silence. The second channel repeats bits of the
first, so that channels of different frames, or frames mixed with each other, are found out.
"""

import numpy

LOW_BITS = 23
CHECK_BITS = 12
UNIT = 2.0**-24
CHANNELS = 2
"""The code's own: a unit under test has as many."""

SILENT = -1
BROKEN = -2
HALF = -3
"""One channel is silent, and the other one is not: only one is connected."""


def encode(first, count):
    """Frames `first` to `first + count`, as floats of shape (count, 2)."""
    index = numpy.arange(first, first + count, dtype=numpy.int64)
    low = (index & (1 << LOW_BITS) - 1) + 1
    high = ((index >> LOW_BITS) << CHECK_BITS) + (index & (1 << CHECK_BITS) - 1) + 1
    return (numpy.stack([low, high], axis=1) * UNIT).astype(numpy.float32)


def decode(samples):
    """Which frame each one is.

    `SILENT` where both channels are 0, `HALF` where one is, `BROKEN` where they are none of ours.
    """
    values = samples.astype(numpy.float64) / UNIT
    whole = numpy.rint(values)
    low = whole[:, 0].astype(numpy.int64) - 1
    high = whole[:, 1].astype(numpy.int64) - 1
    index = ((high >> CHECK_BITS) << LOW_BITS) + low
    fits = (values == whole).all(axis=1) & (low >= 0) & (high >= 0) & (low < 1 << LOW_BITS)
    fits &= (low & (1 << CHECK_BITS) - 1) == (high & (1 << CHECK_BITS) - 1)
    index[~fits] = BROKEN
    index[(samples == 0).any(axis=1)] = HALF
    index[(samples == 0).all(axis=1)] = SILENT
    return index
