// A plug-in that halves its input, and has one fault: the one that the build names, as in -DFAULT_PRINT.
#define _GNU_SOURCE
#include <lv2/core/lv2.h>
#include <lv2/state/state.h>
#include <dlfcn.h>
#include <err.h>
#include <error.h>
#include <fcntl.h>
#include <locale.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
#ifdef __x86_64__
#include <xmmintrin.h>
#endif

enum { INPUT, OUTPUT, GAIN, LATENCY, EVENTS };

struct state {
    const float *input, *gain;
    float *output, *latency;
    char *events;
    float last;
    unsigned blocks;
    int has_default, times;
    pthread_mutex_t lock;
    pthread_t holder;
    volatile int ends;
    char *memory;
    FILE *file;
};

// What the compiler calls where it knows the size.
size_t __fread_chk(void *data, size_t room, size_t size, size_t count, FILE *stream);
void planted_throw(void);
void planted_throw_out(void);

#ifdef FAULT_CONTENDED_LOCK
static void *hold(void *given) {
    struct state *state = given;
    while (!state->ends) {
        pthread_mutex_lock(&state->lock);
        // Holds the lock nearly all the time, so that run() has to wait for it. Ends with the instance.
        usleep(2000);
        pthread_mutex_unlock(&state->lock);
    }
    return NULL;
}
#endif

