// The files of the page.
#pragma once

#include <stddef.h>

struct page_file {
    /// What the browser asks for.
    const char *path;
    const char *media_type;
    const unsigned char *bytes;
    size_t count;
};

/// NULL behind the last one. Constants.
const struct page_file *page_file(size_t place);
