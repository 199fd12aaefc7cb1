// Event ports, of the atom extension and of the one before it.
#pragma once

#include "subject.h"

/// Empties the port, and puts MIDI messages of three bytes in where it takes them.
void events_prepare(struct port *port, const uint8_t (*messages)[3], int count);
