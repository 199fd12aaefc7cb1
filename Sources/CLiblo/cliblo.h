// The edge to C: liblo's messages alone. Its servers listen on every network, and ours only where they are told to.
#pragma once

#include <lo/lo_lowlevel.h>
