// Sound files.
#define _GNU_SOURCE
#include <cslots.h>
#include <dlfcn.h>
#include <mpg123.h>
#include <string.h>

/// In place of `mpg123_new`. libmpg123 writes what it thinks of a damaged file to stderr, over the page of a terminal, and libsndfile
/// does not forbid it.
static mpg123_handle *make_quiet_decoder(const char *name, int *error) {
    mpg123_handle *decoder = mpg123_new(name, error);
    if (decoder) mpg123_param(decoder, MPG123_ADD_FLAGS, MPG123_QUIET, 0);
    return decoder;
}

static void redirect(const cslot *slot, void *context) {
    (void)context;
    if (strcmp(slot->name, "mpg123_new") == 0) cslot_redirect(slot, (const void *)make_quiet_decoder);
}

static int redirect_object(struct dl_phdr_info *object, size_t size, void *context) {
    (void)size;
    const struct link_map *library = context;
    if (object->dlpi_addr != library->l_addr) return 0;
    return cslots_visit(object, redirect, NULL);
}

/// A libsndfile that is built in another way stays as loud as it is.
static void quieten_libmpg123(void *handle) {
    struct link_map *library = NULL;
    if (dlinfo(handle, RTLD_DI_LINKMAP, &library) == 0) dl_iterate_phdr(redirect_object, library);
}

#define PREPARE quieten_libmpg123
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
