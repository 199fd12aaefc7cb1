// The plug-ins that are installed.
#pragma once

#include <lilv-0/lilv/lilv.h>
#include <stdbool.h>

/// What some bundles describe, or those in LV2_PATH where none is named. NULL where there is no memory for it.
LilvWorld *listing_world(char **bundles, int count);

/// Tells all that some bundles have, or LV2_PATH where none is named: URI, name, bundle, binary, and the bundles of their
/// presets. False where there is no memory for it.
bool listing_tell_bundles(char **bundles, int count);

/// Likewise those in LV2_PATH that have one of the texts in their URI or in the path of their bundle. Much faster than all of
/// them: manifests are read, and of the descriptions only those of what is found.
bool listing_tell_found(char **texts, int count);
