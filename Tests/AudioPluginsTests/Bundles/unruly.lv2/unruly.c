// A plug-in that does what would end or harm its host: the variable UNRULY names it for when it is made, the port for when it runs.
#define _GNU_SOURCE
#include <assert.h>
#include <dlfcn.h>
#include <err.h>
#include <errno.h>
#include <error.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

#include <lv2/core/lv2.h>
#include <lv2/worker/worker.h>

enum { NOTHING, EXITS, EXITS_IN_WORKER, EXITS_IN_THREAD, CLOSES, FORKS, HANDLES, PRINTS, ENDS_THREAD, FAILS, ASSERTS, REPEATS,
       RAISES, KILLS, OVERRUNS, LOADS, KILLS_GROUP, COMPLAINS, THROWS, SIGNALS_THREAD, QUEUES, ERRS, ENDS_C11_THREAD, OVERFLOWS,
       CLOSES_STREAMS, SETS_TIMERS, LOOKS_UP };

typedef struct {
    const float *in, *misdeed;
    float *out, *latency;
    LV2_Worker_Schedule *schedule;
    int done;
    LV2_Worker_Respond_Function respond;
    LV2_Worker_Respond_Handle to;
    int requests, answers;
    /// The path of another library in its bundle.
    char helper[4096];
} Unruly;

static void *end(void *unused) { exit(3); }
static void handle(int number) { _exit(4); }
void __stack_chk_fail(void);
void __chk_fail(void);
// Of C++'s library, which only a test that asks for it links.
void *__cxa_allocate_exception(size_t size) __attribute__((weak));
void __cxa_throw(void *thrown, const void *type, void (*destroy)(void *)) __attribute__((weak));
extern const void *const _ZTIi __attribute__((weak));

/// A descriptor that a message brings: another one of the standard error.
static int receive(void) {
    int ends[2], file = 2;
    char byte = 0, room[CMSG_SPACE(sizeof file)] __attribute__((aligned(8))) = {0};
    struct iovec data = {&byte, 1};
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
    struct cmsghdr *part = CMSG_FIRSTHDR(&message);
    part->cmsg_level = SOL_SOCKET;
    part->cmsg_type = SCM_RIGHTS;
    part->cmsg_len = CMSG_LEN(sizeof file);
    memcpy(CMSG_DATA(part), &file, sizeof file);
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) abort();
    if (sendmsg(ends[0], &message, 0) != 1 || recvmsg(ends[1], &message, 0) != 1) abort();
    memcpy(&file, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof file);
    close(ends[0]);
    close(ends[1]);
    return file;
}

/// Closes the descriptors of its own streams. Of one, the number becomes the program's before the stream is closed too.
static void close_streams(void) {
    FILE *streams[] = {fopen("/dev/null", "r"), fopen64("/dev/null", "r"), tmpfile()};
    for (int place = 0; place < 3; place++) {
        if (!streams[place] || close(fileno(streams[place])) != 0) abort();
    }
    // Far from those that other threads get meanwhile.
    int file = fcntl(2, F_DUPFD, 900);
    FILE *stream = fdopen(file, "w");
    if (!stream || close(file) != 0) abort();
    // By no function that is known.
    if (syscall(SYS_fcntl, 2, F_DUPFD, file) != file) abort();
    if (fclose(stream) != EOF || fcntl(file, F_GETFD) < 0) abort();
    syscall(SYS_close, file);
    FILE *open = fopen("/dev/null", "r");
    if (!open || fclose(open) != 0) abort();
}

static void set_timers(void) {
    struct itimerval soon = {.it_value.tv_usec = 1}, never = {.it_value.tv_usec = 0};
    alarm(1);
    if (setitimer(ITIMER_REAL, &soon, NULL) == 0 || setitimer(ITIMER_REAL, &never, NULL) != 0) abort();
    struct sigevent silent = {.sigev_notify = SIGEV_NONE};
    timer_t timer;
    if (timer_create(CLOCK_MONOTONIC, NULL, &timer) == 0) abort();
    // One that it asks itself is its own.
    if (timer_create(CLOCK_MONOTONIC, &silent, &timer) != 0 || timer_delete(timer) != 0) abort();
}

