// Stereo in the form of Calf's plug-ins: the right channel may be left unconnected, and so may the side chain. Each channel is
// doubled, or four times as loud in a block that sees the trigger, and what the side chain hears is added to it. It counts such blocks.
#include <stdlib.h>

#include <lv2/core/lv2.h>

enum { IN_L, IN_R, SIDECHAIN, OUT_L, OUT_R, RESET, RESETS, JUMP, JUMPS, PORTS };

typedef struct {
    float *ports[PORTS];
    float resets, jumps;
} Stereo;

static LV2_Handle instantiate(const LV2_Descriptor *descriptor, double rate, const char *path,
                              const LV2_Feature *const *features) {
    return calloc(1, sizeof(Stereo));
}

static void connect_port(LV2_Handle handle, uint32_t port, void *data) { ((Stereo *)handle)->ports[port] = data; }

static void run(LV2_Handle handle, uint32_t frames) {
    Stereo *stereo = handle;
    float **ports = stereo->ports;
    if (*ports[RESET] > 0) stereo->resets++;
    if (*ports[JUMP] >= 0) stereo->jumps += *ports[JUMP];
    *ports[RESETS] = stereo->resets;
    *ports[JUMPS] = stereo->jumps;
    const float gain = *ports[RESET] > 0 ? 4 : 2;
    for (uint32_t frame = 0; frame < frames; frame++) {
        float beside = ports[SIDECHAIN] ? ports[SIDECHAIN][frame] : 0;
        ports[OUT_L][frame] = gain * ports[IN_L][frame] + beside;
        if (ports[OUT_R]) ports[OUT_R][frame] = (ports[IN_R] ? gain * ports[IN_R][frame] : 0) + beside;
    }
}

static const LV2_Descriptor descriptor = {"urn:iounit:stereo", instantiate, connect_port, NULL, run, NULL, free, NULL};

LV2_SYMBOL_EXPORT const LV2_Descriptor *lv2_descriptor(uint32_t index) { return index == 0 ? &descriptor : NULL; }
