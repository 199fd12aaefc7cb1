// A plug-in that does on demand what a host has to stand.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <lv2/atom/atom.h>
#include <lv2/atom/util.h>
#include <lv2/core/lv2.h>
#include <lv2/log/log.h>
#include <lv2/midi/midi.h>
#include <lv2/state/state.h>
#include <lv2/urid/urid.h>
#include <lv2/worker/worker.h>

enum { IN, OUT, GAIN, BROKEN, DELAY, LATENCY, ROUNDS, JOB, ANSWER, LONGEST, EVENTS, NOTE, MODE, CUTOFF, BURN, COUNTS, PORTS };

typedef struct {
    void *ports[PORTS];
    LV2_URID_Map *map;
    LV2_Worker_Schedule *schedule;
    float history[512];
    unsigned position;
    float job, answer, longest, note;
    volatile int works, disturbed;
} Probe;

static LV2_Handle instantiate(const LV2_Descriptor *descriptor, double rate, const char *path,
                              const LV2_Feature *const *features) {
    Probe *probe = calloc(1, sizeof *probe);
    LV2_Log_Log *log = NULL;
    for (; *features; features++) {
        if (!strcmp((*features)->URI, LV2_URID__map)) probe->map = (*features)->data;
        if (!strcmp((*features)->URI, LV2_WORKER__schedule)) probe->schedule = (*features)->data;
        if (!strcmp((*features)->URI, LV2_LOG__log)) log = (*features)->data;
    }
    if (log) log->printf(log->handle, probe->map->map(probe->map->handle, LV2_LOG__Note), "made at %g Hz\n", rate);
    return probe;
}

static void connect_port(LV2_Handle handle, uint32_t port, void *data) { ((Probe *)handle)->ports[port] = data; }

static void activate(LV2_Handle handle) {
    Probe *probe = handle;
    memset(probe->history, 0, sizeof probe->history);
}

static float control(Probe *probe, int port) { return *(float *)probe->ports[port]; }

static double milliseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e3 + time.tv_nsec / 1e6;
}

static void run(LV2_Handle handle, uint32_t frames) {
    Probe *probe = handle;
    double end = control(probe, BURN) > 0 && frames > 0 ? milliseconds() + control(probe, BURN) : 0;
    while (end > 0 && milliseconds() < end) {}
    const float *in = probe->ports[IN];
    float *out = probe->ports[OUT];
    unsigned delay = (unsigned)control(probe, DELAY);
    for (uint32_t frame = 0; frame < frames; frame++) {
        probe->history[probe->position & 511] = in[frame];
        out[frame] = control(probe, BROKEN) > 0 ? NAN : control(probe, GAIN) * probe->history[(probe->position - delay) & 511];
        if (control(probe, COUNTS) > 0) out[frame] = probe->position / 1048576.0f;
        probe->position++;
    }
    if (frames > probe->longest) probe->longest = frames;
    const LV2_Atom_Sequence *events = probe->ports[EVENTS];
    LV2_ATOM_SEQUENCE_FOREACH(events, event) {
        const uint8_t *message = (const uint8_t *)(event + 1);
        if (event->body.type == probe->map->map(probe->map->handle, LV2_MIDI__MidiEvent) && message[0] == 0x90)
            probe->note = message[1];
    }
    if (control(probe, JOB) != probe->job) {
        probe->job = control(probe, JOB);
        probe->schedule->schedule_work(probe->schedule->handle, sizeof probe->job, &probe->job);
    }
    *(float *)probe->ports[LATENCY] = delay;
    *(float *)probe->ports[ANSWER] = probe->disturbed ? -1 : probe->answer;
    *(float *)probe->ports[LONGEST] = probe->longest;
    *(float *)probe->ports[NOTE] = probe->note;
#ifdef __x86_64__
    if (control(probe, ROUNDS) > 0) __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x6000);
#endif
}

/// A job of 1000 takes 0.3 s.
static LV2_Worker_Status work(LV2_Handle handle, LV2_Worker_Respond_Function respond, LV2_Worker_Respond_Handle to,
                              uint32_t size, const void *data) {
    Probe *probe = handle;
    float answer = 10 * *(const float *)data;
    if (answer == 10000) {
        probe->works = 1;
        nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
        probe->works = 0;
    }
    return respond(to, sizeof answer, &answer);
}

/// From here on the answer is -1, where its worker works meanwhile.
static void deactivate(LV2_Handle handle) {
    Probe *probe = handle;
    if (probe->works) probe->disturbed = 1;
}

static LV2_Worker_Status work_response(LV2_Handle handle, uint32_t size, const void *body) {
    ((Probe *)handle)->answer = *(const float *)body;
    return LV2_WORKER_SUCCESS;
}

static LV2_State_Status save(LV2_Handle handle, LV2_State_Store_Function store, LV2_State_Handle to, uint32_t flags,
                             const LV2_Feature *const *features) {
    Probe *probe = handle;
    int32_t note = (int32_t)probe->note;
    return store(to, probe->map->map(probe->map->handle, "urn:iounit:probe#note"), &note, sizeof note,
                 probe->map->map(probe->map->handle, LV2_ATOM__Int), LV2_STATE_IS_POD | LV2_STATE_IS_PORTABLE);
}

static LV2_State_Status restore(LV2_Handle handle, LV2_State_Retrieve_Function retrieve, LV2_State_Handle from,
                                uint32_t flags, const LV2_Feature *const *features) {
    Probe *probe = handle;
    size_t size = 0;
    uint32_t type = 0, kind = 0;
    const void *value =
        retrieve(from, probe->map->map(probe->map->handle, "urn:iounit:probe#note"), &size, &type, &kind);
    if (value && size == sizeof(int32_t)) {
        // As one that loads a file: its worker answers, and not this call.
        probe->note = *(const int32_t *)value;
        probe->schedule->schedule_work(probe->schedule->handle, sizeof probe->note, &probe->note);
    }
    return LV2_STATE_SUCCESS;
}

static const void *extension_data(const char *uri) {
    static const LV2_Worker_Interface worker = {work, work_response, NULL};
    static const LV2_State_Interface state = {save, restore};
    if (!strcmp(uri, LV2_WORKER__interface)) return &worker;
    if (!strcmp(uri, LV2_STATE__interface)) return &state;
    return NULL;
}

static const LV2_Descriptor descriptor = {"urn:iounit:probe", instantiate, connect_port, activate, run, deactivate, free, extension_data};

LV2_SYMBOL_EXPORT const LV2_Descriptor *lv2_descriptor(uint32_t index) { return index == 0 ? &descriptor : NULL; }
