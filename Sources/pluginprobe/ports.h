// The ports of a plug-in, as its description has them.
#pragma once

#include "subject.h"

/// Reads the port of an index, and makes its memory. False where it cannot be connected.
bool port_read(struct subject *subject, uint32_t index);
/// Whether it has a property.
bool port_has(const struct subject *subject, const LilvPort *port, const char *property);
/// Whether it is designated for something, as for latency.
bool port_designates(const struct subject *subject, const LilvPort *port, const char *what);
