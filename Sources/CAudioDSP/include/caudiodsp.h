// The inner loops that gain from an instruction set which not every machine has: Swift cannot choose one for a function.
// Each is written once, compiled for each set, and gives the same bits in all of them: no multiplication is fused with
// an addition, and every output is computed for itself in one order.
#pragma once

#include <stdint.h>

#ifdef __clang__
#define CAUDIODSP_RT_SAFE __attribute__((swift_attr("@_noLocks"), swift_attr("@_noAllocation")))
#else
#define CAUDIODSP_RT_SAFE
#endif

enum caudiodsp_instructions { CAUDIODSP_BASELINE, CAUDIODSP_AVX2, CAUDIODSP_AVX512 };

/// The best set of this machine. It asks the processor: not for the audio thread, which is told what was found.
int32_t caudiodsp_best_instructions(void);

// ---- The audio thread may call these. They touch nothing but what they are given, and never wait. ------------------

/// The root of a number of 0 or more, as one instruction.
CAUDIODSP_RT_SAFE static inline float caudiodsp_square_root(float square) {
    return __builtin_elementwise_sqrt(square);
}

/// The integer part of a number that a long holds, as one instruction: Swift's conversion asks each time whether it does.
CAUDIODSP_RT_SAFE static inline long caudiodsp_truncated(double number) { return (long)number; }

/// output[i] = Σ taps[k] · (memory[later[k] + i] + memory[earlier[k] + i]). Works in steps of sixteen outputs, so that
/// up to fifteen behind the last are written too.
CAUDIODSP_RT_SAFE void caudiodsp_filter(int32_t instructions, float *memory, const float *taps, const int32_t *later,
                                        const int32_t *earlier, long pairs, long output, long count);

/// As above, but output[i] = ½ (memory[delayed + i] + Σ …).
CAUDIODSP_RT_SAFE void caudiodsp_halve_band(int32_t instructions, float *memory, const float *taps,
                                            const int32_t *later, const int32_t *earlier, long pairs, long delayed,
                                            long output, long count);

/// The mean of the curve on the way from each of `previous` to each of `current`. `count` is a multiple of eight;
/// `output` may be none of the others.
CAUDIODSP_RT_SAFE void caudiodsp_mean_hard(int32_t instructions, float *output, const float *previous,
                                           const float *current, long count);
CAUDIODSP_RT_SAFE void caudiodsp_mean_cubic(int32_t instructions, float *output, const float *previous,
                                            const float *current, long count);

/// The curve of each sample times the gain, in place. `count` is a multiple of eight.
CAUDIODSP_RT_SAFE void caudiodsp_shape_hard(int32_t instructions, float *samples, float gain, long count);
CAUDIODSP_RT_SAFE void caudiodsp_shape_cubic(int32_t instructions, float *samples, float gain, long count);

/// Four biquads in a row on frames of two channels, in place. Here because of Swift's compiler, which takes vectors of two
/// doubles apart and puts others together: 1.7 times as long.
///
/// - `biquads`: b0, b1, b2, a1, a2 of each.
/// - `memory`: four of each, 0 at first.
CAUDIODSP_RT_SAFE void caudiodsp_biquads(double *frames, long count, const double *biquads, double *memory);
