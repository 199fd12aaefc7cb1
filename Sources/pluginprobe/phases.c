#define _GNU_SOURCE
#include "phases.h"
#include "block.h"
#include "clocks.h"
#include "controls.h"
#include "features.h"
#include "findings.h"
#include "jobs.h"
#include "latency.h"
#include "presets.h"
#include "report.h"
#include "stack.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

static double began, most_seconds;
static size_t deepest;
static unsigned long fresh_blocks;

static void blocks(struct subject *it, int count, enum input input) {
    const struct block block = {.frames = NOMINAL_FRAMES, .input = input};
    while (count-- > 0) block_run(it, &block);
}

/// Begins a phase, or tells that there is no time left for it.
static bool begin(const char *phase) {
    if (clocks_now() - began > most_seconds) {
        report_line("skipped", "phase", phase, NULL);
        return false;
    }
    findings_begin(phase);
    block_begin();
    stack_paint();
    return true;
}

/// A new instance, and its first block, which has findings of its own.
static bool restart(struct subject *it) {
    subject_stop(it);
    if (!subject_start(it)) return false;
    findings_begin(findings_first_block);
    blocks(it, 1, INPUT_NOISE);
    return true;
}

static void end(struct subject *it) {
    enum { DEEP = 128 << 10, SETTLE_MILLISECONDS = 500 };
    const size_t depth = stack_depth();
    if (depth > deepest) deepest = depth;
    if (depth >= DEEP) record("stack", "run", NULL, (double)depth);
    fresh_blocks += block_sums.fresh_blocks;
    jobs_settle(SETTLE_MILLISECONDS * 1e-3);
    // What is not a number stays in a filter: the next phase begins with a filter that has none.
    if (block_sums.nonfinite_blocks > 0) restart(it);
}

static void silence(struct subject *it) {
    enum { BLOCKS = 400 };
    // Something that can die away.
    blocks(it, 8, INPUT_NOISE);
    block_begin();
    blocks(it, BLOCKS, INPUT_SILENCE);
    if (block_sums.denormal_blocks >= BLOCKS / 2) record("denormals", "run", NULL, (double)block_sums.denormal_blocks);
}

static bool is_changed(const struct port *port) {
    return port->type == PORT_CONTROL && port->is_input && !port->is_fixed && port->most > port->least;
}

static void set(struct port *port, float value) {
    control_set(port, value);
    snprintf(block_setting, sizeof block_setting, "%s = %g", port->symbol, (double)port->value);
}

/// Each over its range, and back. Of very many each has less: some have thousands.
static void parameters(struct subject *it) {
    enum { FRAMES_EACH = 64, MANY = 200 };
    const struct block block = {.frames = FRAMES_EACH, .input = INPUT_NOISE};
    uint32_t count = 0;
    for (uint32_t index = 0; index < it->count; index++) count += is_changed(&it->ports[index]);
    for (uint32_t index = 0; index < it->count; index++) {
        struct port *port = &it->ports[index];
        if (!is_changed(port)) continue;
        const float values[] = {port->least, port->most, port->least + (port->most - port->least) * 0.37f, port->usual};
        for (int value = 0; value < (count > MANY ? 2 : 4); value++) {
            if (value < 3) set(port, values[value]);
            if (value == 3) {
                port->value = port->usual;
                snprintf(block_setting, sizeof block_setting, "%s back at %g", port->symbol, (double)port->usual);
            }
            block_run(it, &block);
        }
        port->value = port->usual;
    }
    *block_setting = 0;
    blocks(it, 2, INPUT_NOISE);
}

/// All of them at once, over their whole range.
static void all_parameters(struct subject *it, int count) {
    uint32_t state = 7;
    while (count-- > 0) {
        for (uint32_t index = 0; index < it->count; index++) {
            struct port *port = &it->ports[index];
            if (!is_changed(port)) continue;
            state = state * 1664525u + 1013904223u;
            const float part = (float)(state >> 8) / 16777215.0f;
            // A switch is on above 0: half of the time.
            set(port, port->is_toggled ? roundf(part) : port->least + (port->most - port->least) * part);
        }
        snprintf(block_setting, sizeof block_setting, "all controls at random values");
        blocks(it, 2, INPUT_NOISE);
    }
    subject_reset_controls(it);
    *block_setting = 0;
    blocks(it, 2, INPUT_NOISE);
}

static bool takes_midi(const struct subject *it) {
    for (uint32_t index = 0; index < it->count; index++) {
        if (it->ports[index].takes_midi) return true;
    }
    return false;
}

static void message(struct subject *it, uint8_t status, uint8_t a, uint8_t b) {
    const uint8_t messages[1][3] = {{status, a, b}};
    const struct block block = {.frames = NOMINAL_FRAMES, .input = INPUT_NOISE, .messages = messages, .message_count = 1};
    block_run(it, &block);
}

