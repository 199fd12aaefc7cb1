// Decodes MP3.
#define LIBRARY libmpg123
#define LOADS_ITSELF
#define FILE_NAME "libmpg123.so.0"
#define FUNCTIONS(F) \
    F(mpg123_delete) \
    F(mpg123_feed) \
    F(mpg123_format) \
    F(mpg123_format_none) \
    F(mpg123_getformat) \
    F(mpg123_init) \
    F(mpg123_new) \
    F(mpg123_open_feed) \
    F(mpg123_param2) \
    F(mpg123_rates) \
    F(mpg123_read)

#include "forward.h"
