// The plug-in's presets, restored while it does not run, and run then.
#pragma once

#include "subject.h"

bool presets_exist(struct subject *subject);
void presets_run(struct subject *subject);
