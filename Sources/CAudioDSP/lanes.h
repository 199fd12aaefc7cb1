// The loops for one instruction set. Before it is included, LANES is how many samples a register holds, PASS how many
// registers of sums fit in at once, NAME(x) what a function is called, and TARGET what it is compiled for.
// Not guarded: it is included once for each set.

typedef float NAME(lanes) __attribute__((vector_size(LANES * 4)));
typedef int32_t NAME(mask) __attribute__((vector_size(LANES * 4)));
#define INLINE static inline __attribute__((always_inline)) TARGET

INLINE NAME(lanes) NAME(load)(const float *from) {
    NAME(lanes) value;
    __builtin_memcpy(&value, from, sizeof value);
    return value;
}

INLINE void NAME(store)(float *to, NAME(lanes) value) { __builtin_memcpy(to, &value, sizeof value); }

INLINE NAME(lanes) NAME(select)(NAME(mask) where, NAME(lanes) yes, NAME(lanes) no) {
    return (NAME(lanes))((where & (NAME(mask))yes) | (~where & (NAME(mask))no));
}

INLINE NAME(lanes) NAME(at_least)(NAME(lanes) value, float limit) {
    const NAME(lanes) low = (NAME(lanes)){} + limit;
    return NAME(select)(value < low, low, value);
}

INLINE NAME(lanes) NAME(at_most)(NAME(lanes) value, float limit) {
    const NAME(lanes) high = (NAME(lanes)){} + limit;
    return NAME(select)(value > high, high, value);
}

INLINE NAME(lanes) NAME(limited)(NAME(lanes) value) { return NAME(at_least)(NAME(at_most)(value, 1), -1); }

// `registers` times LANES outputs: as many sums at once hide that each addition must wait for the one before.
INLINE void NAME(sums)(NAME(lanes) *sum, int registers, const float *memory, const float *taps, const int32_t *later,
                       const int32_t *earlier, long pairs) {
    for (int r = 0; r < registers; r++) sum[r] = (NAME(lanes)){};
    for (long pair = 0; pair < pairs; pair++) {
        const float *const late = memory + later[pair], *const early = memory + earlier[pair];
        for (int r = 0; r < registers; r++) {
            sum[r] += taps[pair] * (NAME(load)(late + r * LANES) + NAME(load)(early + r * LANES));
        }
    }
}

INLINE void NAME(filter_step)(int registers, float *memory, const float *taps, const int32_t *later,
                              const int32_t *earlier, long pairs, float *output) {
    NAME(lanes) sum[PASS];
    NAME(sums)(sum, registers, memory, taps, later, earlier, pairs);
    for (int r = 0; r < registers; r++) NAME(store)(output + r * LANES, sum[r]);
}

INLINE void NAME(halve_step)(int registers, float *memory, const float *taps, const int32_t *later,
                             const int32_t *earlier, long pairs, const float *delayed, float *output) {
    NAME(lanes) sum[PASS];
    NAME(sums)(sum, registers, memory, taps, later, earlier, pairs);
    for (int r = 0; r < registers; r++) {
        NAME(store)(output + r * LANES, 0.5f * (NAME(load)(delayed + r * LANES) + sum[r]));
    }
}

TARGET static void NAME(filter)(float *memory, const float *taps, const int32_t *later, const int32_t *earlier,
                                long pairs, long output, long count) {
    long i = 0;
    for (; i + PASS * LANES <= count; i += PASS * LANES) {
        NAME(filter_step)(PASS, memory + i, taps, later, earlier, pairs, memory + output + i);
    }
    for (; i < count; i += 16) {
        NAME(filter_step)(16 / LANES, memory + i, taps, later, earlier, pairs, memory + output + i);
    }
}

TARGET static void NAME(halve_band)(float *memory, const float *taps, const int32_t *later, const int32_t *earlier,
                                    long pairs, long delayed, long output, long count) {
    long i = 0;
    for (; i + PASS * LANES <= count; i += PASS * LANES) {
        NAME(halve_step)(PASS, memory + i, taps, later, earlier, pairs, memory + delayed + i, memory + output + i);
    }
    for (; i < count; i += 16) {
        NAME(halve_step)(16 / LANES, memory + i, taps, later, earlier, pairs, memory + delayed + i,
                         memory + output + i);
    }
}

