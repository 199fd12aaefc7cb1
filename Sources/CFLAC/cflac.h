// The edge to C: libFLAC's encoder and decoder of streams.
#pragma once

#include <FLAC/stream_decoder.h>
#include <FLAC/stream_encoder.h>
