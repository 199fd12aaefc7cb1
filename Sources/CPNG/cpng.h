// The edge to C: libpng's simplified interface, which reports an error by its result and jumps nowhere.
#pragma once

#include <png.h>
#include <string.h>

/// Encodes rows of red, green and blue, 8 bits each, from the top. With no memory given it tells how many bytes it takes at the
/// most. Returns whether it worked.
static inline int iounit_png_write(
    void *memory, size_t *bytes, const void *pixels, unsigned int width, unsigned int height) {
    png_image image;
    memset(&image, 0, sizeof image);
    image.version = PNG_IMAGE_VERSION;
    image.width = width;
    image.height = height;
    image.format = PNG_FORMAT_RGB;
    png_alloc_size_t size = *bytes;
    const int done = png_image_write_to_memory(&image, memory, &size, 0, pixels, (png_int_32)(3 * width), NULL);
    *bytes = size;
    png_image_free(&image);
    return done;
}