// See Antiderivative.swift, whose order of operations this is.
INLINE NAME(lanes) NAME(split)(NAME(lanes) a, NAME(lanes) b, NAME(lanes) inner_a, NAME(lanes) inner_b,
                               NAME(lanes) inner) {
    const NAME(lanes) way = b - a, within = inner_b - inner_a;
    const NAME(lanes) above = NAME(at_least)(b, 1) - NAME(at_least)(a, 1);
    const NAME(lanes) below = NAME(at_most)(b, -1) - NAME(at_most)(a, -1);
    const NAME(lanes) split = (within * inner + (above - below)) / way;
    return NAME(limited)(NAME(select)(within == way, inner, split));
}

INLINE NAME(lanes) NAME(hard)(NAME(lanes) a, NAME(lanes) b) {
    const NAME(lanes) inner_a = NAME(limited)(a), inner_b = NAME(limited)(b);
    return NAME(split)(a, b, inner_a, inner_b, 0.5f * (inner_a + inner_b));
}

INLINE NAME(lanes) NAME(cubic)(NAME(lanes) a, NAME(lanes) b) {
    const NAME(lanes) inner_a = NAME(limited)(a), inner_b = NAME(limited)(b);
    const NAME(lanes) inner = (inner_a + inner_b) * (0.75f - 0.125f * (inner_a * inner_a + inner_b * inner_b));
    return NAME(split)(a, b, inner_a, inner_b, inner);
}

// The last eight may be half of a register.
#define HALF (LANES > 8 ? 32 : sizeof(NAME(lanes)))
#define MEAN(curve)                                                                                                  \
    TARGET static void NAME(mean_##curve)(float *output, const float *previous, const float *current, long count) {  \
        long i = 0;                                                                                                  \
        for (; i + LANES <= count; i += LANES) {                                                                     \
            NAME(store)(output + i, NAME(curve)(NAME(load)(previous + i), NAME(load)(current + i)));                 \
        }                                                                                                            \
        if (i < count) {                                                                                             \
            NAME(lanes) a = {}, b = {};                                                                              \
            __builtin_memcpy(&a, previous + i, HALF);                                                                \
            __builtin_memcpy(&b, current + i, HALF);                                                                 \
            const NAME(lanes) mean = NAME(curve)(a, b);                                                              \
            __builtin_memcpy(output + i, &mean, HALF);                                                               \
        }                                                                                                            \
    }
MEAN(hard)
MEAN(cubic)

// See Waveshaper.swift, whose order of operations this is.
INLINE NAME(lanes) NAME(hard_curve)(NAME(lanes) x) { return NAME(limited)(x); }

INLINE NAME(lanes) NAME(cubic_curve)(NAME(lanes) input) {
    const NAME(lanes) x = NAME(limited)(input);
    return x * (1.5f - 0.5f * x * x);
}

#define SHAPE(curve)                                                                                                 \
    TARGET static void NAME(shape_##curve)(float *samples, float gain, long count) {                                 \
        long i = 0;                                                                                                  \
        for (; i + LANES <= count; i += LANES) {                                                                     \
            NAME(store)(samples + i, NAME(curve##_curve)(NAME(load)(samples + i) * gain));                           \
        }                                                                                                            \
        if (i < count) {                                                                                             \
            NAME(lanes) rest = {};                                                                                   \
            __builtin_memcpy(&rest, samples + i, HALF);                                                              \
            rest = NAME(curve##_curve)(rest * gain);                                                                 \
            __builtin_memcpy(samples + i, &rest, HALF);                                                              \
        }                                                                                                            \
    }
SHAPE(hard)
SHAPE(cubic)

#undef SHAPE
#undef MEAN
#undef HALF
#undef INLINE
