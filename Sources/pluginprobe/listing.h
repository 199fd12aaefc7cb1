// The plug-ins that are installed.
#pragma once

/// Tells all that some bundles have, or LV2_PATH where none is named: URI, name, bundle, binary, and the bundles of their
/// presets.
void listing_tell_bundles(char **bundles, int count);

/// Likewise those in LV2_PATH that have one of the texts in their URI or in the path of their bundle. Much faster than all of
/// them: manifests are read, and of the descriptions only those of what is found.
void listing_tell_found(char **texts, int count);
