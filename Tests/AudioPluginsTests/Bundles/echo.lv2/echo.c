// Sound to notes, and notes to sound: out is in, and note / 128 at the frame of each note. It makes a note of a sample above 0, and
// a message of no channel of one below.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <lv2/atom/atom.h>
#include <lv2/atom/util.h>
#include <lv2/core/lv2.h>
#include <lv2/midi/midi.h>
#include <lv2/urid/urid.h>

enum { IN, OUT, HEARD, MADE, PORTS };

typedef struct {
    void *ports[PORTS];
    LV2_URID midi, sequence;
} Echo;

static LV2_Handle instantiate(const LV2_Descriptor *descriptor, double rate, const char *path,
                              const LV2_Feature *const *features) {
    Echo *echo = calloc(1, sizeof *echo);
    for (; *features; features++) {
        if (strcmp((*features)->URI, LV2_URID__map)) continue;
        LV2_URID_Map *map = (*features)->data;
        echo->midi = map->map(map->handle, LV2_MIDI__MidiEvent);
        echo->sequence = map->map(map->handle, LV2_ATOM__Sequence);
    }
    return echo;
}

static void connect_port(LV2_Handle handle, uint32_t port, void *data) { ((Echo *)handle)->ports[port] = data; }

static void run(LV2_Handle handle, uint32_t frames) {
    Echo *echo = handle;
    const float *in = echo->ports[IN];
    float *out = echo->ports[OUT];
    LV2_Atom_Sequence *made = echo->ports[MADE];
    const uint32_t capacity = made->atom.size;
    lv2_atom_sequence_clear(made);
    made->atom.type = echo->sequence;
    for (uint32_t frame = 0; frame < frames; frame++) {
        struct {
            LV2_Atom_Event event;
            uint8_t message[3];
        } note = {{{frame}, {3, echo->midi}}, {in[frame] > 0 ? 0x90 : 0xf0, (uint8_t)lrintf(fabsf(in[frame]) * 128) & 127, 100}};
        if (in[frame] != 0) lv2_atom_sequence_append_event(made, capacity, &note.event);
    }
    memmove(out, in, frames * sizeof *out);
    const LV2_Atom_Sequence *heard = echo->ports[HEARD];
    LV2_ATOM_SEQUENCE_FOREACH(heard, event) {
        const uint8_t *message = (const uint8_t *)(event + 1);
        if (event->body.type == echo->midi && message[0] == 0x90) out[event->time.frames] += message[1] / 128.0f;
    }
}

static const LV2_Descriptor descriptor = {"urn:iounit:echo", instantiate, connect_port, NULL, run, NULL, free, NULL};

LV2_SYMBOL_EXPORT const LV2_Descriptor *lv2_descriptor(uint32_t index) { return index == 0 ? &descriptor : NULL; }
