#include "caudiodsp.h"

#pragma STDC FP_CONTRACT OFF

// The left and the right channel.
typedef double pair __attribute__((vector_size(16)));

struct stage {
    pair b0, b1, b2, a1, a2, first, second;
};

static inline struct stage stage(const double *biquad, const double *memory) {
    return (struct stage){
        .b0 = {biquad[0], biquad[0]},
        .b1 = {biquad[1], biquad[1]},
        .b2 = {biquad[2], biquad[2]},
        .a1 = {biquad[3], biquad[3]},
        .a2 = {biquad[4], biquad[4]},
        .first = {memory[0], memory[1]},
        .second = {memory[2], memory[3]},
    };
}

static inline pair step(struct stage *stage, pair input) {
    const pair output = stage->b0 * input + stage->first;
    stage->first = (stage->b1 * input + stage->second) - stage->a1 * output;
    stage->second = stage->b2 * input - stage->a2 * output;
    return output;
}

static inline void keep(const struct stage *stage, double *memory) {
    __builtin_memcpy(memory, &stage->first, sizeof stage->first);
    __builtin_memcpy(memory + 2, &stage->second, sizeof stage->second);
}

void caudiodsp_biquads(double *frames, long count, const double *biquads, double *memory) {
    struct stage one = stage(biquads, memory), two = stage(biquads + 5, memory + 4),
                 three = stage(biquads + 10, memory + 8), four = stage(biquads + 15, memory + 12);
    for (long i = 0; i < count; i++) {
        pair sample = {frames[2 * i], frames[2 * i + 1]};
        sample = step(&four, step(&three, step(&two, step(&one, sample))));
        __builtin_memcpy(frames + 2 * i, &sample, sizeof sample);
    }
    keep(&one, memory);
    keep(&two, memory + 4);
    keep(&three, memory + 8);
    keep(&four, memory + 12);
}
