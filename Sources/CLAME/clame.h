// The edge to C: LAME's encoder of MP3, which libsndfile loads in any case.
#pragma once

#include <lame/lame.h>
