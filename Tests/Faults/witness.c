// Preloaded into JACK clients: notes what each of their cycles was given, and what it gave.
//
// A cycle's record tells when the process callback began, how long it took, JACK's frame clock, and the first and the last
// frame of the client's first two inputs before the callback and of its first two outputs after it. A record of no
// frames is a client's activation, or with `is_end` its close, and has its name in place of the sound. All clients of a
// run write to the one memory file whose descriptor is named by WITNESS, in the order of their callbacks' ends; see
// witness.py.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <jack/jack.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>

enum { channels = 2, seat_count = 16 };

struct frame {
    float samples[channels];
};

struct record {
    uint64_t entry;      // nanoseconds of the monotonic clock
    uint32_t wall, cpu;  // nanoseconds that the callback took, by that clock and of the thread's own time
    uint32_t frame_time, frames, client;
    uint16_t is_whole, is_end;
    union {
        struct {
            struct frame in_first, in_last, out_first, out_last;
        };
        char name[32];
    };
};
_Static_assert(sizeof(struct record) == 64, "as witness.py reads it");

static struct {
    _Atomic uint64_t count;    // of records begun, those included for which there was no room
    _Atomic uint64_t clients;  // of activations
    char padding[48];
    struct record records[];
} *journal;
static uint64_t capacity;

// A client that is open. The audio thread reads the ports while the control thread changes them.
static struct seat {
    jack_client_t *client;
    JackProcessCallback process;
    void *context;
    uint32_t number;  // 0 before the activation
    char name[32];
    _Atomic(jack_port_t *) inputs[channels], outputs[channels];
} seats[seat_count];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static typeof(jack_port_get_buffer) *real_get_buffer;
static typeof(jack_last_frame_time) *real_last_frame_time;

__attribute__((constructor)) static void open_journal(void) {
    const char *word = getenv("WITNESS");
    struct stat facts;
    if (!word || fstat(atoi(word), &facts) != 0) return;
    void *memory = mmap(NULL, facts.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, atoi(word), 0);
    if (memory == MAP_FAILED) return;
    real_get_buffer = dlsym(RTLD_NEXT, "jack_port_get_buffer");
    real_last_frame_time = dlsym(RTLD_NEXT, "jack_last_frame_time");
    if (!real_get_buffer || !real_last_frame_time) return;
    capacity = (facts.st_size - sizeof *journal) / sizeof(struct record);
    journal = memory;
}

static uint64_t now(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static uint32_t since(clockid_t clock, uint64_t start) {
    const uint64_t passed = now(clock) - start;
    return passed < UINT32_MAX ? (uint32_t)passed : UINT32_MAX;
}

static void note(struct record *record) {
    const uint64_t place = atomic_fetch_add(&journal->count, 1);
    if (place >= capacity) return;
    struct record *target = &journal->records[place];
    *target = *record;
    atomic_thread_fence(memory_order_release);
    *(volatile uint16_t *)&target->is_whole = 1;
}

static void look(_Atomic(jack_port_t *) *ports, jack_nframes_t frames, struct frame *first, struct frame *last) {
    for (int channel = 0; channel < channels; channel++) {
        jack_port_t *port = ports[channel];
        const float *samples = port && frames ? real_get_buffer(port, frames) : NULL;
        first->samples[channel] = samples ? samples[0] : 0;
        last->samples[channel] = samples ? samples[frames - 1] : 0;
    }
}

static int process(jack_nframes_t frames, void *context) {
    struct seat *seat = context;
    const uint64_t used = now(CLOCK_THREAD_CPUTIME_ID);
    // Before the look at the inputs: whether another client was writing to them meanwhile is told by the times.
    struct record record = {
        .entry = now(CLOCK_MONOTONIC), .frame_time = real_last_frame_time(seat->client), .frames = frames,
        .client = seat->number};
    look(seat->inputs, frames, &record.in_first, &record.in_last);
    const int result = seat->process(frames, seat->context);
    record.wall = since(CLOCK_MONOTONIC, record.entry);
    record.cpu = since(CLOCK_THREAD_CPUTIME_ID, used);
    look(seat->outputs, frames, &record.out_first, &record.out_last);
    note(&record);
    return result;
}

static struct seat *find(jack_client_t *client, int adds) {
    pthread_mutex_lock(&lock);
    struct seat *found = NULL;
    for (int place = 0; place < seat_count && !found; place++) {
        if (seats[place].client == client) found = &seats[place];
    }
    for (int place = 0; place < seat_count && !found && adds; place++) {
        if (seats[place].client) continue;
        found = &seats[place];
        memset(found, 0, sizeof *found);
        found->client = client;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

// These stand before libjack's own.

#define REAL(name) ((typeof(name) *)dlsym(RTLD_NEXT, #name))

jack_client_t *jack_client_open(const char *name, jack_options_t options, jack_status_t *status, ...) {
    const char *server = NULL;
    if (options & JackServerName) {
        va_list rest;
        va_start(rest, status);
        server = va_arg(rest, const char *);
        va_end(rest);
    }
    jack_client_t *client = REAL(jack_client_open)(name, options, status, server);
    // libjack may have deleted an old client by itself, and given its address to this one.
    struct seat *old = journal && client ? find(client, 0) : NULL;
    if (old) old->client = NULL;
    return client;
}

int jack_set_process_callback(jack_client_t *client, JackProcessCallback callback, void *context) {
    struct seat *seat = journal ? find(client, 1) : NULL;
    if (!seat) return REAL(jack_set_process_callback)(client, callback, context);
    seat->process = callback;
    seat->context = context;
    return REAL(jack_set_process_callback)(client, process, seat);
}

static void note_stay(struct seat *seat, uint16_t is_end) {
    struct record record = {.entry = now(CLOCK_MONOTONIC), .client = seat->number, .is_end = is_end};
    memcpy(record.name, seat->name, sizeof record.name);
    note(&record);
}

int jack_activate(jack_client_t *client) {
    struct seat *seat = journal ? find(client, 0) : NULL;
    if (seat) {
        seat->number = (uint32_t)atomic_fetch_add(&journal->clients, 1) + 1;
        strncpy(seat->name, REAL(jack_get_client_name)(client), sizeof seat->name - 1);
        note_stay(seat, 0);
    }
    return REAL(jack_activate)(client);
}

jack_port_t *jack_port_register(
    jack_client_t *client, const char *name, const char *type, unsigned long flags, unsigned long size) {
    jack_port_t *port = REAL(jack_port_register)(client, name, type, flags, size);
    struct seat *seat = journal && port ? find(client, 1) : NULL;
    for (int channel = 0; channel < channels && seat; channel++) {
        _Atomic(jack_port_t *) *place = flags & JackPortIsInput ? &seat->inputs[channel] : &seat->outputs[channel];
        if (*place) continue;
        *place = port;
        break;
    }
    return port;
}

int jack_port_unregister(jack_client_t *client, jack_port_t *port) {
    struct seat *seat = journal ? find(client, 0) : NULL;
    for (int channel = 0; channel < channels && seat; channel++) {
        if (seat->inputs[channel] == port) seat->inputs[channel] = NULL;
        if (seat->outputs[channel] == port) seat->outputs[channel] = NULL;
    }
    return REAL(jack_port_unregister)(client, port);
}

int jack_client_close(jack_client_t *client) {
    struct seat *seat = journal ? find(client, 0) : NULL;
    if (seat && seat->number) note_stay(seat, 1);
    const int result = REAL(jack_client_close)(client);
    // Only now does no callback use it any more.
    if (seat) seat->client = NULL;
    return result;
}