static void midi(struct subject *it) {
    message(it, 0x90, 60, 100);
    blocks(it, 8, INPUT_NOISE);
    static const uint8_t controllers[] = {1, 2, 7, 10, 11, 64, 71, 74, 91};
    for (size_t index = 0; index < sizeof controllers; index++) {
        message(it, 0xb0, controllers[index], 127);
        message(it, 0xb0, controllers[index], 0);
        // The volume among them: full, so that what follows is heard.
        message(it, 0xb0, controllers[index], controllers[index] == 7 || controllers[index] == 11 ? 127 : 64);
    }
    message(it, 0xe0, 0, 127);
    message(it, 0xe0, 0, 64);
    message(it, 0xd0, 100, 0);
    message(it, 0xa0, 60, 100);
    message(it, 0x80, 60, 0);
    // More voices than most have.
    for (int key = 0; key < 40; key++) message(it, 0x90, (uint8_t)(30 + key), 90);
    for (int key = 0; key < 40; key++) message(it, 0x80, (uint8_t)(30 + key), 0);
    message(it, 0xb0, 123, 0);
    blocks(it, 40, INPUT_SILENCE);
}

/// Ten keys at once, as loud as it gets.
static void chord(struct subject *it, uint8_t status) {
    enum { KEYS = 10 };
    uint8_t messages[KEYS][3];
    for (int key = 0; key < KEYS; key++) {
        messages[key][0] = status;
        messages[key][1] = (uint8_t)(36 + 5 * key);
        messages[key][2] = 127;
    }
    const struct block block = {.frames = NOMINAL_FRAMES, .messages = messages, .message_count = KEYS};
    block_run(it, &block);
}

static void programs(struct subject *it) {
    enum { PROGRAMS = 16 };
    message(it, 0xb0, 0, 0);
    for (int program = 0; program < PROGRAMS; program++) {
        message(it, 0xc0, (uint8_t)program, 0);
        chord(it, 0x90);
        blocks(it, 8, INPUT_SILENCE);
        chord(it, 0x80);
    }
    message(it, 0xc0, 127, 0);
    message(it, 0xc0, 0, 0);
    blocks(it, 8, INPUT_SILENCE);
}

static void sizes(struct subject *it, float tail) {
    static const uint16_t lengths[] = {1,  2,  3,  4,  5,   7,   8,   9,   15,  16,  17,  31,  32,   33,  48,
                                       63, 64, 65, 96, 127, 128, 129, 240, 255, 256, 500, 512, 1000, 1023, 1024};
    for (size_t index = 0; index < sizeof lengths / sizeof *lengths; index++) {
        const struct block block = {.frames = lengths[index], .input = INPUT_NOISE, .tail = tail};
        block_run(it, &block);
        block_run(it, &block);
    }
    uint32_t state = 3;
    for (int index = 0; index < 60; index++) {
        state = state * 1664525u + 1013904223u;
        const struct block block = {.frames = 1 + (state >> 16) % MOST_FRAMES, .input = INPUT_NOISE, .tail = tail};
        block_run(it, &block);
    }
}

static void reset(struct subject *it) {
    // LV2 forbids to deactivate it while its worker works.
    if (!jobs_settle(2)) {
        report_line("skipped", "phase", "reset", NULL);
        return;
    }
    findings_begin("deactivate");
    lilv_instance_deactivate(it->instance);
    findings_begin("activate");
    lilv_instance_activate(it->instance);
    stack_paint_again(0);
    findings_begin("first block after a reset");
    blocks(it, 1, INPUT_NOISE);
    findings_begin("reset");
    blocks(it, 20, INPUT_NOISE);
}

/// A second instance, with all memory locked, as a host for live sound has it.
static void locked(struct subject *it) {
    subject_stop(it);
    if (!subject_start(it)) return;
    const bool is_locked = mlockall(MCL_CURRENT | MCL_FUTURE) == 0;
    report_line("machine", "=memoryIsLocked", is_locked ? "true" : "false", NULL);
    block_memory_is_locked = is_locked;
    findings_begin(findings_first_block);
    blocks(it, 1, INPUT_NOISE);
    if (is_locked && begin("locked memory")) {
        blocks(it, 40, INPUT_NOISE);
        all_parameters(it, 4);
        if (takes_midi(it)) midi(it);
        end(it);
    }
    block_memory_is_locked = false;
    munlockall();
}

/// An instance of its own, because what is not a number stays in it.
static void canaries(struct subject *it) {
    if (!restart(it) || !begin("beyond the block")) return;
    sizes(it, nanf(""));
    block_sums.nonfinite_blocks = 0;
    end(it);
}

void phases_run(struct subject *it, double budget) {
    began = clocks_now();
    most_seconds = budget;
    bool is_sound = true;
#define PHASE(name, body)                                                                                              \
    if (it->instance && begin(name)) {                                                                                 \
        body;                                                                                                          \
        end(it);                                                                                                       \
    }
    PHASE(findings_first_block, blocks(it, 1, INPUT_NOISE))
    PHASE("steady", blocks(it, 200, INPUT_NOISE))
    PHASE("silence", silence(it))
    PHASE("parameters", parameters(it))
    PHASE("all parameters", all_parameters(it, 24))
    if (takes_midi(it)) {
        PHASE("MIDI", midi(it))
        PHASE("program change", programs(it))
    }
    if (!it->has_fixed_length) PHASE("block sizes", sizes(it, 0); is_sound = block_sums.nonfinite_blocks == 0)
    if (presets_exist(it)) PHASE("presets", presets_run(it))
    PHASE("reset", reset(it))
    if (it->latency_port >= 0) PHASE("latency", latency_measure(it))
    if (it->instance && fresh_blocks > 0) locked(it);
    if (it->instance && is_sound && !it->has_fixed_length) canaries(it);
    subject_stop(it);
    char depth[32];
    snprintf(depth, sizeof depth, "%zu", deepest);
    report_line("stack", "=bytes", depth, NULL);
}
