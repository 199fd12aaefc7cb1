// The edge to C: LAME's encoder of MP3.
#pragma once

#include <lame/lame.h>
