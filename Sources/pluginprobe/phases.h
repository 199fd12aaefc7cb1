// What the plug-in is put through.
#pragma once

#include "subject.h"

/// Runs all phases. `budget` is how many seconds there are for it: what does not fit is told as skipped.
void phases_run(struct subject *subject, double budget);
