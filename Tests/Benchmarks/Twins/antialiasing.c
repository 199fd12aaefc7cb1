// The inner loops of the oversampler as one would write them in C, for each instruction set. See kernels.c.

#pragma STDC FP_CONTRACT OFF

// A folded filter: taps, and where the two samples of each lie. It comes in the place of the other twins' gain.
struct filter {
    const float *taps;
    const int *later, *earlier;
    long pairs;
    // Where the other branch of a half-band filter reads.
    long delayed;
};

enum { STEP = 32 };

static inline __attribute__((always_inline)) void filter(float *restrict x, const float *restrict other, long frames,
                                                         const struct filter *by) {
    for (long i = 0; i < frames; i += STEP) {
        float sum[STEP] = {0};
        for (long k = 0; k < by->pairs; k++) {
            const float *late = other + i + by->later[k], *early = other + i + by->earlier[k];
            for (int j = 0; j < STEP; j++) sum[j] += by->taps[k] * (late[j] + early[j]);
        }
        for (int j = 0; j < STEP; j++) x[i + j] = sum[j];
    }
}

static inline __attribute__((always_inline)) void halve(float *restrict x, const float *restrict other, long frames,
                                                        const struct filter *by) {
    for (long i = 0; i < frames; i += STEP) {
        float sum[STEP] = {0};
        for (long k = 0; k < by->pairs; k++) {
            const float *late = other + i + by->later[k], *early = other + i + by->earlier[k];
            for (int j = 0; j < STEP; j++) sum[j] += by->taps[k] * (late[j] + early[j]);
        }
        for (int j = 0; j < STEP; j++) x[i + j] = 0.5f * (other[by->delayed + i + j] + sum[j]);
    }
}

static inline float limited(float x) {
    x = x > 1 ? 1 : x;
    return x < -1 ? -1 : x;
}

static inline __attribute__((always_inline)) void mean(float *restrict x, const float *restrict other, long frames,
                                                       int is_hard) {
    for (long i = 0; i < frames; i++) {
        const float a = other[i], b = other[i + 1], ia = limited(a), ib = limited(b);
        const float inner = is_hard ? 0.5f * (ia + ib) : (ia + ib) * (0.75f - 0.125f * (ia * ia + ib * ib));
        const float above = (b < 1 ? 1 : b) - (a < 1 ? 1 : a), below = (b > -1 ? -1 : b) - (a > -1 ? -1 : a);
        const float way = b - a, within = ib - ia;
        const float split = (within * inner + (above - below)) / way;
        x[i] = limited(within == way ? inner : split);
    }
}

#define TWIN(kernel, set, target, ...)                                                                        \
    target float twin_##kernel##_##set(float *x, const float *other, long frames, const struct filter *by) {  \
        __VA_ARGS__;                                                                                          \
        return 0;                                                                                             \
    }
#define TWINS(set, target)                                        \
    TWIN(filter, set, target, filter(x, other, frames, by))       \
    TWIN(halve, set, target, halve(x, other, frames, by))         \
    TWIN(mean_cubic, set, target, mean(x, other, frames, 0))      \
    TWIN(mean_hard, set, target, mean(x, other, frames, 1))

TWINS(baseline, )
#if defined(__x86_64__)
TWINS(avx2, __attribute__((target("avx2"))))
TWINS(avx512, __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl"))))
#endif
