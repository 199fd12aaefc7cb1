// The edge to C: KISS FFT in single precision.
#pragma once

#include <kissfft/kiss_fftr.h>
