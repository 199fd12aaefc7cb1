// A row of nodes as one would write it in C: each has memory of its own, in which it finds what it was told and how far its
// gain has come, and works on a plane. The measure of what the plan in Swift adds to its kernels.

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define PLANES 3
#define STRIDE 8208

enum kind { SHAPE, MIX };

// A gain that stands still, or moves in a straight line.
struct ramp {
    float target, start, step;
    long remaining, position;
};

struct node {
    enum kind kind;
    atomic_ulong told;
    unsigned long seen;
    _Atomic float wanted;
    struct ramp gain;
    int from, to;
};

struct plan {
    struct node **nodes;
    long count;
    float *planes;
};

struct plan *twin_plan_make(int kind, long count, float gain) {
    struct plan *plan = malloc(sizeof *plan);
    plan->nodes = calloc((size_t)count, sizeof *plan->nodes);
    plan->count = count;
    plan->planes = calloc(PLANES * STRIDE, sizeof(float));
    for (long i = 0; i < count; i++) {
        struct node *node = calloc(1, sizeof *node);
        node->kind = (enum kind)kind;
        node->wanted = gain;
        node->gain.target = gain;
        node->to = kind == MIX;
        plan->nodes[i] = node;
    }
    return plan;
}

static float cubic(float x) {
    x = x > 1 ? 1 : x;
    x = x < -1 ? -1 : x;
    return x * (1.5f - 0.5f * x * x);
}

static void look(struct node *node) {
    const unsigned long told = atomic_load_explicit(&node->told, memory_order_acquire);
    if (told == node->seen) return;
    node->seen = told;
    struct ramp *ramp = &node->gain;
    ramp->start = ramp->remaining ? ramp->start + ramp->step * (float)ramp->position : ramp->target;
    ramp->target = node->wanted;
    ramp->remaining = 480;
    ramp->position = 0;
    ramp->step = (ramp->target - ramp->start) / 480;
}

static void shape(struct node *node, float *restrict x, long frames) {
    struct ramp *ramp = &node->gain;
    if (ramp->remaining == 0) {
        const float gain = ramp->target;
        for (long i = 0; i < frames; i++) x[i] = cubic(x[i] * gain);
        return;
    }
    for (long i = 0; i < frames; i++) {
        x[i] = cubic(x[i] * (ramp->remaining ? ramp->start + ramp->step * (float)ramp->position : ramp->target));
        if (ramp->remaining) ramp->remaining--, ramp->position++;
    }
}

static void mix(struct node *node, float *restrict x, const float *restrict other, long frames) {
    struct ramp *ramp = &node->gain;
    if (ramp->remaining == 0) {
        const float gain = ramp->target;
        for (long i = 0; i < frames; i++) x[i] += other[i] * gain;
        return;
    }
    for (long i = 0; i < frames; i++) {
        x[i] += other[i] * (ramp->remaining ? ramp->start + ramp->step * (float)ramp->position : ramp->target);
        if (ramp->remaining) ramp->remaining--, ramp->position++;
    }
}

void twin_plan_render(struct plan *plan, const float *input, long frames) {
    for (long i = 0; i < frames; i++) {
        const float x = input[i];
        plan->planes[i] = x <= 1e13f && x >= -1e13f ? x : 0;
    }
    memset(plan->planes + STRIDE, 0, (size_t)frames * sizeof(float));
    for (long i = 0; i < plan->count; i++) {
        struct node *node = plan->nodes[i];
        look(node);
        switch (node->kind) {
            case SHAPE: shape(node, plan->planes + node->to * STRIDE, frames); break;
            case MIX: mix(node, plan->planes + node->to * STRIDE, plan->planes + node->from * STRIDE, frames); break;
        }
    }
}
