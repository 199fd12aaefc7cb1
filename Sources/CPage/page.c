// The page, compiled into the program: it is served from no other place. A C target, because clang embeds a file in no
// time, and Swift takes 10 s for literals of the same bytes.
#include "cpage.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char page_html[] = {
#embed "Page/page.html"
};
static const unsigned char page_css[] = {
#embed "Page/page.css"
};
static const unsigned char page_js[] = {
#embed "Page/page.js"
};
static const unsigned char player_js[] = {
#embed "Page/player.js"
};
static const unsigned char stream_js[] = {
#embed "Page/stream.js"
};
static const unsigned char meters_js[] = {
#embed "Page/meters.js"
};
static const unsigned char stage_js[] = {
#embed "Page/stage.js"
};
static const unsigned char history_js[] = {
#embed "Page/history.js"
};
static const unsigned char controls_js[] = {
#embed "Page/controls.js"
};
static const unsigned char elements_js[] = {
#embed "Page/elements.js"
};
static const unsigned char equaliser_js[] = {
#embed "Page/equaliser.js"
};
static const unsigned char worklet_js[] = {
#embed "Page/worklet.js"
};
static const unsigned char icon_svg[] = {
#embed "Page/icon.svg"
};

#define FILE_AT(path, type, bytes) {path, type, bytes, sizeof bytes}

static const struct page_file files[] = {
    FILE_AT("/", "text/html; charset=utf-8", page_html),
    FILE_AT("/page.css", "text/css; charset=utf-8", page_css),
    FILE_AT("/page.js", "text/javascript; charset=utf-8", page_js),
    FILE_AT("/player.js", "text/javascript; charset=utf-8", player_js),
    FILE_AT("/stream.js", "text/javascript; charset=utf-8", stream_js),
    FILE_AT("/meters.js", "text/javascript; charset=utf-8", meters_js),
    FILE_AT("/stage.js", "text/javascript; charset=utf-8", stage_js),
    FILE_AT("/history.js", "text/javascript; charset=utf-8", history_js),
    FILE_AT("/controls.js", "text/javascript; charset=utf-8", controls_js),
    FILE_AT("/elements.js", "text/javascript; charset=utf-8", elements_js),
    FILE_AT("/equaliser.js", "text/javascript; charset=utf-8", equaliser_js),
    FILE_AT("/worklet.js", "text/javascript; charset=utf-8", worklet_js),
    FILE_AT("/icon.svg", "image/svg+xml", icon_svg),
};

const struct page_file *page_file(size_t place) {
    return place < sizeof files / sizeof *files ? &files[place] : NULL;
}
