#define _GNU_SOURCE
#include "controls.h"
#include "features.h"
#include "ports.h"

#include <float.h>
#include <lv2/core/lv2.h>
#include <lv2/port-props/port-props.h>
#include <math.h>
#include <stdlib.h>

static float number(const LilvNode *node, float otherwise) {
    if (!node || !(lilv_node_is_float(node) || lilv_node_is_int(node))) return otherwise;
    const float value = lilv_node_as_float(node);
    return isfinite(value) ? value : otherwise;
}

/// A bound that is a part of the rate; never infinite.
static float at_rate(float part) { return fminf(fmaxf(part * SAMPLE_RATE, -FLT_MAX), FLT_MAX); }

static float within(const struct port *port, float value) { return fminf(fmaxf(value, port->least), port->most); }

static int compare(const void *one, const void *other) {
    const float a = *(const float *)one, b = *(const float *)other;
    return (a > b) - (a < b);
}

/// Whether one of its points has a number and a label: lilv ends the program where a port has points and none of them has both.
static bool has_points(const struct subject *it, const struct port *port) {
    LilvNode *key = lilv_new_uri(it->world, LV2_CORE__scalePoint);
    LilvNode *value = lilv_new_uri(it->world, LILV_NS_RDF "value"), *label = lilv_new_uri(it->world, LILV_NS_RDFS "label");
    LilvNodes *points = lilv_port_get_value(it->plugin, port->lilv, key);
    bool has_any = false;
    LILV_FOREACH (nodes, place, points) {
        const LilvNode *point = lilv_nodes_get(points, place);
        has_any |= lilv_world_ask(it->world, point, value, NULL) && lilv_world_ask(it->world, point, label, NULL);
    }
    lilv_nodes_free(points);
    lilv_node_free(label);
    lilv_node_free(value);
    lilv_node_free(key);
    return has_any;
}

/// The numbers of an enumeration that lie within bounds, in their order.
static void read_points(const struct subject *it, struct port *port, float lowest, float highest) {
    LilvScalePoints *points = lilv_port_get_scale_points(it->plugin, port->lilv);
    port->points = points ? calloc(lilv_scale_points_size(points), sizeof *port->points) : NULL;
    LILV_FOREACH (scale_points, place, points) {
        const float value = number(lilv_scale_point_get_value(lilv_scale_points_get(points, place)), NAN);
        if (!port->points || isnan(value) || value < lowest || value > highest) continue;
        port->points[port->point_count++] = value;
    }
    lilv_scale_points_free(points);
    if (port->point_count > 0) qsort(port->points, port->point_count, sizeof *port->points, compare);
}

/// The law is that of `PortReader.parameter`: a check that sets other numbers than a host would be one of another plug-in.
void control_read(const struct subject *it, struct port *port) {
    LilvNode *usual = NULL, *least = NULL, *most = NULL;
    lilv_port_get_range(it->plugin, port->lilv, &usual, &least, &most);
    const float lowest = number(least, NAN), highest = number(most, NAN), initial = number(usual, 0);
    lilv_node_free(usual);
    lilv_node_free(least);
    lilv_node_free(most);
    // Where one bound alone is named, the other one is 0 or 1, or lies 1 beyond it. Comparisons with NAN are false.
    port->least = isnan(lowest) ? (highest <= 0 ? highest - 1 : 0) : lowest;
    port->most = isnan(highest) ? fmaxf(1, port->least + 1) : highest;
    // Bounds scale with the rate, and defaults do not.
    if (port_has(it, port->lilv, LV2_CORE__sampleRate)) {
        port->least = at_rate(port->least);
        port->most = at_rate(port->most);
    }
    if (port->most < port->least) port->most = port->least;
    port->is_enabled = port_designates(it, port->lilv, LV2_CORE__enabled);
    port->is_toggled = port->is_enabled || port_has(it, port->lilv, LV2_CORE__toggled);
    port->is_whole = port_has(it, port->lilv, LV2_CORE__integer);
    port->is_trigger = port_has(it, port->lilv, LV2_PORT_PROPS__trigger);
    // The numbers of an enumeration alone are its range where no bound is named.
    if (!port->is_toggled && port_has(it, port->lilv, LV2_CORE__enumeration) && has_points(it, port)) {
        read_points(it, port, isnan(lowest) ? -FLT_MAX : port->least, isnan(highest) ? FLT_MAX : port->most);
    }
    if (port->point_count > 0) {
        port->least = port->points[0];
        port->most = port->points[port->point_count - 1];
    }
    const float start = within(port, initial);
    // A host gives a trigger two values: the one it rests at, and 1.
    if (port->is_trigger && port->point_count == 0 && port->least == 0 && port->most == 1) port->is_toggled = true;
    if (port->is_toggled) {
        port->least = 0;
        port->most = 1;
    } else if (port->is_whole && port->point_count == 0 && ceilf(port->least) <= floorf(port->most)) {
        port->least = ceilf(port->least);
        port->most = floorf(port->most);
    }
    // Live, free-wheeling is off.
    if (port_designates(it, port->lilv, LV2_CORE__freeWheeling)) port->least = port->most = 0;
    control_set(port, port->is_enabled ? 1 : start);
    // Of a trigger, where it rests, which may be beyond its range.
    if (port->is_trigger) port->value = initial;
    port->usual = port->value;
    port->is_fixed = port_has(it, port->lilv, LV2_PORT_PROPS__expensive);
}

/// Of several numbers that are as near, the least.
static float nearest_point(const struct port *port, float value) {
    float nearest = port->points[0];
    for (uint32_t place = 1; place < port->point_count; place++) {
        const float point = port->points[place];
        if (fabs((double)point - value) < fabs((double)nearest - value)) nearest = point;
    }
    return nearest;
}

void control_set(struct port *port, float value) {
    if (isnan(value)) return;
    // LV2 has it that a switch is on above 0.
    if (port->is_toggled) value = value > 0;
    if (port->point_count > 0) {
        // Within the range first: to an infinite number all are as near.
        value = nearest_point(port, within(port, value));
    } else if (port->is_whole) {
        value = roundf(value);
    }
    port->value = within(port, value);
}
