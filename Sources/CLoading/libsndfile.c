// Sound files.
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
