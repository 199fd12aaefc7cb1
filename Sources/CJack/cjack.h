// The edge to C: libjack, and the few calls that the audio thread is permitted to make.
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <jack/jack.h>
#include <jack/metadata.h>
#include <jack/midiport.h>
#include <jack/statistics.h>
#include <jack/thread.h>
#include <jack/uuid.h>
#include <pthread.h>
#include <regex.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/prctl.h>
#include <sys/sem.h>
#include <time.h>
#include <unistd.h>

#ifdef __clang__
#define RT_SAFE __attribute__((swift_attr("@_noLocks"), swift_attr("@_noAllocation")))
#else
#define RT_SAFE
#endif

// ---- The contract list -----------------------------------------------------------------------------------------
// A function annotated `@_noLocks @_noAllocation` may call these, the clock and the semaphore of cthreads.h, and no other C.

/// Reads a table in shared memory; mixes into the port's own buffer where several sources are connected.
RT_SAFE void *jack_port_get_buffer(jack_port_t *port, jack_nframes_t frames);

/// Reads the server's frame timer by a lock-free protocol.
RT_SAFE jack_nframes_t jack_last_frame_time(const jack_client_t *client);

/// Reads a number in the server's shared memory, or in PipeWire's client.
RT_SAFE jack_nframes_t jack_get_sample_rate(jack_client_t *client);

/// Where JACK's transport is.
typedef struct {
    /// Counted from the beginning of the timeline; wraps at 2³².
    uint32_t frame;
    /// Whether the frame moves on with each cycle. While the transport waits for slow clients it does not.
    int is_rolling;
    /// Whether the transport waits for slow clients before it rolls, or on a slave of NetJack2 for the master. In jackd2 also
    /// for one cycle after each locate.
    int is_starting;
} cjack_transport;

RT_SAFE static inline cjack_transport cjack_make_transport(jack_transport_state_t state, uint32_t frame) {
    const cjack_transport transport = {
        frame, state == JackTransportRolling || state == JackTransportLooping,
        state == JackTransportStarting || state == JackTransportNetStarting};
    return transport;
}

/// Copies the transport's state and position from the server's shared memory by a lock-free protocol.
RT_SAFE static inline cjack_transport cjack_query_transport(const jack_client_t *client) {
    jack_position_t position;
    const jack_transport_state_t state = jack_transport_query(client, &position);
    return cjack_make_transport(state, position.frame);
}

/// The frame that JACK asks a slow-sync client to be ready for. Swift cannot read a packed structure.
RT_SAFE static inline uint32_t cjack_position_frame(const void *position) {
    return ((const jack_position_t *)position)->frame;
}

/// A MIDI message in a port's buffer; without bytes where there is none.
typedef struct {
    uint32_t size;
    const uint8_t *bytes;
    /// Of the cycle.
    uint32_t frame;
} cjack_midi_message;

/// How many messages came in this cycle, and one of them. Both read the port's own buffer.
RT_SAFE static inline uint32_t cjack_midi_count(void *buffer) { return jack_midi_get_event_count(buffer); }
RT_SAFE static inline cjack_midi_message cjack_midi_get(void *buffer, uint32_t index) {
    jack_midi_event_t event;
    cjack_midi_message message = {0, NULL, 0};
    if (jack_midi_event_get(&event, buffer, index) != 0) return message;
    message.size = (uint32_t)event.size;
    message.bytes = event.buffer;
    message.frame = event.time;
    return message;
}
/// The largest message that a port's buffer has room for, in bytes. Reads that buffer.
RT_SAFE static inline size_t cjack_midi_room(void *buffer) { return jack_midi_max_event_size(buffer); }
/// Empties a port's buffer, as each cycle must, and adds a message at a frame of the cycle, which is not before
/// the last one's; returns 0 where there was room.
RT_SAFE static inline void cjack_midi_clear(void *buffer) { jack_midi_clear_buffer(buffer); }
RT_SAFE static inline int cjack_midi_put(
    void *buffer, uint32_t frame, uint8_t status, uint8_t first, uint8_t second, uint32_t size) {
    const uint8_t bytes[3] = {status, first, second};
    return jack_midi_event_write(buffer, frame, bytes, size);
}

/// Sleeps for 50 µs. Only for cycles of a freewheeling server, which are not real time: JACK waits for us there.
RT_SAFE static inline void cjack_freewheel_pause(void) {
    const struct timespec pause = {0, 50000};
    nanosleep(&pause, NULL);
}

/// Whether and how other threads may end this one.
typedef struct {
    int state, type;
} cjack_cancellation;

