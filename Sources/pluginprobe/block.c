#define _GNU_SOURCE
#include "block.h"
#include "clocks.h"
#include "events.h"
#include "features.h"
#include "findings.h"
#include "float_state.h"
#include "handlers.h"
#include "jobs.h"
#include "region.h"

#include <math.h>
#include <string.h>
#include <sys/resource.h>

struct block_sums block_sums;
bool block_memory_is_locked;
char block_setting[80];

void block_begin(void) {
    memset(&block_sums, 0, sizeof block_sums);
    *block_setting = 0;
}

static float noise(void) {
    static uint32_t state = 1;
    state = state * 1664525u + 1013904223u;
    return (float)(int32_t)state * (0.25f / 2147483648.0f);
}

static void prepare(struct subject *subject, const struct block *block) {
    for (uint32_t index = 0; index < subject->count; index++) {
        struct port *port = &subject->ports[index];
        if (port->events) events_prepare(port, block->messages, block->message_count);
        struct buffer *buffer = &port->buffer;
        if (!buffer->memory) continue;
        const float *before = buffer->samples;
        buffer_place(buffer, block->frames, block->tail);
        if (buffer->samples != before) lilv_instance_connect_port(subject->instance, index, buffer->samples);
        if (!port->is_input) {
            buffer_poison(buffer);
            continue;
        }
        const bool sounds = block->input == INPUT_NOISE && port->type == PORT_AUDIO;
        for (uint32_t frame = 0; frame < block->frames; frame++) buffer->samples[frame] = sounds ? noise() : 0;
    }
}

/// Looks at what the plug-in has written.
static void examine(struct subject *subject, const struct block *block) {
    bool is_finite = true;
    for (uint32_t index = 0; index < subject->count; index++) {
        const struct port *port = &subject->ports[index];
        const struct buffer *buffer = &port->buffer;
        if (!buffer->memory) continue;
        if (buffer_is_overrun(buffer, block->tail)) {
            finding_explain(record("overrun", port->symbol, NULL, 1), "writes behind a block of %u frames",
                            block->frames);
        }
        if (port->is_input) continue;
        const uint32_t unwritten = buffer_unwritten(buffer);
        if (unwritten > 0) {
            finding_explain(record("unwritten", port->symbol, NULL, unwritten), "%u of %u frames", unwritten,
                            block->frames);
        }
        uint32_t nonfinite = 0;
        for (uint32_t frame = 0; frame < block->frames; frame++) nonfinite += !isfinite(buffer->samples[frame]);
        if (nonfinite == 0) continue;
        is_finite = false;
        // It computes with what is behind its block: nothing else there is not a number.
        if (isnan(block->tail)) {
            finding_explain(record("overread", port->symbol, NULL, nonfinite),
                            "what follows an input's block comes out");
        } else {
            finding_explain(record("nonFinite", port->symbol, NULL, nonfinite), "%s%sblock of %u frames", block_setting,
                            *block_setting ? ", " : "", block->frames);
        }
    }
    if (!is_finite) block_sums.nonfinite_blocks++;
}

static long faults(void) {
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_minflt + usage.ru_majflt;
}

static void run(struct subject *subject, uint32_t frames) {
    region_enter();
    lilv_instance_run(subject->instance, frames);
    jobs_respond();
    region_leave();
    for (uint32_t index = 0; index < subject->count; index++) {
        struct port *port = &subject->ports[index];
        if (port->is_trigger) port->value = port->usual;
    }
}

void block_run(struct subject *subject, const struct block *given) {
    struct block block = *given;
    if (subject->has_fixed_length) block.frames = NOMINAL_FRAMES;
    prepare(subject, &block);
    findings_next_block();
    const unsigned long known = findings_new();
    const uint32_t state = float_state() & ~(uint32_t)FLOAT_FLAGS;
    const double since = clocks_now(), used = clocks_used();
    const long faults_before = faults();
    handlers_block(since);
    float_set(state);
    run(subject, block.frames);
    const uint32_t state_after = float_state();
    float_set(state);
    handlers_block(0);
    const long faulted = faults() - faults_before;
    const double periods = (clocks_used() - used) * SAMPLE_RATE / block.frames;
    buffers_close_guards();

    if (float_has_denormals(state_after)) block_sums.denormal_blocks++;
    if ((state_after & ~(uint32_t)FLOAT_FLAGS) != state) {
        record("floatState", "rounding or flush-to-zero", NULL, 0);
    }
    // The first record of a finding goes into fresh memory of ours, which takes time.
    if (faulted > 0 && findings_new() == known) {
        const bool is_first = findings_phase() == findings_first_block;
        if (block_memory_is_locked) record("pageFault", "fresh memory", NULL, (double)faulted);
        if (!block_memory_is_locked && !is_first) {
            record("freshMemory", "fresh memory", NULL, (double)faulted);
            block_sums.fresh_blocks++;
        }
    }
    enum { LEAST_TIMED_FRAMES = 64 };
    if (periods > 1 && block.frames >= LEAST_TIMED_FRAMES) record("late", "run", NULL, periods);
    examine(subject, &block);
}
