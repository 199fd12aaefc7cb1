// The plug-ins that are installed.
#pragma once

#include <lilv-0/lilv/lilv.h>
#include <stdbool.h>

/// What some bundles describe. NULL where there is no memory for it.
LilvWorld *listing_world(char **bundles, int count);

/// Tells all that some bundles have: URI, name, bundle, binary, and the bundles of their presets. False where there is no memory
/// for it.
bool listing_tell_bundles(char **bundles, int count);

/// Likewise the installed ones that have one of the texts in their URI or in the path of their bundle. Much faster than all of
/// them: manifests are read, and of the descriptions only those of what is found.
///
/// - Parameter bundles: all that are installed and may be read; none for those in LV2_PATH.
bool listing_tell_found(char **texts, int text_count, char **bundles, int bundle_count);
