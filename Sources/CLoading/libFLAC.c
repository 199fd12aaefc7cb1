// FLAC's encoder and decoder of streams.
#include <FLAC/export.h>

#if FLAC_API_VERSION_CURRENT == 11
#define FILE_NAME "libFLAC.so.8"
#elif FLAC_API_VERSION_CURRENT == 12
#define FILE_NAME "libFLAC.so.12"
#elif FLAC_API_VERSION_CURRENT == 14
#define FILE_NAME "libFLAC.so.14"
#else
#error "name the file of this version of libFLAC here"
#endif

#define LIBRARY libFLAC
#define LOADS_ITSELF
#define FUNCTIONS(F) \
    F(FLAC__stream_decoder_delete) \
    F(FLAC__stream_decoder_flush) \
    F(FLAC__stream_decoder_get_decode_position) \
    F(FLAC__stream_decoder_get_state) \
    F(FLAC__stream_decoder_init_stream) \
    F(FLAC__stream_decoder_new) \
    F(FLAC__stream_decoder_process_single) \
    F(FLAC__stream_decoder_process_until_end_of_metadata) \
    F(FLAC__stream_decoder_set_metadata_respond) \
    F(FLAC__stream_encoder_delete) \
    F(FLAC__stream_encoder_finish) \
    F(FLAC__stream_encoder_init_stream) \
    F(FLAC__stream_encoder_new) \
    F(FLAC__stream_encoder_process_interleaved) \
    F(FLAC__stream_encoder_set_bits_per_sample) \
    F(FLAC__stream_encoder_set_blocksize) \
    F(FLAC__stream_encoder_set_channels) \
    F(FLAC__stream_encoder_set_compression_level) \
    F(FLAC__stream_encoder_set_sample_rate) \
    F(FLAC__stream_encoder_set_streamable_subset)

#include "forward.h"
