// A JACK client that is a microphone and a loudspeaker for an echo canceller in the graph: it plays two files at the same time,
// and writes what comes back.
//
// usage: twoends NEAR FAR CLEAN NEAR_PORT FAR_PORT CLEAN_PORT
//
// The files hold floats, one channel. Says "ready" when it is connected, and "cycles N" when it has played and written all.

#include <jack/jack.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static jack_port_t *near_port, *far_port, *clean_port;
static float *near_end, *far_end, *clean_end;
static size_t length, place;
static unsigned long cycles;
static atomic_int is_playing;
static sem_t finished;

static float *read_file(const char *path, size_t *count) {
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) exit(66);
    *count = (size_t)ftell(file) / sizeof(float);
    rewind(file);
    float *samples = calloc(*count + 1, sizeof(float));
    if (!samples || fread(samples, sizeof(float), *count, file) != *count) exit(66);
    fclose(file);
    return samples;
}

static int process(jack_nframes_t frames, void *context) {
    float *near = jack_port_get_buffer(near_port, frames), *far = jack_port_get_buffer(far_port, frames);
    const float *clean = jack_port_get_buffer(clean_port, frames);
    memset(near, 0, frames * sizeof(float));
    memset(far, 0, frames * sizeof(float));
    if (!atomic_load(&is_playing) || place == length) return 0;
    const size_t count = length - place < frames ? length - place : frames;
    memcpy(near, near_end + place, count * sizeof(float));
    memcpy(far, far_end + place, count * sizeof(float));
    memcpy(clean_end + place, clean, count * sizeof(float));
    place += count;
    cycles++;
    if (place == length) sem_post(&finished);
    return 0;
}

static void end(void *context) { _exit(69); }

static void join(jack_client_t *client, const char *from, const char *to) {
    if (jack_connect(client, from, to) == 0) return;
    fprintf(stderr, "twoends: cannot connect %s with %s\n", from, to);
    exit(69);
}

int main(int count, char **arguments) {
    if (count != 7) {
        fprintf(stderr, "usage: twoends NEAR FAR CLEAN NEAR_PORT FAR_PORT CLEAN_PORT\n");
        return 64;
    }
    size_t far_length;
    near_end = read_file(arguments[1], &length);
    far_end = read_file(arguments[2], &far_length);
    if (far_length < length) length = far_length;
    clean_end = calloc(length + 1, sizeof(float));
    sem_init(&finished, 0, 0);
    jack_client_t *client = jack_client_open("twoends", JackNoStartServer, NULL);
    if (!client || !clean_end) return 69;
    near_port = jack_port_register(client, "near", JACK_DEFAULT_AUDIO_TYPE, JackPortIsOutput, 0);
    far_port = jack_port_register(client, "far", JACK_DEFAULT_AUDIO_TYPE, JackPortIsOutput, 0);
    clean_port = jack_port_register(client, "clean", JACK_DEFAULT_AUDIO_TYPE, JackPortIsInput, 0);
    jack_set_process_callback(client, process, NULL);
    jack_on_shutdown(client, end, NULL);
    if (jack_activate(client) != 0) return 69;
    join(client, "twoends:near", arguments[4]);
    join(client, "twoends:far", arguments[5]);
    join(client, arguments[6], "twoends:clean");
    printf("ready\n");
    fflush(stdout);
    atomic_store(&is_playing, 1);
    while (sem_wait(&finished) != 0) {}
    jack_client_close(client);
    FILE *file = fopen(arguments[3], "wb");
    const int is_written = file && fwrite(clean_end, sizeof(float), length, file) == length;
    if (!file || fclose(file) != 0 || !is_written) return 73;
    printf("cycles %lu\n", cycles);
    return 0;
}
