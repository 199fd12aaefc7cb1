// The latency that the plug-in declares, and the one that it has.
#pragma once

#include "subject.h"

/// Tells the latency at the defaults, as a host finds it before it renders.
void latency_tell(struct subject *subject);
void latency_measure(struct subject *subject);
