#define _GNU_SOURCE
#include "latency.h"
#include "block.h"
#include "events.h"
#include "features.h"
#include "findings.h"
#include "report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WINDOW = 2048, MOST_LAG = 6144, LENGTH = WINDOW + MOST_LAG };
static float input[LENGTH], output[LENGTH];

static const struct buffer *first(const struct subject *it, bool is_input) {
    for (uint32_t index = 0; index < it->count; index++) {
        const struct port *port = &it->ports[index];
        if (port->type == PORT_AUDIO && port->is_input == is_input) return &port->buffer;
    }
    return NULL;
}

/// The lag at which the output resembles the input most, or -1 where it resembles it nowhere.
static int lag(void) {
    double energy = 0, best = 0;
    int at = -1;
    for (int frame = 0; frame < WINDOW; frame++) energy += (double)input[frame] * input[frame];
    for (int lag = 0; lag < MOST_LAG; lag++) {
        float product = 0, other = 0;
        for (int frame = 0; frame < WINDOW; frame++) {
            product += input[frame] * output[frame + lag];
            other += output[frame + lag] * output[frame + lag];
        }
        const double likeness = other > 0 ? fabs(product) / sqrt(energy * other) : 0;
        // What is infinite is like nothing: a comparison with NaN is false.
        if (!(likeness > best)) continue;
        best = likeness;
        at = lag;
    }
    const double ALIKE = 0.5;
    return best >= ALIKE ? at : -1;
}

/// What a plug-in declares, as a host takes it: no more than `InstanceSide.longestLatency`. Tells where that is something else.
static float declared_frames(float told) {
    enum { LONGEST = 524287 };
    // A comparison with NaN is false.
    const float taken = told > 0 ? fminf(told, LONGEST) : 0;
    if (taken != told) {
        finding_explain(record("latency", "declared latency", NULL, (double)taken),
                        "declares %g frames, which is no latency; a host takes %g", (double)told, (double)taken);
    }
    return taken;
}

void latency_tell(struct subject *it) {
    if (it->latency_port < 0) return;
    findings_begin("latency");
    for (uint32_t index = 0; index < it->count; index++) {
        if (it->ports[index].events) events_prepare(&it->ports[index], NULL, 0);
    }
    // No frames: the plug-in tells its latency, and nothing else changes.
    lilv_instance_run(it->instance, 0);
    char text[REPORT_NUMBER];
    report_number(text, (double)declared_frames(it->ports[it->latency_port].value));
    report_line("latency", "=declared", text, NULL);
}

void latency_measure(struct subject *it) {
    const struct buffer *from = first(it, true), *to = first(it, false);
    const float told = it->ports[it->latency_port].value, declared = declared_frames(told);
    char declared_text[REPORT_NUMBER], measured_text[32] = "null";
    report_number(declared_text, (double)declared);
    if (from && to) {
        const struct block block = {.frames = NOMINAL_FRAMES, .input = INPUT_NOISE};
        // What it did before has died away, as far as the correlation can tell.
        for (int index = 0; index < 16; index++) block_run(it, &block);
        for (int frame = 0; frame < LENGTH; frame += NOMINAL_FRAMES) {
            block_run(it, &block);
            memcpy(input + frame, from->samples, NOMINAL_FRAMES * sizeof(float));
            memcpy(output + frame, to->samples, NOMINAL_FRAMES * sizeof(float));
        }
        const int measured = lag();
        if (measured >= 0) {
            snprintf(measured_text, sizeof measured_text, "%d", measured);
            if (declared == told && fabsf(declared - (float)measured) > 1) {
                finding_explain(record("latency", "declared latency", NULL, measured), "declares %g frames, has %d",
                                (double)declared, measured);
            }
        }
    }
    report_line("latency", "=declared", declared_text, "=measured", measured_text, NULL);
}
