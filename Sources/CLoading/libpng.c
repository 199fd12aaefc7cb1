// Pictures.
#define LIBRARY libpng
#define FILE_NAME "libpng16.so.16"
#define FUNCTIONS(F) \
    F(png_image_free) \
    F(png_image_write_to_memory)

#include "forward.h"
