// Opus, in one stream or several.
#define LIBRARY libopus
#define LOADS_ITSELF
#define FILE_NAME "libopus.so.0"
#define FUNCTIONS(F) \
    F(opus_multistream_decode_float) \
    F(opus_multistream_decoder_create) \
    F(opus_multistream_decoder_ctl) \
    F(opus_multistream_decoder_destroy) \
    F(opus_multistream_encode_float) \
    F(opus_multistream_encoder_ctl) \
    F(opus_multistream_encoder_destroy) \
    F(opus_multistream_surround_encoder_create) \
    F(opus_strerror)

#include "forward.h"
