#define _GNU_SOURCE
#include "presets.h"
#include "block.h"
#include "clocks.h"
#include "controls.h"
#include "features.h"
#include "jobs.h"
#include "report.h"
#include "stack.h"

#include <lv2/presets/presets.h>
#include <lv2/state/state.h>
#include <stdio.h>
#include <string.h>

static LilvNodes *all(const struct subject *it) {
    LilvNode *kind = lilv_new_uri(it->world, LV2_PRESETS__Preset);
    LilvNodes *presets = lilv_plugin_get_related(it->plugin, kind);
    lilv_node_free(kind);
    return presets;
}

bool presets_exist(struct subject *it) {
    LilvNodes *presets = all(it);
    const bool result = lilv_nodes_size(presets) > 0;
    lilv_nodes_free(presets);
    return result;
}

static void set_value(const char *symbol, void *state, const void *value, uint32_t size, uint32_t type) {
    struct subject *it = state;
    for (uint32_t index = 0; index < it->count; index++) {
        struct port *port = &it->ports[index];
        if (port->type != PORT_CONTROL || !port->is_input || port->is_enabled || port->is_trigger) continue;
        if (strcmp(port->symbol, symbol) != 0) continue;
        if (type == urid_map(LV2_ATOM__Float) && size == sizeof(float)) control_set(port, *(const float *)value);
        if ((type == urid_map(LV2_ATOM__Int) || type == urid_map(LV2_ATOM__Bool)) && size == sizeof(int32_t)) {
            control_set(port, (float)*(const int32_t *)value);
        }
        if (type == urid_map(LV2_ATOM__Double) && size == sizeof(double)) control_set(port, (float)*(const double *)value);
        if (type == urid_map(LV2_ATOM__Long) && size == sizeof(int64_t)) control_set(port, (float)*(const int64_t *)value);
    }
}

void presets_run(struct subject *it) {
    enum { MOST = 16, WORK_SECONDS = 2, ALL_SECONDS = 4 };
    const double end = clocks_now() + ALL_SECONDS;
    const LV2_Feature *const *features = features_for(it->has_fixed_length);
    const struct block block = {.frames = NOMINAL_FRAMES, .input = INPUT_NOISE};
    LilvNodes *presets = all(it);
    int count = 0;
    LILV_FOREACH (nodes, index, presets) {
        // Slow ones leave time for the other phases.
        if (count++ == MOST || (count > 1 && clocks_now() > end)) break;
        const size_t depth = stack_depth();
        const LilvNode *preset = lilv_nodes_get(presets, index);
        // One that leads to itself fills the stack of who reads it, in a host as well.
        snprintf(block_setting, sizeof block_setting, "reading preset <%s>", lilv_node_as_uri(preset) ?: "");
        lilv_world_load_resource(it->world, preset);
        LilvState *state = lilv_state_new_from_world(it->world, &features_map, preset);
        if (!state) {
            stack_paint_again(depth);
            continue;
        }
        snprintf(block_setting, sizeof block_setting, "preset %s", lilv_state_get_label(state) ?: "");
        lilv_state_restore(state, it->instance, set_value, it, 0, features);
        // No thread of JACK's reads presets or restores.
        stack_paint_again(depth);
        // LV2 forbids to restore while the worker works, and what it loads is to be run.
        bool is_settled = jobs_settle(WORK_SECONDS);
        for (int blocks = 0; blocks < 3; blocks++) block_run(it, &block);
        is_settled = jobs_settle(WORK_SECONDS) && is_settled;
        lilv_state_free(state);
        if (!is_settled) {
            report_line("skipped", "phase", "presets", NULL);
            break;
        }
    }
    lilv_nodes_free(presets);
    subject_reset_controls(it);
}
