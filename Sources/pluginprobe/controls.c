#define _GNU_SOURCE
#include "controls.h"
#include "features.h"
#include "ports.h"

#include <float.h>
#include <lv2/core/lv2.h>
#include <lv2/port-props/port-props.h>
#include <math.h>

static float number(const LilvNode *node, float otherwise) {
    if (!node || !(lilv_node_is_float(node) || lilv_node_is_int(node))) return otherwise;
    const float value = lilv_node_as_float(node);
    return isfinite(value) ? value : otherwise;
}

/// A bound that is a part of the rate; never infinite.
static float at_rate(float part) { return fminf(fmaxf(part * SAMPLE_RATE, -FLT_MAX), FLT_MAX); }

static float within(const struct port *port, float value) { return fminf(fmaxf(value, port->least), port->most); }

/// The law is that of `PortReader.parameter`: a check that sets other numbers than a host would be one of another plug-in.
void control_read(const struct subject *it, struct port *port) {
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
    if (port_designates(it, port->lilv, LV2_CORE__freeWheeling)) port->least = port->most = 0;
    control_set(port, start);
    port->usual = port->value;
    // The default of an enumeration stays as it is; of what lies between its numbers the whole ones are the likeliest.
    port->is_whole |= port_has(it, port->lilv, LV2_CORE__enumeration);
    port->is_fixed = port_has(it, port->lilv, LV2_PORT_PROPS__expensive);
}

void control_set(struct port *port, float value) {
    if (isnan(value)) return;
    // LV2 has it that a switch is on above 0.
    if (port->is_toggled) value = value > 0;
    if (port->is_whole) value = roundf(value);
    port->value = within(port, value);
}
