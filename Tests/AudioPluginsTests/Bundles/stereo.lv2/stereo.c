// Stereo in the form of Calf's plug-ins: the right channel may be left unconnected, and so may the side chain. Each channel is
// doubled, and what the side chain hears is added to it.
#include <stdlib.h>

#include <lv2/core/lv2.h>

enum { IN_L, IN_R, SIDECHAIN, OUT_L, OUT_R, PORTS };

typedef struct {
    float *ports[PORTS];
} Stereo;

static LV2_Handle instantiate(const LV2_Descriptor *descriptor, double rate, const char *path,
                              const LV2_Feature *const *features) {
    return calloc(1, sizeof(Stereo));
}

static void connect_port(LV2_Handle handle, uint32_t port, void *data) { ((Stereo *)handle)->ports[port] = data; }

static void run(LV2_Handle handle, uint32_t frames) {
    Stereo *stereo = handle;
    float **ports = stereo->ports;
    for (uint32_t frame = 0; frame < frames; frame++) {
        float beside = ports[SIDECHAIN] ? ports[SIDECHAIN][frame] : 0;
        ports[OUT_L][frame] = 2 * ports[IN_L][frame] + beside;
        if (ports[OUT_R]) ports[OUT_R][frame] = (ports[IN_R] ? 2 * ports[IN_R][frame] : 0) + beside;
    }
}

static const LV2_Descriptor descriptor = {"urn:iounit:stereo", instantiate, connect_port, NULL, run, NULL, free, NULL};

LV2_SYMBOL_EXPORT const LV2_Descriptor *lv2_descriptor(uint32_t index) { return index == 0 ? &descriptor : NULL; }
