// The latency that the plug-in declares, and the one that it has.
#pragma once

#include "subject.h"

void latency_measure(struct subject *subject);
