#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#define _GNU_SOURCE
#include "events.h"
#include "features.h"

#include <lv2/atom/atom.h>
#include <lv2/event/event.h>
#include <lv2/midi/midi.h>
#include <string.h>

/// Program change and channel pressure have two bytes.
static uint32_t size_of(const uint8_t message[3]) {
    const uint8_t status = message[0] & 0xf0;
    return status == 0xc0 || status == 0xd0 ? 2 : 3;
}

static void prepare_atoms(struct port *port, const uint8_t (*messages)[3], int count) {
    LV2_Atom_Sequence *sequence = port->events;
    if (!port->is_input) {
        sequence->atom.size = port->event_bytes - sizeof(LV2_Atom);
        sequence->atom.type = urid_map(LV2_ATOM__Chunk);
        return;
    }
    sequence->atom.type = urid_map(LV2_ATOM__Sequence);
    sequence->body.unit = 0;
    sequence->body.pad = 0;
    char *at = (char *)(sequence + 1);
    for (int index = 0; index < count && port->takes_midi; index++) {
        LV2_Atom_Event *event = (LV2_Atom_Event *)at;
        event->time.frames = 0;
        event->body.size = size_of(messages[index]);
        event->body.type = urid_map(LV2_MIDI__MidiEvent);
        memcpy(event + 1, messages[index], 3);
        at += sizeof *event + 8;
    }
    sequence->atom.size = (uint32_t)(at - (char *)&sequence->body);
}

static void prepare_events(struct port *port, const uint8_t (*messages)[3], int count) {
    LV2_Event_Buffer *buffer = port->events;
    char *data = (char *)(buffer + 1), *at = data;
    *buffer = (LV2_Event_Buffer){
        .data = (uint8_t *)data, .header_size = sizeof *buffer, .capacity = port->event_bytes - sizeof *buffer};
    for (int index = 0; index < count && port->is_input && port->takes_midi; index++) {
        LV2_Event *event = (LV2_Event *)at;
        *event = (LV2_Event){.type = (uint16_t)urid_map(LV2_MIDI__MidiEvent), .size = (uint16_t)size_of(messages[index])};
        memcpy(event + 1, messages[index], 3);
        at += (sizeof *event + 3 + 7) & ~7ul;
        buffer->event_count++;
    }
    buffer->size = (uint32_t)(at - data);
}

void events_prepare(struct port *port, const uint8_t (*messages)[3], int count) {
    if (port->type == PORT_ATOM) prepare_atoms(port, messages, count);
    if (port->type == PORT_EVENT) prepare_events(port, messages, count);
}
