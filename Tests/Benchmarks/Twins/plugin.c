// The least that a host of one LV2 plug-in can be: a call of its run(). The measure of what hosting adds.

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include <lv2/atom/atom.h>
#include <lv2/core/lv2.h>
#include <lv2/urid/urid.h>

enum { uris = 256, sequence_bytes = 8192, sequences = 8 };

struct plugin {
    const LV2_Descriptor *descriptor;
    LV2_Handle handle;
    LV2_Atom_Sequence *events[sequences];
    LV2_Atom_Sequence empty[sequences];
    int event_ports;
};

static char *known[uris];

static LV2_URID map(LV2_URID_Map_Handle handle, const char *uri) {
    for (LV2_URID number = 0; number < uris; number++) {
        if (!known[number]) known[number] = strdup(uri);
        if (known[number] && strcmp(known[number], uri) == 0) return number + 1;
    }
    return 0;
}

static const char *unmap(LV2_URID_Unmap_Handle handle, LV2_URID number) {
    return number >= 1 && number <= uris ? known[number - 1] : NULL;
}

// NULL where the library does not have it, or it wants more than this host offers.
struct plugin *twin_plugin_make(const char *library, const char *bundle, const char *uri, double rate) {
    static LV2_URID_Map mapping = {NULL, map};
    static LV2_URID_Unmap unmapping = {NULL, unmap};
    static const LV2_Feature maps = {LV2_URID__map, &mapping}, unmaps = {LV2_URID__unmap, &unmapping};
    static const LV2_Feature is_live = {LV2_CORE__isLive, NULL};
    static const LV2_Feature *features[] = {&maps, &unmaps, &is_live, NULL};
    void *code = dlopen(library, RTLD_NOW);
    LV2_Descriptor_Function list = code ? (LV2_Descriptor_Function)dlsym(code, "lv2_descriptor") : NULL;
    struct plugin *plugin = list ? calloc(1, sizeof *plugin) : NULL;
    if (!plugin) return NULL;
    for (uint32_t index = 0; (plugin->descriptor = list(index)); index++) {
        if (strcmp(plugin->descriptor->URI, uri) == 0) break;
    }
    if (plugin->descriptor) plugin->handle = plugin->descriptor->instantiate(plugin->descriptor, rate, bundle, features);
    if (plugin->handle) return plugin;
    free(plugin);
    return NULL;
}

void twin_plugin_connect(struct plugin *plugin, uint32_t port, void *memory) {
    plugin->descriptor->connect_port(plugin->handle, port, memory);
}

// Connects a port to a sequence without events. Nonzero where there is no room.
int twin_plugin_connect_events(struct plugin *plugin, uint32_t port, int is_input) {
    if (plugin->event_ports == sequences) return 1;
    LV2_Atom_Sequence *events = calloc(1, sequence_bytes);
    if (!events) return 1;
    LV2_Atom_Sequence *empty = &plugin->empty[plugin->event_ports];
    empty->atom.size = is_input ? sizeof(LV2_Atom_Sequence_Body) : sequence_bytes - sizeof(LV2_Atom);
    empty->atom.type = is_input ? map(NULL, LV2_ATOM__Sequence) : 0;
    plugin->events[plugin->event_ports++] = events;
    twin_plugin_connect(plugin, port, events);
    return 0;
}

void twin_plugin_activate(struct plugin *plugin) {
    if (plugin->descriptor->activate) plugin->descriptor->activate(plugin->handle);
}

void twin_plugin_run(struct plugin *plugin, long frames) {
    for (int port = 0; port < plugin->event_ports; port++) *plugin->events[port] = plugin->empty[port];
    plugin->descriptor->run(plugin->handle, (uint32_t)frames);
}
