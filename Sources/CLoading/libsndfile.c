// Sound files.
#define _GNU_SOURCE
#include <cslots.h>
#include <dlfcn.h>
#include <mpg123.h>
#include <opus/opus_multistream.h>
#include <stdio.h>
#include <string.h>

/// In place of `mpg123_new`. libmpg123 writes what it thinks of a damaged file to stderr, over the page of a terminal, and libsndfile
/// does not forbid it.
static mpg123_handle *make_quiet_decoder(const char *name, int *error) {
    mpg123_handle *decoder = mpg123_new(name, error);
    if (decoder) mpg123_param(decoder, MPG123_ADD_FLAGS, MPG123_QUIET, 0);
    return decoder;
}

static int (*encode)(OpusMSEncoder *, const float *, int, unsigned char *, opus_int32);
static int (*control)(OpusMSEncoder *, int, ...);

/// In place of `opus_multistream_encode_float`. libsndfile makes the last packet as short as it can be (`ogg_opus_flush`), and libopus
/// does not encode in a packet shorter than those before what it has held back of them: the last 6.5 ms of most files were lost.
/// libsndfile's block has room for 20 ms always. What a packet has beyond the file's end its last page cuts off.
static int encode_whole_packet(
    OpusMSEncoder *encoder, const float *block, int frames, unsigned char *packet, opus_int32 size
) {
    opus_int32 rate = 0;
    if (control(encoder, OPUS_GET_SAMPLE_RATE(&rate)) != OPUS_OK) rate = 0;
    return encode(encoder, block, frames < rate / 50 ? rate / 50 : frames, packet, size);
}

/// Whether it is a libsndfile of which that is known.
static bool has_blocks_of_20_ms(void *library) {
    const char *(*version)(void) = (const char *(*)(void))dlsym(library, "sf_version_string");
    int major = 0, minor = 0;
    return version && sscanf(version(), "libsndfile-%d.%d", &major, &minor) == 2 && major == 1 && minor <= 2;
}

static void redirect(const cslot *slot, void *context) {
    const bool *encodes = context;
    if (strcmp(slot->name, "mpg123_new") == 0) cslot_redirect(slot, (const void *)make_quiet_decoder);
    if (*encodes && strcmp(slot->name, "opus_multistream_encode_float") == 0) {
        cslot_redirect(slot, (const void *)encode_whole_packet);
    }
}

struct search {
    ElfW(Addr) start;
    bool encodes;
};

static int redirect_object(struct dl_phdr_info *object, size_t size, void *context) {
    (void)size;
    struct search *search = context;
    return object->dlpi_addr == search->start && cslots_visit(object, redirect, &search->encodes);
}

/// A libsndfile that is built in another way stays as it is.
static void correct_calls(void *library) {
    struct link_map *map = NULL;
    if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0) return;
    encode = (int (*)(OpusMSEncoder *, const float *, int, unsigned char *, opus_int32))dlsym(
        library, "opus_multistream_encode_float");
    control = (int (*)(OpusMSEncoder *, int, ...))dlsym(library, "opus_multistream_encoder_ctl");
    struct search search = {.start = map->l_addr, .encodes = encode && control && has_blocks_of_20_ms(library)};
    dl_iterate_phdr(redirect_object, &search);
}

#define PREPARE correct_calls
#define LIBRARY libsndfile
#define LOADS_ITSELF
#define FILE_NAME "libsndfile.so.1"
#define FUNCTIONS(F) \
    F(sf_close) \
    F(sf_command) \
    F(sf_error) \
    F(sf_format_check) \
    F(sf_get_chunk_data) \
    F(sf_get_chunk_iterator) \
    F(sf_get_chunk_size) \
    F(sf_get_string) \
    F(sf_next_chunk_iterator) \
    F(sf_open) \
    F(sf_open_fd) \
    F(sf_open_virtual) \
    F(sf_read_raw) \
    F(sf_read_short) \
    F(sf_readf_double) \
    F(sf_readf_float) \
    F(sf_readf_int) \
    F(sf_readf_short) \
    F(sf_seek) \
    F(sf_set_string) \
    F(sf_strerror) \
    F(sf_write_raw) \
    F(sf_write_short) \
    F(sf_writef_double) \
    F(sf_writef_float) \
    F(sf_writef_int) \
    F(sf_writef_short)

#include "forward.h"
