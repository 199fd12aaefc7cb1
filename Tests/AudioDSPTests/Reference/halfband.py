"""The two kinds of half-band filter that the oversampler is made of, designed from their specification.

Frequencies are fractions of the higher of the two rates, so that the band edge of a half-band filter is 1/4.
usage: python halfband.py   prints the constants of Sources/AudioDSP/Filters/HalfBand.swift
"""

import numpy as np


def linear(pairs, passband):
    """The taps of the filtering branch of a linear-phase half-band filter, from the outside inwards, one of each pair.

    The other branch is a delay: every second tap of a half-band filter is 0 but for the middle one. What is left to
    design is a filter of 2 · `pairs` taps with gain 1 up to twice the pass band edge, to which the error of both pass
    band and stop band comes down (Vaidyanathan and Nguyen, IEEE Trans. Circuits and Systems, 1987). Remez exchange:
    at the extrema of the error an equation each says that it is the same with alternating signs.
    """
    grid = np.linspace(0, 2 * np.pi * 2 * passband, 200 * pairs)
    basis = 2 * np.cos(np.outer(grid, np.arange(pairs) + 0.5))
    places = np.linspace(0, len(grid) - 1, pairs + 1).round().astype(int)
    for _ in range(60):
        signs = (-1.0) ** np.arange(pairs + 1)
        solution = np.linalg.solve(np.column_stack([basis[places], signs]), np.ones(pairs + 1))
        error = basis @ solution[:-1] - 1
        slopes = np.diff(error)
        turns = np.flatnonzero(slopes[1:] * slopes[:-1] <= 0) + 1
        candidates = np.concatenate([[0], turns, [len(grid) - 1]])
        # At the lower end the error is flat and may be an extremum or not: the largest of those that alternate.
        while len(candidates) > pairs + 1:
            ends = np.abs(error[candidates[[0, -1]]])
            candidates = candidates[1:] if ends[0] < ends[1] else candidates[:-1]
        if len(candidates) < pairs + 1 or np.array_equal(candidates, places):
            break
        places = candidates
    return solution[:-1][::-1]


def impulse(taps):
    """The whole impulse response of a linear-phase half-band filter with a gain of 1."""
    branch = np.concatenate([taps, taps[::-1]]) / 2
    response = np.zeros(2 * len(branch) - 1)
    response[::2] = branch
    response[len(branch) - 1] = 0.5
    return response


def minimum(count, passband):
    """The coefficients of an elliptic half-band filter as two chains of all-pass sections (a + z⁻²) / (1 + a z⁻²).

    Ascending; the even ones form one branch, the odd ones the other, which is a sample later. All zeros lie on the
    unit circle and all poles within: the phase is minimal. By theta functions of the nome q (Valenzuela and
    Constantinides, IEE Proceedings G, 1983; the series of q after Abramowitz and Stegun, 17.3.21).
    """
    order = 2 * count + 1
    k = np.tan(np.pi * passband) ** 2
    root = (1 - k * k) ** 0.25
    e = 0.5 * (1 - root) / (1 + root)
    q = e + 2 * e**5 + 15 * e**9 + 150 * e**13
    i = np.arange(12)
    found = []
    for c in range(1, count + 1):
        numerator = 2 * q**0.25 * np.sum((-1.0) ** i * q ** (i * (i + 1)) * np.sin((2 * i + 1) * np.pi * c / order))
        j = i[1:]
        denominator = 1 + 2 * np.sum((-1.0) ** j * q ** (j * j) * np.cos(2 * j * np.pi * c / order))
        w = (numerator / denominator) ** 2
        x = np.sqrt((1 - w * k) * (1 - w / k)) / (1 + w)
        found.append((1 - x) / (1 + x))
    return np.array(found)


def minimum_response(coefficients, frequencies):
    z = np.exp(-2j * np.pi * np.asarray(frequencies))
    sections = [(a + z**2) / (1 + a * z**2) for a in coefficients]
    return 0.5 * (np.prod(sections[0::2], axis=0) + z * np.prod(sections[1::2], axis=0))


def linear_response(taps, frequencies):
    h = impulse(taps)
    return np.exp(-2j * np.pi * np.outer(frequencies, np.arange(len(h)))) @ h


def delay_at_dc(coefficients):
    """Of the all-pass form, in samples of the higher rate: the mean of its branches', of which each section adds."""
    sections = 2 * (1 - coefficients) / (1 + coefficients)
    return 0.5 * (1 + np.sum(sections))


# To 20 kHz at 44.1 kHz: what folds back below 20 kHz is held down by all of the stop band, in both stages.
FIRST_EDGE = 20 / 88.2
SECOND_EDGE = 20 / 176.4
LINEAR = [linear(33, FIRST_EDGE), linear(6, SECOND_EDGE)]
MINIMUM = [minimum(8, FIRST_EDGE), minimum(4, SECOND_EDGE)]


def figures(response, edge):
    """Ripple of the pass band and height of the stop band, in decibels."""
    passband = np.abs(response(np.linspace(0, edge, 20001)))
    stopband = np.abs(response(np.linspace(0.5 - edge, 0.5, 20001)))
    return np.max(np.abs(20 * np.log10(passband))), 20 * np.log10(np.max(stopband))


if __name__ == "__main__":
    for name, filters, respond in (("linear", LINEAR, linear_response), ("minimum", MINIMUM, minimum_response)):
        for design, edge in zip(filters, (FIRST_EDGE, SECOND_EDGE)):
            ripple, stop = figures(lambda f: respond(design, f), edge)
            print(f"{name}: {len(design)}, ripple {ripple:.2g} dB, stop band {stop:.1f} dB", end="")
            print(f", delay at DC {delay_at_dc(design):.6f}" if name == "minimum" else "")
            print(",\n".join(repr(float(np.float32(value))) for value in design))
