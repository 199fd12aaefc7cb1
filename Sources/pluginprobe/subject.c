#define _GNU_SOURCE
#include "subject.h"
#include "events.h"
#include "features.h"
#include "findings.h"
#include "jobs.h"
#include "listing.h"
#include "report.h"

#include <dlfcn.h>
#include <float.h>
#include <lv2/atom/atom.h>
#include <lv2/buf-size/buf-size.h>
#include <lv2/core/lv2.h>
#include <lv2/event/event.h>
#include <lv2/midi/midi.h>
#include <lv2/port-props/port-props.h>
#include <lv2/resize-port/resize-port.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void cannot(const char *reason, const char *detail) {
    report_line("cannot", "reason", reason, "detail", detail, NULL);
}

static bool port_has(const struct subject *it, const LilvPort *port, const char *property) {
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

static bool has_feature(const struct subject *it, const char *uri) {
    LilvNode *node = lilv_new_uri(it->world, uri);
    const bool result = lilv_plugin_has_feature(it->plugin, node);
    lilv_node_free(node);
    return result;
}

static float number(const LilvNode *node, float otherwise) {
    if (!node || !(lilv_node_is_float(node) || lilv_node_is_int(node))) return otherwise;
    const float value = lilv_node_as_float(node);
    return isfinite(value) ? value : otherwise;
}

static bool designates(const struct subject *it, const LilvPort *port, const char *what) {
    LilvNode *key = lilv_new_uri(it->world, LV2_CORE__designation);
    LilvNode *value = lilv_port_get(it->plugin, port, key);
    const bool result = value && lilv_node_is_uri(value) && strcmp(lilv_node_as_uri(value), what) == 0;
    lilv_node_free(value);
    lilv_node_free(key);
    return result;
}

/// A bound that is a part of the rate; never infinite.
static float at_rate(float part) { return fminf(fmaxf(part * SAMPLE_RATE, -FLT_MAX), FLT_MAX); }

static float within(const struct port *port, float value) { return fminf(fmaxf(value, port->least), port->most); }

/// The law is that of `PortReader.parameter`: a check that sets other numbers than a host would be one of another plug-in.
static void read_range(const struct subject *it, struct port *port) {
    LilvNode *usual = NULL, *least = NULL, *most = NULL;
    lilv_port_get_range(it->plugin, port->lilv, &usual, &least, &most);
    // Where one bound alone is named, the other one is 0 or 1, or lies 1 beyond it. Comparisons with NAN are false.
    const float highest = number(most, NAN);
    port->least = number(least, highest <= 0 ? highest - 1 : 0);
    port->most = isnan(highest) ? fmaxf(1, port->least + 1) : highest;
    // Bounds scale with the rate, and defaults do not.
    if (port_has(it, port->lilv, LV2_CORE__sampleRate)) {
        port->least = at_rate(port->least);
        port->most = at_rate(port->most);
    }
    if (port->most < port->least) port->most = port->least;
    const float start = within(port, number(usual, 0));
    lilv_node_free(usual);
    lilv_node_free(least);
    lilv_node_free(most);
    port->is_toggled = port_has(it, port->lilv, LV2_CORE__toggled);
    port->is_whole = port_has(it, port->lilv, LV2_CORE__integer);
    if (port->is_toggled) {
        port->least = 0;
        port->most = 1;
    } else if (port->is_whole && ceilf(port->least) <= floorf(port->most)) {
        port->least = ceilf(port->least);
        port->most = floorf(port->most);
    }
    // Live, free-wheeling is off.
    if (designates(it, port->lilv, LV2_CORE__freeWheeling)) port->least = port->most = 0;
    subject_set(port, start);
    port->usual = port->value;
    // The default of an enumeration stays as it is; of what lies between its numbers the whole ones are the likeliest.
    port->is_whole |= port_has(it, port->lilv, LV2_CORE__enumeration);
    port->is_fixed = port_has(it, port->lilv, LV2_PORT_PROPS__expensive);
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

static bool read_port(struct subject *it, uint32_t index) {
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
        if (port->is_input) read_range(it, port);
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

/// Counts them. Before any is asked for, their indices are looked at: lilv makes room up to the greatest one, which it takes as one
/// without a sign.
static bool can_count_ports(struct subject *it) {
    enum { MOST_PORTS = 1 << 16 };
    LilvNode *key = lilv_new_uri(it->world, LV2_CORE__index), *port = lilv_new_uri(it->world, LV2_CORE__port);
    LilvNodes *ports = lilv_plugin_get_value(it->plugin, port);
    const bool has_any = lilv_nodes_size(ports) > 0;
    bool are_few = true;
    LILV_FOREACH (nodes, place, ports) {
        LilvNode *index = lilv_world_get(it->world, lilv_nodes_get(ports, place), key, NULL);
        if (index && (uint32_t)lilv_node_as_int(index) >= MOST_PORTS) are_few = false;
        lilv_node_free(index);
    }
    lilv_nodes_free(ports);
    lilv_node_free(port);
    lilv_node_free(key);
    if (are_few) it->count = lilv_plugin_get_num_ports(it->plugin);
    // Where an index is missing, lilv has none of them, and the plug-in would run without what it needs.
    if (it->count > 0 || !has_any) return true;
    cannot("description", are_few ? "its ports cannot be made" : "it has more than 65536 ports");
    return false;
}

static bool can_load_library(const struct subject *it) {
    const LilvNode *node = lilv_plugin_get_library_uri(it->plugin);
    char *path = node ? lilv_file_uri_parse(lilv_node_as_uri(node), NULL) : NULL;
    if (!path) {
        cannot("binary", "its description names no binary");
        return false;
    }
    findings_begin("load");
    const bool result = dlopen(path, RTLD_NOW);
    if (!result) cannot("load", dlerror());
    lilv_free(path);
    return result;
}

static bool has_all_features(const struct subject *it) {
    LilvNodes *needed = lilv_plugin_get_required_features(it->plugin);
    bool result = true;
    LILV_FOREACH (nodes, index, needed) {
        const LilvNode *node = lilv_nodes_get(needed, index);
        if (!lilv_node_is_uri(node) || features_has(lilv_node_as_uri(node))) continue;
        if (result) cannot("feature", lilv_node_as_uri(node));
        result = false;
    }
    lilv_nodes_free(needed);
    return result;
}

bool subject_load(struct subject *it, const char *uri, char **bundles, int count) {
    findings_begin("description");
    it->world = listing_world(bundles, count);
    if (!it->world) {
        cannot("description", "there is no memory for it");
        return false;
    }
    LilvNode *node = lilv_new_uri(it->world, uri);
    it->plugin = node ? lilv_plugins_get_by_uri(lilv_world_get_all_plugins(it->world), node) : NULL;
    lilv_node_free(node);
    if (!it->plugin) {
        cannot("description", "no bundle describes it");
        return false;
    }
    if (!can_count_ports(it)) return false;
    it->ports = calloc(it->count ? it->count : 1, sizeof *it->ports);
    for (uint32_t index = 0; index < it->count; index++) {
        if (it->ports && read_port(it, index)) continue;
        cannot("description",
               it->event_bytes > MOST_EVENT_BYTES ? "it needs more than 16 MB of memory for its ports of events"
                                                  : "its ports cannot be made");
        return false;
    }
    LilvNode *key = lilv_new_uri(it->world, LV2_CORE__latency), *output = lilv_new_uri(it->world, LV2_CORE__OutputPort);
    const LilvPort *latency = lilv_plugin_get_port_by_designation(it->plugin, output, key);
    lilv_node_free(key);
    lilv_node_free(output);
    it->latency_port = latency                                  ? (int)lilv_port_get_index(it->plugin, latency)
                       : lilv_plugin_has_latency(it->plugin) ? (int)lilv_plugin_get_latency_port_index(it->plugin)
                                                             : -1;
    it->has_fixed_length =
        has_feature(it, LV2_BUF_SIZE__fixedBlockLength) || has_feature(it, LV2_BUF_SIZE__powerOf2BlockLength);
    return has_all_features(it) && can_load_library(it);
}

void subject_set(struct port *port, float value) {
    if (isnan(value)) return;
    // LV2 has it that a switch is on above 0.
    if (port->is_toggled) value = value > 0;
    if (port->is_whole) value = roundf(value);
    port->value = within(port, value);
}

void subject_reset_controls(struct subject *it) {
    for (uint32_t index = 0; index < it->count; index++) it->ports[index].value = it->ports[index].usual;
}

bool subject_start(struct subject *it) {
    findings_begin("instantiate");
    subject_reset_controls(it);
    it->instance = lilv_plugin_instantiate(
        it->plugin, SAMPLE_RATE, features_for(it->has_fixed_length));
    if (!it->instance) {
        cannot("instantiate", "its binary does not have it, or refuses to make an instance");
        return false;
    }
    const LV2_Worker_Interface *worker = lilv_instance_get_extension_data(it->instance, LV2_WORKER__interface);
    for (uint32_t index = 0; index < it->count; index++) {
        struct port *port = &it->ports[index];
        void *data = port->type == PORT_CONTROL ? &port->value
                     : port->buffer.memory      ? (void *)port->buffer.samples
                                                : port->events;
        lilv_instance_connect_port(it->instance, index, data);
    }
    jobs_begin(lilv_instance_get_handle(it->instance), worker);
    findings_begin("activate");
    lilv_instance_activate(it->instance);
    return true;
}

void subject_tell_latency(struct subject *it) {
    if (it->latency_port < 0) return;
    findings_begin("latency");
    for (uint32_t index = 0; index < it->count; index++) {
        if (it->ports[index].events) events_prepare(&it->ports[index], NULL, 0);
    }
    // No frames: the plug-in tells its latency, and nothing else changes.
    lilv_instance_run(it->instance, 0);
    char text[REPORT_NUMBER];
    report_number(text, (double)it->ports[it->latency_port].value);
    report_line("latency", "=declared", text, NULL);
}

void subject_stop(struct subject *it) {
    if (!it->instance) return;
    findings_begin("deactivate");
    jobs_end();
    lilv_instance_deactivate(it->instance);
    findings_begin("free");
    lilv_instance_free(it->instance);
    it->instance = NULL;
}
