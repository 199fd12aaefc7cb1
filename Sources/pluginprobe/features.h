// What a host offers a plug-in.
#pragma once

#include <lilv-0/lilv/lilv.h>
#include <lv2/atom/atom.h>
#include <lv2/urid/urid.h>
#include <stdbool.h>
#include <stdint.h>

enum { NOMINAL_FRAMES = 256, SAMPLE_RATE = 48000, SEQUENCE_BYTES = 64 << 10 };
/// What the ports of events have together, at the most, as AudioPlugins gives them.
enum { MOST_EVENT_BYTES = 16 << 20 };

LV2_URID urid_map(const char *uri);
const char *urid_unmap(LV2_URID urid);
/// As plug-ins and lilv are given it.
extern LV2_URID_Map features_map;

/// Those that `features_for` may give, whatever the plug-in.
bool features_has(const char *uri);
/// For an instance; valid until the next one is made.
const LV2_Feature *const *features_for(bool has_fixed_length);