/// By each of the ways of a look-up.
static void look_up(void) {
    void *library = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
    void (*end)(int) = (void (*)(int))dlsym(RTLD_DEFAULT, "exit");
    if (end != dlsym(RTLD_NEXT, "exit") || end != dlvsym(RTLD_DEFAULT, "exit", "GLIBC_2.2.5")) abort();
    if (!library || end != dlsym(library, "exit") || !dlsym(RTLD_NEXT, "getppid")) abort();
    if (dlsym(RTLD_DEFAULT, "no such function")) abort();
    end(3);
}

static void misbehave(int misdeed) {
    if (misdeed == EXITS) exit(3);
    if (misdeed == FAILS) abort();
    assert(misdeed != ASSERTS);
    if (misdeed == ENDS_THREAD) pthread_exit(NULL);
    if (misdeed == RAISES) raise(SIGTERM);
    if (misdeed == KILLS && kill(getpid(), 0) == 0) kill(getpid(), SIGKILL);
    // By a signal that ends nobody, should it come.
    if (misdeed == KILLS_GROUP) killpg(0, SIGWINCH);
    if (misdeed == COMPLAINS) errx(3, "planted");
    if (misdeed == SIGNALS_THREAD) pthread_kill(pthread_self(), SIGWINCH);
    if (misdeed == QUEUES) sigqueue(getpid(), SIGWINCH, (union sigval){0});
    if (misdeed == ERRS) {
        error(0, 0, "goes on");
        error(3, ENOENT, "planted");
    }
    if (misdeed == ENDS_C11_THREAD) thrd_exit(0);
    if (misdeed == OVERFLOWS) __chk_fail();
    if (misdeed == THROWS) __cxa_throw(__cxa_allocate_exception(sizeof(int)), &_ZTIi, NULL);
    if (misdeed == CLOSES_STREAMS) close_streams();
    if (misdeed == SETS_TIMERS) set_timers();
    if (misdeed == LOOKS_UP) look_up();
    // As the compiler has a function end that has written beyond its variables.
    if (misdeed == OVERRUNS) __stack_chk_fail();
    if (misdeed == EXITS_IN_THREAD) {
        pthread_t thread;
        pthread_create(&thread, NULL, end, NULL);
        pthread_join(thread, NULL);
    }
    if (misdeed == CLOSES) {
        char name[] = "/tmp/iounit-unruly-XXXXXX";
        sigset_t none;
        sigemptyset(&none);
        // Its own, which it can close. Where there are no terminals, that one is less.
        int own[] = {dup(2), mkostemp(name, O_CLOEXEC), signalfd(-1, &none, 0), posix_openpt(O_RDWR | O_NOCTTY), receive()};
        unlink(name);
        // It stays its own.
        if (dup2(-1, own[0]) >= 0) abort();
        for (int file = 3; file < 1024; file++) {
            int is_own = 0;
            for (int place = 0; place < 5; place++) is_own |= own[place] == file;
            if ((close(file) == 0) != is_own) abort();
        }
        close_range(3, ~0u, 0);
        close_range(3, ~0u, CLOSE_RANGE_UNSHARE);
        fclose(stdout);
        close(1);
    }
    if (misdeed == FORKS && (fork() >= 0 || execlp("true", "true", NULL) >= 0)) _exit(5);
    if (misdeed == HANDLES) {
        struct sigaction action;
        memset(&action, 0, sizeof action);
        action.sa_handler = handle;
        sigaction(SIGTERM, &action, NULL);
        signal(SIGINT, handle);
    }
    if (misdeed == PRINTS) {
        printf("%d printed\n", misdeed);
        puts("printed");
        fputs("printed\n", stdout);
        fflush(stdout);
        write(1, "printed\n", 8);
        struct iovec part = {"printed\n", 8};
        writev(1, &part, 1);
        dprintf(1, "%d printed\n", misdeed);
        wprintf(L"%d printed", misdeed);
        putwchar(L'\n');
    }
}

