// The edge to C: libopus, of which Swift cannot import the calls with a variable number of arguments.
#pragma once

#include <opus/opus_multistream.h>

/// Sets one of the encoder's numbers; returns OPUS_OK or the error.
static inline int copus_set(OpusMSEncoder *encoder, int request, opus_int32 value) {
    return opus_multistream_encoder_ctl(encoder, request, value);
}

/// One of the encoder's numbers, or a negative error.
static inline opus_int32 copus_get(OpusMSEncoder *encoder, int request) {
    opus_int32 value = 0;
    const int result = opus_multistream_encoder_ctl(encoder, request, &value);
    return result == OPUS_OK ? value : result;
}

/// Forgets all that was encoded.
static inline int copus_reset_encoder(OpusMSEncoder *encoder) {
    return opus_multistream_encoder_ctl(encoder, OPUS_RESET_STATE);
}

/// Makes what is decoded louder, by decibels times 256.
static inline int copus_set_gain(OpusMSDecoder *decoder, opus_int32 gain) {
    return opus_multistream_decoder_ctl(decoder, OPUS_SET_GAIN(gain));
}

/// Forgets all that was decoded.
static inline int copus_reset_decoder(OpusMSDecoder *decoder) {
    return opus_multistream_decoder_ctl(decoder, OPUS_RESET_STATE);
}
