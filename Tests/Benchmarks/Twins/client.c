// The least that a JACK client can be: two channels, gain and cubic shaper, and the times at which each callback
// began, had its buffers from JACK, and ended. No parameter can be changed, nothing is metered, nobody is told.
//
// usage: client SERVER NAME CYCLES
//
// Says "ready" when it is connected, and after that many cycles prints the three times of each in nanoseconds of
// CLOCK_MONOTONIC, a line for each cycle.

#define _GNU_SOURCE
#include <jack/jack.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { channels = 2 };

struct stamps {
    uint64_t entry, buffers, exit;
};

static jack_port_t *inputs[channels], *outputs[channels];
static struct stamps *cycles;
static size_t capacity;
static atomic_size_t recorded;
static sem_t finished;
static float gain = 1;

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static int process(jack_nframes_t frames, void *context) {
    const uint64_t entry = now();
    const float *input[channels];
    float *output[channels];
    for (int channel = 0; channel < channels; channel++) {
        input[channel] = jack_port_get_buffer(inputs[channel], frames);
        output[channel] = jack_port_get_buffer(outputs[channel], frames);
    }
    const uint64_t buffers = now();
    for (int channel = 0; channel < channels; channel++) {
        const float *source = input[channel];
        float *target = output[channel];
        for (jack_nframes_t i = 0; i < frames; i++) {
            float x = source[i] * gain;
            x = x > 1 ? 1 : x;
            x = x < -1 ? -1 : x;
            target[i] = x * (1.5f - 0.5f * x * x);
        }
    }
    const size_t count = atomic_load_explicit(&recorded, memory_order_relaxed);
    if (count < capacity) {
        cycles[count] = (struct stamps){entry, buffers, now()};
        atomic_store_explicit(&recorded, count + 1, memory_order_release);
        if (count + 1 == capacity) sem_post(&finished);
    }
    return 0;
}

static void end(void *context) { _exit(1); }

static void join(jack_client_t *client, jack_port_t **ports, unsigned long physical) {
    const char **others = jack_get_ports(client, NULL, JACK_DEFAULT_AUDIO_TYPE, JackPortIsPhysical | physical);
    for (int channel = 0; others && channel < channels && others[channel]; channel++) {
        const char *ours = jack_port_name(ports[channel]);
        if (physical == JackPortIsOutput) {
            jack_connect(client, others[channel], ours);
        } else {
            jack_connect(client, ours, others[channel]);
        }
    }
    jack_free(others);
}

int main(int count, char **arguments) {
    if (count != 4) {
        fprintf(stderr, "usage: client SERVER NAME CYCLES\n");
        return 64;
    }
    capacity = strtoul(arguments[3], NULL, 10);
    cycles = calloc(capacity, sizeof *cycles);
    if (!cycles) return 71;
    memset(cycles, 1, capacity * sizeof *cycles);  // the pages are there before the audio thread needs them
    mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT);
    sem_init(&finished, 0, 0);

    jack_client_t *client = jack_client_open(arguments[2], JackServerName | JackNoStartServer, NULL, arguments[1]);
    if (!client) {
        fprintf(stderr, "client: no JACK server named %s\n", arguments[1]);
        return 69;
    }
    for (int channel = 0; channel < channels; channel++) {
        char name[16];
        snprintf(name, sizeof name, "in_%d", channel + 1);
        inputs[channel] = jack_port_register(client, name, JACK_DEFAULT_AUDIO_TYPE, JackPortIsInput, 0);
        snprintf(name, sizeof name, "out_%d", channel + 1);
        outputs[channel] = jack_port_register(client, name, JACK_DEFAULT_AUDIO_TYPE, JackPortIsOutput, 0);
    }
    jack_set_process_callback(client, process, NULL);
    jack_on_shutdown(client, end, NULL);
    if (jack_activate(client) != 0) return 69;
    join(client, inputs, JackPortIsOutput);
    join(client, outputs, JackPortIsInput);
    printf("ready\n");
    fflush(stdout);

    while (sem_wait(&finished) != 0) {}
    jack_client_close(client);
    for (size_t cycle = 0; cycle < capacity; cycle++) {
        const struct stamps *times = &cycles[cycle];
        printf("%llu %llu %llu\n", (unsigned long long)times->entry, (unsigned long long)times->buffers,
               (unsigned long long)times->exit);
    }
    return 0;
}
