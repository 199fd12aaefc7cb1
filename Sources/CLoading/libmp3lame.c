// Encodes MP3.
#define LIBRARY libmp3lame
#define LOADS_ITSELF
#define FILE_NAME "libmp3lame.so.0"
#define FUNCTIONS(F) \
    F(lame_close) \
    F(lame_encode_buffer_ieee_float) \
    F(lame_encode_buffer_interleaved_ieee_float) \
    F(lame_encode_flush) \
    F(lame_init) \
    F(lame_init_params) \
    F(lame_set_bWriteVbrTag) \
    F(lame_set_brate) \
    F(lame_set_in_samplerate) \
    F(lame_set_num_channels) \
    F(lame_set_out_samplerate)

#include "forward.h"
