// Live conversion of sample rates.
#define LIBRARY libsamplerate
#define LOADS_ITSELF
#define FILE_NAME "libsamplerate.so.0"
#define FUNCTIONS(F) \
    F(src_delete) \
    F(src_is_valid_ratio) \
    F(src_new) \
    F(src_process) \
    F(src_reset) \
    F(src_set_ratio) \
    F(src_strerror)

#include "forward.h"
