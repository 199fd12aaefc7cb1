// A plug-in that hands its input on, and is busy as long as it is told to be: so that it is known what a measurement of
// hosts must find.

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <lv2/core/lv2.h>

struct passing {
    const float *in;
    float *out;
    const float *busy;
};

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec * 1e-3;
}

static LV2_Handle instantiate(const LV2_Descriptor *descriptor, double rate, const char *bundle,
                              const LV2_Feature *const *features) {
    return calloc(1, sizeof(struct passing));
}

static void connect_port(LV2_Handle handle, uint32_t port, void *memory) {
    struct passing *passing = handle;
    switch (port) {
        case 0: passing->in = memory; break;
        case 1: passing->out = memory; break;
        case 2: passing->busy = memory; break;
    }
}

static void run(LV2_Handle handle, uint32_t frames) {
    struct passing *passing = handle;
    const float busy = *passing->busy;
    const double end = busy > 0 ? now() + busy : 0;
    memmove(passing->out, passing->in, frames * sizeof(float));
    while (busy > 0 && now() < end) {}
}

static const LV2_Descriptor descriptor = {
    "urn:iounit:passing", instantiate, connect_port, NULL, run, NULL, free, NULL,
};

LV2_SYMBOL_EXPORT const LV2_Descriptor *lv2_descriptor(uint32_t index) { return index == 0 ? &descriptor : NULL; }
