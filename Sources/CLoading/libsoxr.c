// Conversion of sample rates, of files.
#define LIBRARY libsoxr
#define LOADS_ITSELF
#define FILE_NAME "libsoxr.so.0"
#define FUNCTIONS(F) \
    F(soxr_clear) \
    F(soxr_create) \
    F(soxr_delete) \
    F(soxr_io_spec) \
    F(soxr_process) \
    F(soxr_quality_spec) \
    F(soxr_runtime_spec)

#include "forward.h"