/// What the other library has, which is a copy of this one.
LV2_SYMBOL_EXPORT void unruly_end(void) { exit(3); }

static void load(const Unruly *unruly) {
    void *library = dlopen(unruly->helper, RTLD_NOW | RTLD_LOCAL);
    void (*end)(void) = library ? (void (*)(void))dlsym(library, "unruly_end") : NULL;
    // A copy, and not itself.
    if (!end || end == unruly_end) abort();
    end();
}

static LV2_Handle instantiate(const LV2_Descriptor *descriptor, double rate, const char *path,
                              const LV2_Feature *const *features) {
    Unruly *unruly = calloc(1, sizeof *unruly);
    snprintf(unruly->helper, sizeof unruly->helper, "%shelper.so", path);
    for (; *features; features++)
        if (!strcmp((*features)->URI, LV2_WORKER__schedule)) unruly->schedule = (*features)->data;
    const char *misdeed = getenv("UNRULY");
    if (misdeed) misbehave(atoi(misdeed));
    return unruly;
}

static void connect_port(LV2_Handle handle, uint32_t port, void *data) {
    Unruly *unruly = handle;
    if (port == 0) unruly->in = data;
    if (port == 1) unruly->out = data;
    if (port == 2) unruly->misdeed = data;
    if (port == 3) unruly->latency = data;
}

static void run(LV2_Handle handle, uint32_t frames) {
    Unruly *unruly = handle;
    for (uint32_t frame = 0; frame < frames; frame++) unruly->out[frame] = 2 * unruly->in[frame];
    if (unruly->latency) *unruly->latency = 100;
    int misdeed = (int)*unruly->misdeed;
    if (misdeed == unruly->done) return;
    unruly->done = misdeed;
    // What waits or allocates is the worker's.
    if (misdeed == EXITS || misdeed == ENDS_THREAD || misdeed == FAILS || misdeed == ASSERTS)
        misbehave(misdeed);
    else
        unruly->schedule->schedule_work(unruly->schedule->handle, sizeof misdeed, &misdeed);
}

static LV2_Worker_Status work(LV2_Handle handle, LV2_Worker_Respond_Function respond, LV2_Worker_Respond_Handle to,
                              uint32_t size, const void *data) {
    int misdeed = *(const int *)data;
    if (misdeed == REPEATS) {
        Unruly *unruly = handle;
        unruly->respond = respond;
        unruly->to = to;
        // Each asks for the next, and has an answer. Far more than the blocks of a test: nobody ends this.
        if (++unruly->requests == 100000) abort();
        unruly->schedule->schedule_work(unruly->schedule->handle, size, data);
        respond(to, size, data);
    }
    if (misdeed == LOADS) load(handle);
    misbehave(misdeed == EXITS_IN_WORKER ? EXITS : misdeed);
    return LV2_WORKER_SUCCESS;
}

static LV2_Worker_Status work_response(LV2_Handle handle, uint32_t size, const void *body) {
    Unruly *unruly = handle;
    if (!unruly->respond) return LV2_WORKER_SUCCESS;
    // Each brings another one.
    if (++unruly->answers == 100000) abort();
    return unruly->respond(unruly->to, size, body);
}

static const void *extension_data(const char *uri) {
    static const LV2_Worker_Interface worker = {work, work_response, NULL};
    return strcmp(uri, LV2_WORKER__interface) ? NULL : &worker;
}

static const LV2_Descriptor descriptor = {"urn:iounit:unruly", instantiate, connect_port, NULL, run, NULL, free, extension_data};

LV2_SYMBOL_EXPORT const LV2_Descriptor *lv2_descriptor(uint32_t index) { return index == 0 ? &descriptor : NULL; }
