// The edge to C: the echo canceller and the preprocessor of SpeexDSP.
#pragma once

#include <speex/speex_echo.h>
#include <speex/speex_preprocess.h>
