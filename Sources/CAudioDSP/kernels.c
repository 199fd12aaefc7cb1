#include "caudiodsp.h"

#pragma STDC FP_CONTRACT OFF

// What every machine of this kind has: SSE2, or NEON.
#define LANES 4
#define PASS 8
#define NAME(x) baseline_##x
#define TARGET
#include "lanes.h"
#undef LANES
#undef PASS
#undef NAME
#undef TARGET

#if defined(__x86_64__)
#define LANES 8
#define PASS 8
#define NAME(x) avx2_##x
#define TARGET __attribute__((target("avx2")))
#include "lanes.h"
#undef LANES
#undef PASS
#undef NAME
#undef TARGET

#define LANES 16
#define PASS 4
#define NAME(x) avx512_##x
#define TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))
#include "lanes.h"

int32_t caudiodsp_best_instructions(void) {
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        return CAUDIODSP_AVX512;
    return __builtin_cpu_supports("avx2") ? CAUDIODSP_AVX2 : CAUDIODSP_BASELINE;
}

// Calls by name, which can be followed in the machine code, where a pointer could lead anywhere.
#define CHOOSE(kernel, ...)                                                         \
    switch (instructions) {                                                         \
    case CAUDIODSP_AVX512: avx512_##kernel(__VA_ARGS__); break;                     \
    case CAUDIODSP_AVX2: avx2_##kernel(__VA_ARGS__); break;                         \
    default: baseline_##kernel(__VA_ARGS__);                                        \
    }
#else
int32_t caudiodsp_best_instructions(void) { return CAUDIODSP_BASELINE; }

#define CHOOSE(kernel, ...) baseline_##kernel(__VA_ARGS__)
#endif

void caudiodsp_filter(int32_t instructions, float *memory, const float *taps, const int32_t *later,
                      const int32_t *earlier, long pairs, long output, long count) {
    CHOOSE(filter, memory, taps, later, earlier, pairs, output, count);
}

void caudiodsp_halve_band(int32_t instructions, float *memory, const float *taps, const int32_t *later,
                          const int32_t *earlier, long pairs, long delayed, long output, long count) {
    CHOOSE(halve_band, memory, taps, later, earlier, pairs, delayed, output, count);
}

void caudiodsp_mean_hard(int32_t instructions, float *output, const float *previous, const float *current,
                         long count) {
    CHOOSE(mean_hard, output, previous, current, count);
}

void caudiodsp_mean_cubic(int32_t instructions, float *output, const float *previous, const float *current,
                          long count) {
    CHOOSE(mean_cubic, output, previous, current, count);
}

void caudiodsp_shape_hard(int32_t instructions, float *samples, float gain, long count) {
    CHOOSE(shape_hard, samples, gain, count);
}

void caudiodsp_shape_cubic(int32_t instructions, float *samples, float gain, long count) {
    CHOOSE(shape_cubic, samples, gain, count);
}
