// The plug-ins that are installed.
#pragma once

/// Tells all that some bundles have, or LV2_PATH where none is named: URI, name, bundle, binary, and the bundles of their
/// presets.
void listing_tell(char **bundles, int count);
