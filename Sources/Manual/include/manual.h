// The articles of the manual.
#pragma once

#include <stddef.h>

struct manual_article {
    /// What follows `iounit help`.
    const char *name;
    /// Markdown in UTF-8.
    const char *text;
};

/// Those of the catalogue `Manual.docc`, in the order of the overview; NULL behind the last one. Constants.
const struct manual_article *manual_article(size_t place);