/// Puts off the end of the calling thread, if another cancels it: libjack ends its threads so, at any instruction.
/// Returns what was in force before. Both the state and the type: glibc 2.36 looks at the type alone in one place. Atomic
/// operations on the thread's own memory, no system call.
RT_SAFE static inline cjack_cancellation cjack_hold_cancellation(void) {
    cjack_cancellation before;
    pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &before.type);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before.state);
    return before;
}
/// Puts in force again what was before. Where the thread was cancelled meanwhile, it ends here.
RT_SAFE static inline void cjack_restore_cancellation(cjack_cancellation before) {
    pthread_setcancelstate(before.state, NULL);
    pthread_setcanceltype(before.type, NULL);
}

/// The hooks of the real-time sanitizer. Null unless the program is linked with it.
__attribute__((weak)) void __rtsan_realtime_enter(void);
__attribute__((weak)) void __rtsan_realtime_exit(void);

RT_SAFE static inline void cjack_realtime_enter(void) {
    if (__rtsan_realtime_enter) __rtsan_realtime_enter();
}
RT_SAFE static inline void cjack_realtime_exit(void) {
    if (__rtsan_realtime_exit) __rtsan_realtime_exit();
}
static inline int cjack_realtime_sanitizer_is_linked(void) { return __rtsan_realtime_enter != NULL; }

// ---- What Swift cannot import ----------------------------------------------------------------------------------

/// The one function in use here that jackd1's libjack lacks. Weak, or the program would end when it is called.
__attribute__((weak)) const char *jack_get_version_string(void);

/// What libjack calls itself; null of jackd1's, which does not tell.
static inline const char *cjack_version(void) {
    return jack_get_version_string ? jack_get_version_string() : NULL;
}

/// jack_client_open is variadic.
static inline jack_client_t *cjack_client_open(const char *name, jack_options_t options, jack_status_t *status,
                                               const char *server) {
    return server ? jack_client_open(name, (jack_options_t)(options | JackServerName), status, server)
                  : jack_client_open(name, options, status);
}

/// Sets the callback of a slow-sync client. Its first parameter is the transport's state, its second the position.
static inline int cjack_set_sync_callback(jack_client_t *client, int (*callback)(uint32_t, const void *, void *),
                                          void *context) {
    // The same registers: an enumeration of libjack's is an unsigned int, and pointers are pointers.
    return jack_set_sync_callback(client, (JackSyncCallback)(void *)callback, context);
}

/// JACK's semaphore for its registry of servers, by the key that jackd gives it.
enum { cjack_registry_key = 0x282929 };

/// Takes (−1) or gives back (1) the semaphore that guards JACK's registry of servers; −1 where that takes longer. The
/// kernel gives it back if we die meanwhile.
static inline int cjack_registry_semaphore(key_t key, int change, long patience_milliseconds) {
    const int identifier = semget(key, 0, 0);
    struct sembuf operation = {0, (short)change, SEM_UNDO};
    const struct timespec limit = {patience_milliseconds / 1000, patience_milliseconds % 1000 * 1000000};
    return identifier < 0 ? -1 : semtimedop(identifier, &operation, 1, &limit);
}

/// The process that holds that semaphore: 0 where it is not one of this container, −1 where nobody does.
static inline pid_t cjack_registry_holder(key_t key) {
    const int identifier = semget(key, 0, 0);
    if (identifier < 0 || semctl(identifier, 0, GETVAL) != 0) return -1;
    return semctl(identifier, 0, GETPID);
}

/// Starts a program with its output on `output`, in a process group of its own (a terminal's Ctrl-C is ours alone),
/// with the default signals. The kernel ends it with SIGTERM if the calling *thread* ends first. `input`, the other
/// end of the pipe, stays open in the child: should we die, its last words must not end it by SIGPIPE before it has
/// cleaned up. Returns the child's process number, or −1. The child returns 127 where the program cannot be run.
static inline pid_t cjack_spawn(const char *path, char *const arguments[], int output, int input) {
    const pid_t parent = getpid();
    const pid_t child = fork();
    // By both, so that the group is there for whichever comes first.
    if (child > 0) setpgid(child, child);
    if (child != 0) return child;
    // Only async-signal-safe calls from here on: the parent has other threads.
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) _exit(127);
    setpgid(0, 0);
    // The handlers first: what was held back until now must not call one of the parent's.
    for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    const int nothing = open("/dev/null", O_RDONLY);
    if (nothing >= 0) dup2(nothing, 0);
    dup2(output, 1);
    dup2(output, 2);
    const int kept = dup2(fcntl(input, F_DUPFD, 4), 3) + 1;
    if (close_range(kept, ~0u, 0) != 0) {
        for (int descriptor = kept; descriptor < 1024; descriptor++) close(descriptor);
    }
    execv(path, arguments);
    _exit(127);
}
