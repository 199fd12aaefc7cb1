// The edge to C: libshout.
#pragma once

#include <shout/shout.h>
