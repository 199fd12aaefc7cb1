// An equaliser as one would write it in C: biquads in transposed direct form II, in double precision, two channels in the
// halves of a vector and four stages in one loop, as in Swift; and one stage after the other, channel by channel, as it is
// written first.

#include <stdlib.h>
#include <string.h>

#define STAGES 32
#define PART 256

typedef double pair __attribute__((vector_size(16)));

struct biquad {
    double b0, b1, b2, a1, a2;
};

struct equaliser {
    long stages;
    struct biquad biquads[STAGES];
    pair memory[2 * STAGES];
    pair part[PART];
    double plain[2][2 * STAGES];
    float planes[2][8208];
};

struct equaliser *twin_equaliser_make(const struct biquad *biquads, long stages) {
    struct equaliser *equaliser = aligned_alloc(64, (sizeof *equaliser + 63) / 64 * 64);
    memset(equaliser, 0, sizeof *equaliser);
    equaliser->stages = stages;
    for (long i = 0; i < STAGES; i++) equaliser->biquads[i] = i < stages ? biquads[i] : (struct biquad){.b0 = 1};
    return equaliser;
}

struct section {
    pair b0, b1, b2, a1, a2, first, second;
};

static inline struct section section(const struct biquad *biquad, const pair *memory) {
    return (struct section){
        .b0 = {biquad->b0, biquad->b0},
        .b1 = {biquad->b1, biquad->b1},
        .b2 = {biquad->b2, biquad->b2},
        .a1 = {biquad->a1, biquad->a1},
        .a2 = {biquad->a2, biquad->a2},
        .first = memory[0],
        .second = memory[1],
    };
}

static inline pair step(struct section *section, pair input) {
    const pair output = section->b0 * input + section->first;
    section->first = (section->b1 * input + section->second) - section->a1 * output;
    section->second = section->b2 * input - section->a2 * output;
    return output;
}

static void pass(const struct biquad *biquads, pair *memory, pair *part, long frames) {
    struct section one = section(biquads, memory), two = section(biquads + 1, memory + 2),
                   three = section(biquads + 2, memory + 4), four = section(biquads + 3, memory + 6);
    for (long i = 0; i < frames; i++) part[i] = step(&four, step(&three, step(&two, step(&one, part[i]))));
    memory[0] = one.first, memory[1] = one.second;
    memory[2] = two.first, memory[3] = two.second;
    memory[4] = three.first, memory[5] = three.second;
    memory[6] = four.first, memory[7] = four.second;
}

static void process(struct equaliser *equaliser, float *left, float *right, long frames) {
    for (long start = 0; start < frames; start += PART) {
        const long count = frames - start < PART ? frames - start : PART;
        for (long i = 0; i < count; i++) equaliser->part[i] = (pair){left[start + i], right[start + i]};
        for (long stage = 0; stage < equaliser->stages; stage += 4)
            pass(equaliser->biquads + stage, equaliser->memory + 2 * stage, equaliser->part, count);
        for (long i = 0; i < count; i++) {
            left[start + i] = (float)equaliser->part[i][0];
            right[start + i] = (float)equaliser->part[i][1];
        }
    }
}

static void take(struct equaliser *equaliser, const float *left, const float *right, long frames) {
    const float *inputs[] = {left, right};
    for (int channel = 0; channel < 2; channel++)
        for (long i = 0; i < frames; i++) {
            const float x = inputs[channel][i];
            equaliser->planes[channel][i] = x <= 1e13f && x >= -1e13f ? x : 0;
        }
}

void twin_equaliser_render(struct equaliser *equaliser, const float *left, const float *right, long frames) {
    take(equaliser, left, right, frames);
    process(equaliser, equaliser->planes[0], equaliser->planes[1], frames);
}

static void plain(const struct equaliser *equaliser, double *memory, float *x, long frames) {
    for (long stage = 0; stage < equaliser->stages; stage++) {
        const struct biquad c = equaliser->biquads[stage];
        double first = memory[2 * stage], second = memory[2 * stage + 1];
        for (long i = 0; i < frames; i++) {
            const double input = x[i], output = c.b0 * input + first;
            first = c.b1 * input - c.a1 * output + second;
            second = c.b2 * input - c.a2 * output;
            x[i] = (float)output;
        }
        memory[2 * stage] = first, memory[2 * stage + 1] = second;
    }
}

void twin_equaliser_render_plainly(struct equaliser *equaliser, const float *left, const float *right, long frames) {
    take(equaliser, left, right, frames);
    plain(equaliser, equaliser->plain[0], equaliser->planes[0], frames);
    plain(equaliser, equaliser->plain[1], equaliser->planes[1], frames);
}
