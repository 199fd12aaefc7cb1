#define _GNU_SOURCE
#include "subject.h"
#include "features.h"
#include "findings.h"
#include "jobs.h"
#include "listing.h"
#include "ports.h"
#include "report.h"

#include <dlfcn.h>
#include <lv2/buf-size/buf-size.h>
#include <lv2/core/lv2.h>
#include <lv2/state/state.h>
#include <stdlib.h>

static void cannot(const char *reason, const char *detail) {
    report_line("cannot", "reason", reason, "detail", detail, NULL);
}

static bool has_feature(const struct subject *it, const char *uri) {
    LilvNode *node = lilv_new_uri(it->world, uri);
    const bool result = lilv_plugin_has_feature(it->plugin, node);
    lilv_node_free(node);
    return result;
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
        if (it->ports && port_read(it, index)) continue;
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

void subject_reset_controls(struct subject *it) {
    for (uint32_t index = 0; index < it->count; index++) it->ports[index].value = it->ports[index].usual;
}

/// Restores the state that a new instance begins with, where the plug-in asks its host to.
static void restore_default_state(struct subject *it) {
    if (!has_feature(it, LV2_STATE__loadDefaultState)) return;
    LilvState *state = lilv_state_new_from_world(it->world, &features_map, lilv_plugin_get_uri(it->plugin));
    if (!state) return;
    lilv_state_restore(state, it->instance, NULL, NULL, 0, features_for(it->has_fixed_length));
    lilv_state_free(state);
    // What its worker was asked for is done before it is activated.
    jobs_settle(2);
}

bool subject_start(struct subject *it) {
    findings_begin("instantiate");
    subject_reset_controls(it);
    it->instance = lilv_plugin_instantiate(
        it->plugin, SAMPLE_RATE, features_for(it->has_fixed_length));
    if (!it->instance) {
        const bool is_described = lilv_plugin_verify(it->plugin);
        cannot("instantiate",
               is_described ? "its binary does not have it, or refuses to make an instance"
                            : "its description is damaged or incomplete; see its files of Turtle");
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
    restore_default_state(it);
    findings_begin("activate");
    lilv_instance_activate(it->instance);
    return true;
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
