// A JACK client whose sound is countable: each frame it plays says which one it is, and it notes what it hears.
//
// usage: counter SERVER NAME FIRST PROGRESS
//
// Plays frame FIRST, FIRST + 1, … on out_1 and out_2, coded as in index.py, and keeps two numbers of 64 bits in the
// file PROGRESS: the next frame to play, and the last frame that was heard on in_1 and in_2. Says "ready" when it is in
// the graph, and connects to nobody. SIGUSR1 renames its outputs, and back; SIGUSR2 takes them away, and brings them
// back. Exit code 0 on SIGTERM, 69 where the server is not there or goes away.

#define _GNU_SOURCE
#include <fcntl.h>
#include <jack/jack.h>
#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

enum { channels = 2, low_bits = 23, check_bits = 12 };

static const float unit = 1.0f / (1 << 24);

struct progress {
    _Atomic uint64_t next, heard;
};

static jack_client_t *client;
static jack_port_t *inputs[channels];
static _Atomic(jack_port_t *) outputs[channels];
static _Atomic bool is_muted[channels];
static struct progress *progress;

static void play(jack_nframes_t frames) {
    // One look at each port: they may go while we play, which JACK survives and we do as well.
    jack_port_t *ports[channels] = {outputs[0], outputs[1]};
    float *low = ports[0] ? jack_port_get_buffer(ports[0], frames) : NULL;
    float *high = ports[1] ? jack_port_get_buffer(ports[1], frames) : NULL;
    const uint64_t first = atomic_load_explicit(&progress->next, memory_order_relaxed);
    for (jack_nframes_t i = 0; i < frames; i++) {
        const uint64_t frame = first + i;
        const uint64_t check = ((frame >> low_bits) << check_bits) + (frame & ((1 << check_bits) - 1));
        if (low) low[i] = is_muted[0] ? 0 : (float)((frame & ((1 << low_bits) - 1)) + 1) * unit;
        if (high) high[i] = is_muted[1] ? 0 : (float)(check + 1) * unit;
    }
    atomic_store_explicit(&progress->next, first + frames, memory_order_release);
}

static void hear(jack_nframes_t frames) {
    const float *low = jack_port_get_buffer(inputs[0], frames), *high = jack_port_get_buffer(inputs[1], frames);
    if (low[frames - 1] == 0 || high[frames - 1] == 0) return;
    const uint64_t bits = (uint64_t)lrintf(low[frames - 1] / unit) - 1;
    const uint64_t check = (uint64_t)lrintf(high[frames - 1] / unit) - 1;
    atomic_store_explicit(&progress->heard, ((check >> check_bits) << low_bits) + bits, memory_order_release);
}

static int process(jack_nframes_t frames, void *context) {
    hear(frames);
    play(frames);
    return 0;
}

static void end(void *context) { _exit(69); }

static void offer(void) {
    for (int channel = 0; channel < channels; channel++) {
        char name[16];
        snprintf(name, sizeof name, "out_%d", channel + 1);
        is_muted[channel] = false;
        outputs[channel] = jack_port_register(client, name, JACK_DEFAULT_AUDIO_TYPE, JackPortIsOutput, 0);
    }
}

static void withdraw(void) {
    for (int channel = 0; channel < channels; channel++) {
        // Longer than a cycle each: what was played last would be heard again and again, and is silence; and the cycle
        // that may still use the port is over.
        is_muted[channel] = true;
        usleep(100000);
        jack_port_t *port = outputs[channel];
        outputs[channel] = NULL;
        usleep(100000);
        jack_port_unregister(client, port);
    }
}

static void rename_outputs(bool is_renamed) {
    for (int channel = 0; channel < channels; channel++) {
        char name[16];
        snprintf(name, sizeof name, is_renamed ? "renamed_%d" : "out_%d", channel + 1);
        if (outputs[channel]) jack_port_rename(client, outputs[channel], name);
    }
}

// Opens the client while nobody opens one who takes turns: a process whose client is being opened while another client
// leaves is not told of that by libjack 1.9.21, and never wakes the next client of that number.
static jack_client_t *open_in_turn(const char *server, const char *name) {
    const int folder = open("/dev/shm", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    flock(folder, LOCK_EX);
    jack_client_t *opened = jack_client_open(name, JackServerName | JackNoStartServer, NULL, server);
    close(folder);
    return opened;
}

static void obey(sigset_t *orders) {
    bool is_renamed = false, is_withdrawn = false;
    int order;
    while (sigwait(orders, &order) == 0 && order != SIGTERM) {
        if (order == SIGUSR1) rename_outputs(is_renamed = !is_renamed);
        if (order == SIGUSR2) {
            is_withdrawn = !is_withdrawn;
            if (is_withdrawn) withdraw(); else offer();
        }
    }
}

int main(int count, char **arguments) {
    if (count != 5) {
        fprintf(stderr, "usage: counter SERVER NAME FIRST PROGRESS\n");
        return 64;
    }
    sigset_t orders;
    sigemptyset(&orders);
    sigaddset(&orders, SIGTERM);
    sigaddset(&orders, SIGUSR1);
    sigaddset(&orders, SIGUSR2);
    sigprocmask(SIG_BLOCK, &orders, NULL);  // before libjack makes threads, which would take them otherwise

    const int file = open(arguments[4], O_RDWR | O_CREAT, 0600);
    if (file < 0 || ftruncate(file, sizeof *progress) != 0) return 73;
    progress = mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (progress == MAP_FAILED) return 71;
    progress->next = strtoull(arguments[3], NULL, 10);

    client = open_in_turn(arguments[1], arguments[2]);
    if (!client) return 69;
    for (int channel = 0; channel < channels; channel++) {
        char name[16];
        snprintf(name, sizeof name, "in_%d", channel + 1);
        inputs[channel] = jack_port_register(client, name, JACK_DEFAULT_AUDIO_TYPE, JackPortIsInput, 0);
        if (!inputs[channel]) return 69;
    }
    offer();
    jack_set_process_callback(client, process, NULL);
    jack_on_shutdown(client, end, NULL);
    if (jack_activate(client) != 0) return 69;
    printf("ready\n");
    fflush(stdout);
    obey(&orders);
    jack_client_close(client);
    return 0;
}