static LV2_Handle instantiate(const LV2_Descriptor *descriptor, double rate, const char *path,
                              const LV2_Feature *const *features) {
    (void)descriptor, (void)rate, (void)path, (void)features;
#ifdef FAULT_NO_INSTANCE
    return NULL;
#endif
#ifdef FAULT_HELPER
    // No fault: it is in a folder that this library names.
    if (!dlopen("libplanted-helper.so", RTLD_NOW)) return NULL;
#endif
#ifdef FAULT_CRASH_EARLY
    abort();
#endif
#ifdef FAULT_THROW_EARLY
    planted_throw_out();
#endif
#ifdef FAULT_EXIT_EARLY
    exit(0);
#endif
#ifdef FAULT_HANG_EARLY
    for (volatile int waits = 1; waits;) {}
#endif
#ifdef FAULT_THREAD_EXIT
    pthread_exit(NULL);
#endif
#ifdef FAULT_CLOSE
    for (int file = 3; file < 1024; file++) close(file);
    // Closes what is there as well.
    for (int file = 600; file < 1024; file++) dup3(0, file, 0);
#endif
#if defined FAULT_FORK || defined FAULT_FORK_AWAY
    if (fork() == 0) {
#ifdef FAULT_FORK_AWAY
        setsid();
#endif
        // Longer than any deadline of the tests: the check has to end this process.
        sleep(60);
        _exit(0);
    }
#endif
#ifdef FAULT_NOISE
    // Something that looks like a report, to all descriptors that there may be.
    static const char text[] = "{\"kind\":\"end\"}\nT {\"kind\":\"finding\",\"finding\":\"allocation\",\"subject\":\"malloc\",\"phase\":\"steady\"}\n\xff\xfe\n";
    for (int file = 0; file < 1024; file++) {
        if (write(file, text, sizeof text - 1) < 0) continue;
    }
#endif
#ifdef FAULT_FORGE
    // A line as the probe writes it, if the token of its lines is still the fourth of this process's words.
    char words[4096] = "";
    FILE *process = fopen("/proc/self/cmdline", "r");
    if (process && fread(words, 1, sizeof words - 1, process) > 0) {
        const char *token = words;
        for (int word = 0; word < 3; word++) token += strlen(token) + 1;
        for (int file = 3; file < 1024; file++) {
            dprintf(file, "\n%s {\"kind\":\"finding\",\"finding\":\"lock\",\"subject\":\"f\",\"phase\":\"steady\"}\n", token);
        }
    }
    if (process) fclose(process);
#endif
#ifdef FAULT_HANG_LOCALE
    // Which has a comma in numbers. The test has put it beside this library.
    setenv("LOCPATH", path, 1);
    setlocale(LC_ALL, "de_DE.UTF-8");
#endif
#ifdef FAULT_HANG_BLOCKED
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
#endif
#ifdef FAULT_HANG_ALARM
    // It comes while it hangs, and takes the place of one that is set.
    alarm(1);
#endif
#ifdef FAULT_TIMER
    // No fault: its signal has the number of the one that ends the check, and comes at once.
    timer_t timer;
    const struct itimerspec soon = {.it_value = {.tv_nsec = 1}};
    if (timer_create(CLOCK_MONOTONIC, NULL, &timer) != 0 || timer_settime(timer, 0, &soon, NULL) != 0) return NULL;
#endif
#ifdef FAULT_SIGNAL_HANDLER
    signal(SIGSEGV, SIG_IGN);
#endif
    struct state *state = calloc(1, sizeof *state);
    pthread_mutex_init(&state->lock, NULL);
#ifdef FAULT_DOES
    state->file = fopen("/dev/null", "r");
#endif
#ifdef FAULT_FRESH_MEMORY
    state->memory = mmap(NULL, 64 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
#endif
    return state;
}

static void connect_port(LV2_Handle handle, uint32_t port, void *data) {
    struct state *state = handle;
    switch (port) {
    case INPUT: state->input = data; break;
    case OUTPUT: state->output = data; break;
    case GAIN: state->gain = data; break;
    case LATENCY: state->latency = data; break;
    case EVENTS: state->events = data; break;
    }
}

static void activate(LV2_Handle handle) {
    struct state *state = handle;
#ifdef FAULT_CONTENDED_LOCK
    state->ends = 0;
    pthread_create(&state->holder, NULL, hold, state);
#endif
    state->last = 0;
#ifdef FAULT_CRASH_ACTIVATE
    // In a reset, and not when the instance is new.
    if (state->times++ == 1) abort();
#endif
#ifdef FAULT_NOT_WAITING
    // Fills the report's pipe, which then has no room for the probe's next line. The bound is for what is no pipe.
    static const char page[4096];
    for (int file = 60; file < 1024; file++) {
        if (fcntl(file, F_SETFL, O_NONBLOCK) < 0) continue;
        for (int pages = 0; pages < 100; pages++) if (write(file, page, sizeof page) < 0) break;
    }
#endif
}

static void deactivate(LV2_Handle handle) {
    struct state *state = handle;
#ifdef FAULT_CONTENDED_LOCK
    state->ends = 1;
    pthread_join(state->holder, NULL);
#endif
    state->blocks = 0;
#ifdef FAULT_CRASH_DEACTIVATE
    abort();
#endif
}

/// Returns to no code, and leaves a stack that no debugger can follow.
__attribute__((noinline, unused)) static void smash(void) {
    volatile char *frame = __builtin_frame_address(0);
    for (int at = 0; at < 64; at++) frame[at] = 0x41;
}

static void misbehave(struct state *state, uint32_t frames) {
    const unsigned block = state->blocks++;
    (void)block, (void)frames;
#if defined(FAULT_ALLOCATION) || defined(FAULT_ALLOCATION_AND_FREE)
    if (block % 50 == 49) {
        void *volatile memory = malloc(100);
        free(memory);
    }
#endif
#if defined(FAULT_LOCK) || defined(FAULT_CONTENDED_LOCK)
    pthread_mutex_lock(&state->lock);
    pthread_mutex_unlock(&state->lock);
#endif
#ifdef FAULT_PRINT
    if (block == 10) printf("hello\n");
#endif
#ifdef FAULT_HELPER_IN_RUN
    if (block == 10 && !dlopen("libplanted-helper.so", RTLD_NOW)) abort();
#endif
#ifdef FAULT_FRESH_MEMORY
    if (block < 16000) state->memory[block * 4096] = 1;
#endif
#if defined(FAULT_RAW_CALL) && defined(__x86_64__)
    long result = SYS_getppid;
    __asm__ volatile("syscall" : "+a"(result) : : "rcx", "r11", "memory");
#endif
#ifdef FAULT_OVERRUN
    state->output[frames] = 0;
#endif
#ifdef FAULT_OVERREAD
    state->last = 1e-9f * state->input[frames];
#endif
#ifdef FAULT_STACK
    volatile char deep[600000];
    for (unsigned at = 0; at < sizeof deep; at += 512) deep[at] = 1;
#endif
#ifdef FAULT_NOT_FINITE
    if (*state->gain >= 1) state->last = NAN;
#endif
#ifdef FAULT_RANGE
    // No fault: what is beyond the control's range is not its matter.
    if (!(*state->gain >= 0 && *state->gain <= 1)) state->last = NAN;
#endif
#ifdef FAULT_AT
    // At one number alone, as in -DFAULT_AT=6.
    if (*state->gain == FAULT_AT) state->last = NAN;
#endif
#ifdef FAULT_THRICE
    // At one number in three blocks one after the other, as in -DFAULT_THRICE=1: a trigger stays nowhere for so long.
    state->times = *state->gain == FAULT_THRICE ? state->times + 1 : 0;
    if (state->times == 3) state->last = NAN;
#endif
#ifdef FAULT_DEFAULT_STATE
    // In the state alone that it wants to begin with.
    if (block == 10 && state->has_default) {
        void *volatile memory = malloc(100);
        free(memory);
    }
#endif
#ifdef FAULT_INFINITE
    // No fault: no range has that.
    if (isinf(*state->gain)) state->last = NAN;
#endif
#if defined(FAULT_HANG) || defined(FAULT_HANG_BLOCKED) || defined(FAULT_HANG_LOCALE) || defined(FAULT_HANG_ALARM)
    if (block == 30) for (volatile int waits = 1; waits;) {}
#endif
#ifdef FAULT_THROW
    if (block % 50 == 49) planted_throw();
#endif
#ifdef FAULT_THROW_OUT
    if (*state->gain >= 1) planted_throw_out();
#endif
#ifdef FAULT_EXIT
    if (block == 20) exit(3);
#endif
#ifdef FAULT_DOES
    // Any expression, as in -DFAULT_DOES=alarm(0).
    if (block == 10) (void)(FAULT_DOES);
#endif
#ifdef FAULT_SMASH
    if (block == 20) smash();
#endif
#ifdef FAULT_CRASH
    if (*state->gain >= 1) *(volatile int *)8 = 1;
#endif
#if defined(FAULT_FLOAT_STATE) && defined(__x86_64__)
    _mm_setcsr(_mm_getcsr() | 0x8040);
#endif
#if defined(FAULT_FLOAT_STATE) && defined(__aarch64__)
    unsigned long modes;
    __asm__ volatile("mrs %0, fpcr" : "=r"(modes));
    __asm__ volatile("msr fpcr, %0" : : "r"(modes | 1ul << 24));
#endif
#ifdef FAULT_THREAD
    if (block == 5) {
        pthread_t thread;
        // The fault is the thread. It returns after a millisecond, which nobody waits for.
        pthread_create(&thread, NULL, (void *(*)(void *))usleep, (void *)1000);
        pthread_detach(thread);
    }
#endif
#ifdef FAULT_SLEEP
    // The wait is the fault itself.
    if (block == 5) usleep(100);
#endif
#ifdef FAULT_FILE
    if (block == 5) {
        FILE *file = fopen("/proc/self/stat", "r");
        if (file) fclose(file);
    }
#endif
#if defined(FAULT_FIRST_BLOCK) || defined(FAULT_FIRST_BLOCK_AND_FREE)
    if (!state->memory) state->memory = malloc(64);
#endif
#ifdef FAULT_EVENTS
    // No fault: it fills the 8 MB that its description asks for, behind the head that says how much there is.
    if (block == 0 && state->events) memset(state->events + 8, 0, (8 << 20) - 8);
#endif
#ifdef FAULT_WRITE
    // To all descriptors, and no end of a line.
    if (block == 10) for (int file = 0; file < 1024; file++) if (write(file, "x", 1) < 0) continue;
#endif
#ifdef FAULT_CRASH_FIRST
    abort();
#endif
}

static void run(LV2_Handle handle, uint32_t frames) {
    struct state *state = handle;
    misbehave(state, frames);
#ifdef FAULT_UNWRITTEN
    frames--;
#endif
    for (uint32_t frame = 0; frame < frames; frame++) {
#ifdef FAULT_DENORMALS
        state->last = 0.9f * state->last + state->input[frame];
        if (state->last > -1e-38f && state->last < 1e-38f) state->last = 1e-39f;
#endif
        state->output[frame] = 0.5f * state->input[frame] + state->last;
    }
#ifdef FAULT_LATENCY
    *state->latency = 64;
#elif defined(FAULT_TELLS)
    // As a latency, any number: as in -DFAULT_TELLS=1e9.
    *state->latency = FAULT_TELLS;
#else
    if (state->latency) *state->latency = 0;
#endif
}

static void cleanup(LV2_Handle handle) {
    struct state *state = handle;
#if defined(FAULT_CRASH_FREE) || defined(FAULT_FIRST_BLOCK_AND_FREE) || defined(FAULT_ALLOCATION_AND_FREE)
    abort();
#endif
    pthread_mutex_destroy(&state->lock);
    free(state);
}

#ifdef FAULT_DEFAULT_STATE
static LV2_State_Status restore(LV2_Handle handle, LV2_State_Retrieve_Function retrieve, LV2_State_Handle from,
                                uint32_t flags, const LV2_Feature *const *features) {
    (void)retrieve, (void)from, (void)flags, (void)features;
    ((struct state *)handle)->has_default = 1;
    return LV2_STATE_SUCCESS;
}

static const void *extension_data(const char *uri) {
    static const LV2_State_Interface state = {NULL, restore};
    return strcmp(uri, LV2_STATE__interface) == 0 ? &state : NULL;
}
#else
#define extension_data NULL
#endif

static const LV2_Descriptor descriptor = {"urn:iounit:planted", instantiate, connect_port, activate,
                                          run, deactivate, cleanup, extension_data};

LV2_SYMBOL_EXPORT const LV2_Descriptor *lv2_descriptor(uint32_t index) { return index == 0 ? &descriptor : NULL; }
