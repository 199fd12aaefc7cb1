#define _GNU_SOURCE
#include "ports.h"
#include "controls.h"
#include "features.h"

#include <lv2/atom/atom.h>
#include <lv2/core/lv2.h>
#include <lv2/event/event.h>
#include <lv2/midi/midi.h>
#include <lv2/resize-port/resize-port.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool port_has(const struct subject *it, const LilvPort *port, const char *property) {
    LilvNode *node = lilv_new_uri(it->world, property);
    const bool result = lilv_port_has_property(it->plugin, port, node);
    lilv_node_free(node);
    return result;
}

static bool port_is(const struct subject *it, const LilvPort *port, const char *type) {
    LilvNode *node = lilv_new_uri(it->world, type);
    const bool result = lilv_port_is_a(it->plugin, port, node);
    lilv_node_free(node);
    return result;
}

bool port_designates(const struct subject *it, const LilvPort *port, const char *what) {
    LilvNode *key = lilv_new_uri(it->world, LV2_CORE__designation);
    LilvNode *value = lilv_port_get(it->plugin, port, key);
    const bool result = value && lilv_node_is_uri(value) && strcmp(lilv_node_as_uri(value), what) == 0;
    lilv_node_free(value);
    lilv_node_free(key);
    return result;
}

static enum port_type type_of(const struct subject *it, const LilvPort *port) {
    if (port_is(it, port, LV2_CORE__AudioPort)) return PORT_AUDIO;
    if (port_is(it, port, LV2_CORE__CVPort)) return PORT_CV;
    if (port_is(it, port, LV2_CORE__ControlPort)) return PORT_CONTROL;
    if (port_is(it, port, LV2_ATOM__AtomPort)) return PORT_ATOM;
    if (port_is(it, port, LV2_EVENT__EventPort)) return PORT_EVENT;
    return PORT_OTHER;
}

/// What a port of events asks for, in bytes: 0 where that is nothing.
static double minimum_size(const struct subject *it, const LilvPort *port) {
    LilvNode *key = lilv_new_uri(it->world, LV2_RESIZE_PORT__minimumSize);
    LilvNode *value = lilv_port_get(it->plugin, port, key);
    // As text, because lilv has whole numbers of 32 bits: of 3 GB it makes less than nothing.
    const double bytes = value ? ceil(strtod(lilv_node_as_string(value), NULL)) : 0;
    lilv_node_free(value);
    lilv_node_free(key);
    return bytes > 0 ? bytes : 0;
}

static bool make_events(struct subject *it, struct port *port) {
    const double bytes = fmax(SEQUENCE_BYTES, minimum_size(it, port->lilv));
    it->event_bytes += bytes;
    if (it->event_bytes > MOST_EVENT_BYTES) return false;
    port->event_bytes = (uint32_t)bytes;
    port->events = aligned_alloc(64, port->event_bytes);
    if (port->events) memset(port->events, 0, port->event_bytes);
    return port->events;
}

bool port_read(struct subject *it, uint32_t index) {
    struct port *port = &it->ports[index];
    port->lilv = lilv_plugin_get_port_by_index(it->plugin, index);
    if (!port->lilv) return false;
    const LilvNode *symbol = lilv_port_get_symbol(it->plugin, port->lilv);
    port->symbol = symbol ? lilv_node_as_string(symbol) : "?";
    port->type = type_of(it, port->lilv);
    port->is_input = port_is(it, port->lilv, LV2_CORE__InputPort);
    switch (port->type) {
    case PORT_AUDIO: case PORT_CV: return buffer_make(&port->buffer, port->symbol, port->is_input);
    case PORT_CONTROL:
        if (port->is_input) control_read(it, port);
        return true;
    case PORT_ATOM: case PORT_EVENT: {
        LilvNode *midi = lilv_new_uri(it->world, LV2_MIDI__MidiEvent);
        port->takes_midi = port->is_input && lilv_port_supports_event(it->plugin, port->lilv, midi);
        lilv_node_free(midi);
        return make_events(it, port);
    }
    // Of an unknown type: only an optional port may stay unconnected.
    default: return port_has(it, port->lilv, LV2_CORE__connectionOptional);
    }
}
