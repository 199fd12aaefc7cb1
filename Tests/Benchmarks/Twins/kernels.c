// The kernels of AudioDSP as one would write them in C: the measure of the ones in Swift.
//
// Every kernel has one signature, so that all are called alike: samples to work on in place, other samples of the
// same length, the length in frames, and a gain or mix that was made ready before.

#include <math.h>
#include <stdint.h>
#include <string.h>

// A value that moves in a straight line, or stands still.
struct ramp {
    float start, step;
};

static inline float limited(float x, float limit) {
    x = x > limit ? limit : x;
    return x < -limit ? -limit : x;
}

static inline float cubic(float x) {
    x = limited(x, 1);
    return x * (1.5f - 0.5f * x * x);
}

float twin_gain(float *restrict x, const float *restrict other, long frames, const struct ramp *gain) {
    const float factor = gain->start;
    for (long i = 0; i < frames; i++) x[i] *= factor;
    return 0;
}

float twin_hard(float *restrict x, const float *restrict other, long frames, const struct ramp *gain) {
    const float factor = gain->start;
    for (long i = 0; i < frames; i++) x[i] = limited(x[i] * factor, 1);
    return 0;
}

float twin_cubic(float *restrict x, const float *restrict other, long frames, const struct ramp *gain) {
    const float factor = gain->start;
    for (long i = 0; i < frames; i++) x[i] = cubic(x[i] * factor);
    return 0;
}

float twin_cubic_ramp(float *restrict x, const float *restrict other, long frames, const struct ramp *gain) {
    const float start = gain->start, step = gain->step;
    for (long i = 0; i < frames; i++) x[i] = cubic(x[i] * (start + step * (float)i));
    return 0;
}

float twin_tanh(float *restrict x, const float *restrict other, long frames, const struct ramp *gain) {
    const float factor = gain->start;
    for (long i = 0; i < frames; i++) {
        const float v = limited(x[i] * factor, 7.45f);
        const float u = v * v;
        float numerator = u * 7.273091945557423e-11f + 1.5600782223220672e-7f;
        numerator = numerator * u + 4.9142464003145115e-5f;
        numerator = numerator * u + 4.678362573099415e-3f;
        numerator = numerator * u + 0.14285714285714285f;
        numerator = numerator * u + 1;
        float denominator = u * 4.800240684067899e-9f + 3.2761642668763414e-6f;
        denominator = denominator * u + 5.503955968352253e-4f;
        denominator = denominator * u + 3.007518796992481e-2f;
        denominator = denominator * u + 0.4761904761904762f;
        denominator = denominator * u + 1;
        x[i] = limited(v * numerator / denominator, 1);
    }
    return 0;
}

float twin_asymmetric(float *restrict x, const float *restrict other, long frames, const struct ramp *gain) {
    const float factor = gain->start;
    for (long i = 0; i < frames; i++) x[i] = (cubic(x[i] * factor + 0.25f) - 0.3671875f) * 0.7314285f;
    return 0;
}

static inline float flipped(float x, uint32_t sign) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits ^= sign;
    memcpy(&x, &bits, sizeof bits);
    return x;
}

float twin_fold(float *restrict x, const float *restrict other, long frames, const struct ramp *gain) {
    const float factor = gain->start;
    for (long i = 0; i < frames; i++) {
        const float v = limited(x[i] * factor, 4096);
        // Added to a number below 2^22, it leaves the nearest integer in the low bits.
        const float half = v * 0.5f + 12582912.0f;
        const float rest = v - (half - 12582912.0f) * 2;
        const float u = rest * rest;
        float slope = u * 1.5167511e-4f - 4.67415067e-3f;
        slope = slope * u + 0.079689923f;
        slope = slope * u - 0.64596376f;
        slope = slope * u + 1.5707963f;
        uint32_t bits;
        memcpy(&bits, &half, sizeof bits);
        x[i] = flipped(rest * slope, bits << 31);
    }
    return 0;
}

enum { CELLS = 2048 };
static double table[CELLS + 1];

// The hard curve, as the table that a shaper without one has.
__attribute__((constructor)) static void fill_table(void) {
    for (int line = 0; line <= CELLS; line++) table[line] = (2.0 * line - CELLS) / CELLS;
}

float twin_table(float *restrict x, const float *restrict other, long frames, const struct ramp *gain) {
    const float factor = gain->start;
    for (long i = 0; i < frames; i++) {
        const double position = ((double)(x[i] * factor) + 1) * (CELLS / 2);
        const double upper = position < CELLS ? position : CELLS;
        const double inner = upper > 0 ? upper : 0;
        const long whole = (long)inner;
        const long cell = whole < CELLS - 1 ? whole : CELLS - 1;
        x[i] = (float)(table[cell] + (table[cell + 1] - table[cell]) * (inner - (double)cell));
    }
    return 0;
}

float twin_copy_finite(float *restrict x, const float *restrict other, long frames, const struct ramp *gain) {
    int replaced = 0;
    for (long i = 0; i < frames; i++) {
        const int finite = other[i] <= 1e13f && other[i] >= -1e13f;
        x[i] = finite ? other[i] : 0;
        replaced += !finite;
    }
    return replaced;
}

// Eight sums side by side: a compiler may not reorder one sum of floats, and would add one sample at a time.
float twin_level(float *restrict x, const float *restrict other, long frames, const struct ramp *gain) {
    float peaks[8] = {0}, squares[8] = {0};
    long i = 0;
    for (; i + 8 <= frames; i += 8) {
        for (int lane = 0; lane < 8; lane++) {
            const float magnitude = fabsf(x[i + lane]);
            peaks[lane] = magnitude > peaks[lane] ? magnitude : peaks[lane];
            squares[lane] += magnitude * magnitude;
        }
    }
    for (; i < frames; i++) {
        const float magnitude = fabsf(x[i]);
        peaks[0] = magnitude > peaks[0] ? magnitude : peaks[0];
        squares[0] += magnitude * magnitude;
    }
    float peak = 0;
    double sum = 0;
    for (int lane = 0; lane < 8; lane++) {
        peak = peaks[lane] > peak ? peaks[lane] : peak;
        sum += squares[lane];
    }
    return peak + (float)sum;
}

float twin_crossfade(float *restrict x, const float *restrict other, long frames, const struct ramp *gain) {
    const float start = gain->start, step = gain->step;
    for (long i = 0; i < frames; i++) x[i] += (other[i] - x[i]) * (start + step * (float)i);
    return 0;
}
