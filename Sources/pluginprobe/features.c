// Of the old event extension, which some still need alone.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#define _GNU_SOURCE
#include "features.h"
#include "findings.h"
#include "jobs.h"
#include "region.h"

#include <lv2/buf-size/buf-size.h>
#include <lv2/event/event.h>
#include <lv2/log/log.h>
#include <lv2/options/options.h>
#include <lv2/parameters/parameters.h>
#include <lv2/state/state.h>
#include <lv2/uri-map/uri-map.h>
#include <lv2/worker/worker.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Where the host is called from inside the region: what it does there is its own matter; that it is asked is told.
static bool called(const char *name, const void *site) {
    const bool was_inside = region_pause();
    if (was_inside) record("hostCall", name, site, 0);
    return was_inside;
}

static LV2_URID map(void *handle, const char *uri) {
    (void)handle;
    const bool was_inside = called("urid:map", __builtin_return_address(0));
    const LV2_URID urid = urid_map(uri);
    region_resume(was_inside);
    return urid;
}

static const char *unmap(void *handle, LV2_URID urid) {
    (void)handle;
    const bool was_inside = called("urid:unmap", __builtin_return_address(0));
    const char *uri = urid_unmap(urid);
    region_resume(was_inside);
    return uri;
}

static uint32_t map_old(void *handle, const char *scope, const char *uri) {
    (void)scope;
    return map(handle, uri);
}

static uint32_t event_reference(void *handle, LV2_Event *event) {
    (void)handle;
    (void)event;
    return 0;
}

static int log_vprintf(void *handle, LV2_URID type, const char *format, va_list list) {
    (void)handle;
    char text[512];
    // Traces are what the extension allows there.
    const bool was_inside = region_pause();
    if (was_inside && type != urid_map(LV2_LOG__Trace)) record("hostCall", "log", __builtin_return_address(0), 0);
    const int length = vsnprintf(text, sizeof text, format, list);
    region_resume(was_inside);
    return length;
}

static int log_printf(void *handle, LV2_URID type, const char *format, ...) {
    va_list list;
    va_start(list, format);
    const int length = log_vprintf(handle, type, format, list);
    va_end(list);
    return length;
}

static char *copied_path(void *handle, const char *path) {
    (void)handle;
    return strdup(path);
}

static void free_path(void *handle, char *path) {
    (void)handle;
    free(path);
}

static char *made_path(void *handle, const char *path) {
    (void)handle;
    char *result = NULL;
    return asprintf(&result, "/nonexistent/iounit/%s", path) < 0 ? NULL : result;
}

LV2_URID_Map features_map = {NULL, map};
static LV2_URID_Unmap unmap_feature = {NULL, unmap};
static LV2_URI_Map_Feature old_map_feature = {NULL, map_old};
static LV2_Event_Feature event_feature = {NULL, event_reference, event_reference};
static LV2_Log_Log log_feature = {NULL, log_printf, log_vprintf};
static LV2_Worker_Schedule worker_feature = {NULL, jobs_schedule};
static LV2_State_Map_Path map_path_feature = {NULL, copied_path, copied_path};
static LV2_State_Make_Path make_path_feature = {NULL, made_path};
static LV2_State_Free_Path free_path_feature = {NULL, free_path};

static void leave(void) { region_leave(); }
static void enter(void) { region_enter(); }
static struct region_feature region_feature = {leave, enter};

static int32_t least_frames = 1, most_frames = 1024, nominal_frames = NOMINAL_FRAMES, sequence_bytes = SEQUENCE_BYTES;
static float sample_rate = SAMPLE_RATE;
static LV2_Options_Option options[6];

static LV2_Feature features[] = {
    {LV2_URID__map, &features_map},
    {LV2_URID__unmap, &unmap_feature},
    {LV2_URI_MAP_URI, &old_map_feature},
    {LV2_EVENT_URI, &event_feature},
    {LV2_LOG__log, &log_feature},
    {LV2_WORKER__schedule, &worker_feature},
    {LV2_OPTIONS__options, options},
    {LV2_STATE__mapPath, &map_path_feature},
    {LV2_STATE__makePath, &make_path_feature},
    {LV2_STATE__freePath, &free_path_feature},
    {LV2_STATE__loadDefaultState, NULL},
    {LV2_STATE__threadSafeRestore, NULL},
    {LV2_BUF_SIZE__boundedBlockLength, NULL},
    {LV2_CORE__isLive, NULL},
    {LV2_CORE__inPlaceBroken, NULL},
    {REGION_URI, &region_feature},
    // These two are true where the plug-in asks for a fixed length.
    {LV2_BUF_SIZE__fixedBlockLength, NULL},
    {LV2_BUF_SIZE__powerOf2BlockLength, NULL},
};
enum { COUNT = sizeof features / sizeof *features };

bool features_has(const char *uri) {
    for (int index = 0; index < COUNT; index++) {
        if (strcmp(features[index].URI, uri) == 0) return true;
    }
    return strcmp(uri, LV2_CORE__hardRTCapable) == 0;
}

const LV2_Feature *const *features_for(bool has_fixed_length) {
    static const LV2_Feature *list[COUNT + 1];
    const LV2_URID integer = urid_map(LV2_ATOM__Int), real = urid_map(LV2_ATOM__Float);
    if (has_fixed_length) least_frames = most_frames = NOMINAL_FRAMES;
#define OPTION(uri, variable, type) (LV2_Options_Option){LV2_OPTIONS_INSTANCE, 0, urid_map(uri), 4, type, &variable}
    options[0] = OPTION(LV2_BUF_SIZE__minBlockLength, least_frames, integer);
    options[1] = OPTION(LV2_BUF_SIZE__maxBlockLength, most_frames, integer);
    options[2] = OPTION(LV2_BUF_SIZE__nominalBlockLength, nominal_frames, integer);
    options[3] = OPTION(LV2_BUF_SIZE__sequenceSize, sequence_bytes, integer);
    options[4] = OPTION(LV2_PARAMETERS__sampleRate, sample_rate, real);
    options[5] = (LV2_Options_Option){0};
    int count = 0;
    for (int index = 0; index < COUNT - (has_fixed_length ? 0 : 2); index++) list[count++] = &features[index];
    list[count] = NULL;
    return list;
}
