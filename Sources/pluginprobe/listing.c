#define _GNU_SOURCE
#include "listing.h"
#include "report.h"

#include <lv2/core/lv2.h>
#include <lv2/presets/presets.h>
#include <string.h>

static char *path_of(const LilvNode *node) { return node ? lilv_file_uri_parse(lilv_node_as_uri(node), NULL) : NULL; }

static void tell_presets(LilvWorld *world, const LilvPlugin *plugin, const char *uri, const char *own) {
    LilvNode *kind = lilv_new_uri(world, LV2_PRESETS__Preset), *key = lilv_new_uri(world, LILV_NS_RDFS "seeAlso");
    LilvNodes *presets = lilv_plugin_get_related(plugin, kind);
    char last[4096] = "";
    LILV_FOREACH (nodes, index, presets) {
        LilvNode *file = lilv_world_get(world, lilv_nodes_get(presets, index), key, NULL);
        char *path = file && lilv_node_is_uri(file) ? path_of(file) : NULL;
        char *slash = path ? strrchr(path, '/') : NULL;
        if (slash) slash[1] = 0;
        if (slash && strlen(path) < sizeof last && strcmp(path, own) != 0 && strcmp(path, last) != 0) {
            strcpy(last, path);
            report_line("presets", "uri", uri, "bundle", path, NULL);
        }
        lilv_free(path);
        lilv_node_free(file);
    }
    lilv_nodes_free(presets);
    lilv_node_free(kind);
    lilv_node_free(key);
}

static void set(LilvWorld *world, const char *option, LilvNode *value) {
    lilv_world_set_option(world, option, value);
    lilv_node_free(value);
}

LilvWorld *listing_world(char **bundles, int count) {
    LilvWorld *world = lilv_world_new();
    if (!world) return NULL;
    // Descriptions that are made by code of a plug-in (dynamic manifests) are left out: a list must not run plug-ins, and a check
    // runs only the one that it is about.
    set(world, LILV_OPTION_DYN_MANIFEST, lilv_new_bool(world, false));
    for (int index = 0; index < count; index++) {
        LilvNode *bundle = lilv_new_file_uri(world, NULL, bundles[index]);
        lilv_world_load_bundle(world, bundle);
        lilv_node_free(bundle);
    }
    return world;
}

static bool has_text(const char *uri, const char *bundle, char **texts, int count) {
    for (int index = 0; index < count; index++) {
        if (strstr(uri, texts[index]) || (bundle && strstr(bundle, texts[index]))) return true;
    }
    return false;
}

/// - Parameter texts: NULL for all plug-ins of the world.
static bool tell(LilvWorld *world, char **texts, int count) {
    if (!world) return false;
    LilvNode *hard = lilv_new_uri(world, LV2_CORE__hardRTCapable);
    const LilvPlugins *plugins = lilv_world_get_all_plugins(world);
    LILV_FOREACH (plugins, index, plugins) {
        const LilvPlugin *plugin = lilv_plugins_get(plugins, index);
        const char *uri = lilv_node_as_uri(lilv_plugin_get_uri(plugin));
        char *bundle = path_of(lilv_plugin_get_bundle_uri(plugin));
        if (texts && !has_text(uri, bundle, texts, count)) {
            lilv_free(bundle);
            continue;
        }
        // From here on lilv reads the plug-in's description.
        char *binary = path_of(lilv_plugin_get_library_uri(plugin));
        LilvNode *name = lilv_plugin_get_name(plugin);
        const LilvNode *class = lilv_plugin_class_get_label(lilv_plugin_get_class(plugin));
        report_line("found", "uri", uri, "name", name ? lilv_node_as_string(name) : "", "bundle", bundle, "binary",
                    binary ? binary : "", "class", class ? lilv_node_as_string(class) : "", "=claimsHardRealTime",
                    lilv_plugin_has_feature(plugin, hard) ? "true" : "false", NULL);
        tell_presets(world, plugin, uri, bundle ? bundle : "");
        lilv_node_free(name);
        lilv_free(bundle);
        lilv_free(binary);
    }
    lilv_node_free(hard);
    lilv_world_free(world);
    return true;
}

bool listing_tell_bundles(char **bundles, int count) { return tell(listing_world(bundles, count), NULL, 0); }

bool listing_tell_found(char **texts, int text_count, char **bundles, int bundle_count) {
    LilvWorld *world = listing_world(bundles, bundle_count);
    if (!world) return false;
    // All that lilv finds by itself it reads.
    if (bundle_count > 0) set(world, LILV_OPTION_LV2_PATH, lilv_new_string(world, ""));
    // What bundles say of each other is known only now, also of those that are loaded already.
    lilv_world_load_all(world);
    return tell(world, texts, text_count);
}
