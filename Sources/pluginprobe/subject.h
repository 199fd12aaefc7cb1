// The plug-in that is checked: its description, its ports, and one instance of it.
#pragma once

#include "buffers.h"

#include <lilv-0/lilv/lilv.h>
#include <stdbool.h>
#include <stdint.h>

enum port_type { PORT_OTHER, PORT_AUDIO, PORT_CV, PORT_CONTROL, PORT_ATOM, PORT_EVENT };

struct port {
    const LilvPort *lilv;
    const char *symbol;
    enum port_type type;
    bool is_input, takes_midi;
    /// Of a control input.
    float least, most, usual;
    bool is_whole, is_toggled;
    /// The switch of the plug-in itself: on, whatever its default and a preset say, as a host has it.
    bool is_enabled;
    /// Of an enumeration: the numbers that it can be set to. None where it is no enumeration, or has none.
    float *points;
    uint32_t point_count;
    /// An expensive control: presets alone change it.
    bool is_fixed;
    /// A trigger: a value lasts one block, as that of a reset. No preset sets it.
    bool is_trigger;
    float value;
    struct buffer buffer;
    void *events;
    uint32_t event_bytes;
};

struct subject {
    LilvWorld *world;
    const LilvPlugin *plugin;
    uint32_t count;
    struct port *ports;
    /// Of all ports of events together.
    double event_bytes;
    /// The output that reports latency, or -1.
    int latency_port;
    bool has_fixed_length;
    LilvInstance *instance;
};

/// Reads the description from bundles. False where it cannot be, which is told in the report.
bool subject_load(struct subject *subject, const char *uri, char **bundles, int count);
/// Makes an instance, connects and activates it.
bool subject_start(struct subject *subject);
void subject_stop(struct subject *subject);
/// Sets all controls to their defaults.
void subject_reset_controls(struct subject *subject);
