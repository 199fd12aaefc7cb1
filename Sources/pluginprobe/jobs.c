#define _GNU_SOURCE
#include "jobs.h"
#include "findings.h"
#include "region.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

enum { RING_BYTES = 1 << 20, MOST_BYTES = RING_BYTES / 4 };

/// Of one writer and one reader. What does not fit is refused.
struct ring {
    _Atomic uint32_t written, read;
    char bytes[RING_BYTES];
};

static void copy_in(struct ring *ring, uint32_t at, const void *data, uint32_t size) {
    for (uint32_t index = 0; index < size; index++) {
        ring->bytes[(at + index) % RING_BYTES] = ((const char *)data)[index];
    }
}

static bool ring_put(struct ring *ring, const void *data, uint32_t size) {
    const uint32_t at = atomic_load_explicit(&ring->written, memory_order_relaxed);
    const uint32_t used = at - atomic_load_explicit(&ring->read, memory_order_acquire);
    if (size > MOST_BYTES || RING_BYTES - used < size + sizeof size) return false;
    copy_in(ring, at, &size, sizeof size);
    copy_in(ring, at + sizeof size, data, size);
    atomic_store_explicit(&ring->written, at + sizeof size + size, memory_order_release);
    return true;
}

static bool ring_take(struct ring *ring, char *data, uint32_t *size) {
    uint32_t at = atomic_load_explicit(&ring->read, memory_order_relaxed);
    if (at == atomic_load_explicit(&ring->written, memory_order_acquire)) return false;
    for (uint32_t index = 0; index < sizeof *size; index++) ((char *)size)[index] = ring->bytes[at++ % RING_BYTES];
    for (uint32_t index = 0; index < *size; index++) data[index] = ring->bytes[at++ % RING_BYTES];
    atomic_store_explicit(&ring->read, at, memory_order_release);
    return true;
}

static struct ring requests, responses;
static char request[MOST_BYTES], response[MOST_BYTES];
static const LV2_Worker_Interface *interface;
static LV2_Handle instance;
static sem_t work, answered;
static pthread_t thread;
static bool has_thread;
static atomic_bool ends;
static _Atomic uint32_t scheduled, done;

static LV2_Worker_Status respond(LV2_Worker_Respond_Handle handle, uint32_t size, const void *data) {
    (void)handle;
    return ring_put(&responses, data, size) ? LV2_WORKER_SUCCESS : LV2_WORKER_ERR_NO_SPACE;
}

static void *loop(void *state) {
    (void)state;
    uint32_t size;
    for (;;) {
        sem_wait(&work);
        if (atomic_load(&ends)) return NULL;
        if (!ring_take(&requests, request, &size)) continue;
        interface->work(instance, respond, NULL, size, request);
        atomic_fetch_add(&done, 1);
        sem_post(&answered);
    }
}

void jobs_begin(LV2_Handle handle, const LV2_Worker_Interface *plugin) {
    instance = handle;
    interface = plugin && plugin->work ? plugin : NULL;
    atomic_store(&ends, false);
    atomic_store(&scheduled, 0);
    atomic_store(&done, 0);
    if (!interface) return;
    // Touched here, so that the audio thread does not meet fresh memory of ours.
    memset(&requests, 0, sizeof requests);
    memset(&responses, 0, sizeof responses);
    memset(response, 0, sizeof response);
    sem_init(&work, 0, 0);
    sem_init(&answered, 0, 0);
    has_thread = pthread_create(&thread, NULL, loop, NULL) == 0;
}

void jobs_end(void) {
    if (!has_thread) return;
    atomic_store(&ends, true);
    sem_post(&work);
    pthread_join(thread, NULL);
    sem_destroy(&work);
    sem_destroy(&answered);
    has_thread = false;
    interface = NULL;
}

LV2_Worker_Status jobs_schedule(LV2_Worker_Schedule_Handle handle, uint32_t size, const void *data) {
    (void)handle;
    if (!has_thread) return LV2_WORKER_ERR_UNKNOWN;
    const bool was_inside = region_pause();
    const bool fits = ring_put(&requests, data, size);
    if (fits) {
        atomic_fetch_add(&scheduled, 1);
        sem_post(&work);
    }
    region_resume(was_inside);
    return fits ? LV2_WORKER_SUCCESS : LV2_WORKER_ERR_NO_SPACE;
}

void jobs_respond(void) {
    if (!interface) return;
    uint32_t size;
    for (;;) {
        const bool was_inside = region_pause();
        const bool has_response = ring_take(&responses, response, &size);
        region_resume(was_inside);
        if (!has_response) break;
        if (interface->work_response) interface->work_response(instance, size, response);
    }
    if (interface->end_run) interface->end_run(instance);
}

bool jobs_settle(double seconds) {
    if (!has_thread) return true;
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    const double total = (double)end.tv_nsec / 1e9 + seconds;
    end.tv_sec += (time_t)total;
    end.tv_nsec = (long)((total - (double)(time_t)total) * 1e9);
    while (atomic_load(&done) != atomic_load(&scheduled)) {
        if (sem_clockwait(&answered, CLOCK_MONOTONIC, &end) != 0 && errno != EINTR) return false;
    }
    return true;
}
