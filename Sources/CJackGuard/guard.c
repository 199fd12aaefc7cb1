// jack_client_close ends libjack's notification thread by pthread_cancel, and the thread has asked to be cancelled
// asynchronously: at any instruction. Where that is inside ClientNotifyImp, the thread takes JackGlobals::fSynchroMutex
// to its grave; where it is inside malloc, the heap's lock. Every later open and close of the process then waits without
// end. (jack2 issue 395, pull request 889.)
//
// The guard lets the thread be cancelled in one place alone: while it waits for the server in read(), where it holds
// nothing. For that it takes the place of two functions in libjack's global offset table:
//
//   accept  the thread's first act, and nobody else's: it tells which thread it is. From its return on the thread cannot
//           be cancelled, and its type is "deferred": glibc 2.36 looks at the type as well when the signal arrives.
//   read    of that thread alone: may be cancelled in here, and nowhere else.
//
// A close then waits for the notification that is being handled, so no callback may wait for the thread that closes. The audio
// thread is left as it is: it waits in a bare futex call, where deferred cancellation never acts, and `Cycle` guards our
// part of it.
#define _GNU_SOURCE
#include "cjackguard.h"
#include "cslots.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static _Thread_local bool is_notification_thread;

static int guarded_accept(int socket, struct sockaddr *address, socklen_t *length) {
    // Cancellable as libjack has it: an open that fails ends the thread here, where it holds nothing.
    const int connection = accept(socket, address, length);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, NULL);
    is_notification_thread = true;
    return connection;
}

static ssize_t guarded_read(int file, void *data, size_t size) {
    if (!is_notification_thread) return read(file, data, size);
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
    const ssize_t count = read(file, data, size);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    return count;
}

/// What is looked for in the object that holds libjack, and what was found.
typedef struct {
    const void *inside;
    bool found;
    bool cancels;
    cslot accept_slot, read_slot;
} search;

static void search_slot(const cslot *slot, void *context) {
    search *search = context;
    if (strcmp(slot->name, "pthread_cancel") == 0) search->cancels = true;
    if (strcmp(slot->name, "accept") == 0) search->accept_slot = *slot;
    if (strcmp(slot->name, "read") == 0) search->read_slot = *slot;
}

static int search_object(struct dl_phdr_info *object, size_t size, void *context) {
    (void)size;
    search *search = context;
    bool is_it = false;
    for (int i = 0; i < object->dlpi_phnum && !is_it; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        const uintptr_t start = object->dlpi_addr + part->p_vaddr;
        is_it = part->p_type == PT_LOAD && (uintptr_t)search->inside - start < part->p_memsz;
    }
    if (is_it) search->found = cslots_visit(object, search_slot, search);
    return is_it;
}

static void *end_at_once(void *context) {
    (void)context;
    pthread_exit(NULL);
}

/// glibc loads the unwinder when a first thread ends itself. In a thread that is being cancelled it would need locks that
/// this thread may have interrupted.
static void load_unwinder(void) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, end_at_once, NULL) == 0) pthread_join(thread, NULL);
}

/// An address in libjack itself: the first function of that name may be that of a library which was preloaded to watch
/// libjack.
static const void *inside_libjack(void) {
    void *library = dlopen("libjack.so.0", RTLD_NOLOAD | RTLD_LAZY);
    const void *function = dlsym(library ? library : RTLD_DEFAULT, "jack_client_close");
    if (library) dlclose(library);
    return function;
}

cjack_guard_state cjack_guard_install(void) {
    search search = {.inside = inside_libjack()};
    if (!search.inside) return CJACK_GUARD_FAILED;
    dl_iterate_phdr(search_object, &search);
    if (!search.found) return CJACK_GUARD_FAILED;
    // PipeWire's libjack ends its threads by asking them; jackd1's makes no thread that listens.
    if (!search.cancels || !search.accept_slot.place) return CJACK_GUARD_NOT_NEEDED;
    if (!search.read_slot.place) return CJACK_GUARD_FAILED;
    load_unwinder();
    const bool done = cslot_redirect(&search.read_slot, (const void *)guarded_read) &&
                      cslot_redirect(&search.accept_slot, (const void *)guarded_accept);
    return done ? CJACK_GUARD_IN_PLACE : CJACK_GUARD_FAILED;
}
