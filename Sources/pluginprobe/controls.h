// What a control can be set to.
#pragma once

#include "subject.h"

/// Reads the range and the default of a control input.
void control_read(const struct subject *subject, struct port *port);
/// Sets a control as a host does: within its range, and to no NaN.
void control_set(struct port *port, float value);
