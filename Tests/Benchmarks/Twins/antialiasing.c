// The inner loops of the oversampler as one would write them in C, for each instruction set. See kernels.c.

#pragma STDC FP_CONTRACT OFF

// A folded filter: taps, and where the two samples of each lie. It comes in the place of the other twins' gain.
struct filter {
    const float *taps;
    const int *later, *earlier;
    long pairs;
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

static inline float limited(float x) {
    x = x > 1 ? 1 : x;
    return x < -1 ? -1 : x;
}

static inline __attribute__((always_inline)) void mean(float *restrict x, const float *restrict other, long frames) {
    for (long i = 0; i < frames; i++) {
        const float a = other[i], b = other[i + 1], ia = limited(a), ib = limited(b);
        const float inner = (ia + ib) * (0.75f - 0.125f * (ia * ia + ib * ib));
        const float above = (b < 1 ? 1 : b) - (a < 1 ? 1 : a), below = (b > -1 ? -1 : b) - (a > -1 ? -1 : a);
        const float way = b - a, within = ib - ia;
        const float split = (within * inner + (above - below)) / way;
        x[i] = limited(within == way ? inner : split);
    }
}

#define TWINS(set, ...)                                                                                        \
    __VA_ARGS__ float twin_filter_##set(float *x, const float *other, long frames, const struct filter *by) {  \
        filter(x, other, frames, by);                                                                          \
        return 0;                                                                                              \
    }                                                                                                          \
    __VA_ARGS__ float twin_mean_##set(float *x, const float *other, long frames, const struct filter *by) {    \
        mean(x, other, frames);                                                                                \
        return 0;                                                                                              \
    }

TWINS(baseline)
#if defined(__x86_64__)
TWINS(avx2, __attribute__((target("avx2"))))
TWINS(avx512, __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl"))))
#endif
