#define _GNU_SOURCE
#include "features.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// The plug-in's threads map as well.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

struct entry {
    char *uri;
    /// Of the next one in the same row, or 0.
    LV2_URID next;
};

// Some plug-ins map thousands.
enum { ROWS = 4096 };
static LV2_URID rows[ROWS];
static struct entry *entries;
static uint32_t count;

static uint32_t row_of(const char *uri) {
    uint32_t hash = 2166136261u;
    for (; *uri; uri++) hash = (hash ^ (unsigned char)*uri) * 16777619u;
    return hash % ROWS;
}

static LV2_URID found_or_added(const char *uri) {
    const uint32_t row = row_of(uri);
    for (LV2_URID urid = rows[row]; urid; urid = entries[urid - 1].next) {
        if (strcmp(entries[urid - 1].uri, uri) == 0) return urid;
    }
    // Grows at powers of two.
    if ((count & (count - 1)) == 0) {
        struct entry *more = realloc(entries, (count ? 2 * count : 1) * sizeof *entries);
        if (!more) return 0;
        entries = more;
    }
    char *own = strdup(uri);
    if (!own) return 0;
    entries[count] = (struct entry){own, rows[row]};
    return rows[row] = ++count;
}

LV2_URID urid_map(const char *uri) {
    pthread_mutex_lock(&lock);
    const LV2_URID urid = found_or_added(uri);
    pthread_mutex_unlock(&lock);
    return urid;
}

const char *urid_unmap(LV2_URID urid) {
    pthread_mutex_lock(&lock);
    const char *uri = urid > 0 && urid <= count ? entries[urid - 1].uri : NULL;
    pthread_mutex_unlock(&lock);
    return uri;
}
