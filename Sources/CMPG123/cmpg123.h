// The edge to C: libmpg123's decoder of bytes that come as they come, set up for floats.
#pragma once

#include <mpg123.h>
#include <stdbool.h>
#include <stddef.h>

/// Returns NULL without memory.
static inline mpg123_handle *cmpg_make(void) {
    // Older versions want it; it may be called from any thread, and again.
    if (mpg123_init() != MPG123_OK) return NULL;
    mpg123_handle *decoder = mpg123_new(NULL, NULL);
    if (!decoder) return NULL;
    const long flags = MPG123_QUIET | MPG123_FORCE_FLOAT | MPG123_SKIP_ID3V2 | MPG123_IGNORE_STREAMLENGTH;
    const long *rates = NULL;
    size_t count = 0;
    mpg123_rates(&rates, &count);
    bool is_set = mpg123_param(decoder, MPG123_ADD_FLAGS, flags, 0) == MPG123_OK
        && mpg123_param(decoder, MPG123_REMOVE_FLAGS, MPG123_AUTO_RESAMPLE, 0) == MPG123_OK
        // So many bytes that are no frame are looked through.
        && mpg123_param(decoder, MPG123_RESYNC_LIMIT, 1 << 18, 0) == MPG123_OK
        && mpg123_format_none(decoder) == MPG123_OK;
    for (size_t i = 0; is_set && i < count; i++) {
        is_set = mpg123_format(decoder, rates[i], MPG123_MONO | MPG123_STEREO, MPG123_ENC_FLOAT_32) == MPG123_OK;
    }
    if (is_set && mpg123_open_feed(decoder) == MPG123_OK) return decoder;
    mpg123_delete(decoder);
    return NULL;
}

static inline void cmpg_free(mpg123_handle *decoder) { mpg123_delete(decoder); }

/// Takes bytes; whether it could.
static inline bool cmpg_feed(mpg123_handle *decoder, const unsigned char *bytes, size_t count) {
    return mpg123_feed(decoder, bytes, count) == MPG123_OK;
}

/// Decodes some of what was taken.
/// - room: for so many floats as `size` says.
/// - count: how many floats came; rate and channels: of what comes from now on, where that is another, else 0.
/// Returns 1 where there may be more, 0 where more bytes are needed, -1 where they are no MP3.
static inline int cmpg_read(
    mpg123_handle *decoder, float *room, size_t size, size_t *count, long *rate, int *channels
) {
    size_t bytes = 0;
    const int result = mpg123_read(decoder, (void *)room, size * sizeof(float), &bytes);
    *count = bytes / sizeof(float);
    *rate = 0;
    *channels = 0;
    if (result == MPG123_NEW_FORMAT) {
        int encoding = 0;
        if (mpg123_getformat(decoder, rate, channels, &encoding) != MPG123_OK) return -1;
        return encoding == MPG123_ENC_FLOAT_32 && *count == 0 ? 1 : -1;
    }
    if (result == MPG123_NEED_MORE || result == MPG123_DONE) return 0;
    return result != MPG123_OK ? -1 : bytes > 0;
}
