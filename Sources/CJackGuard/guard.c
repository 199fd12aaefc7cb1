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
// A close then waits for the notification that is being handled, so no callback may wait for whoever closes. The audio
// thread is left as it is: it waits in a bare futex call, where deferred cancellation never acts, and `Cycle` guards our
// part of it.
#define _GNU_SOURCE
#include "cjackguard.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
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
    const void **accept_slot;
    const void **read_slot;
    uintptr_t protected_start, protected_end;
} search;

#if defined(__x86_64__)
#define IS_SLOT(type) ((type) == R_X86_64_JUMP_SLOT || (type) == R_X86_64_GLOB_DAT)
#elif defined(__aarch64__)
#define IS_SLOT(type) ((type) == R_AARCH64_JUMP_SLOT || (type) == R_AARCH64_GLOB_DAT)
#else
#define IS_SLOT(type) 0
#endif

/// The dynamic section's addresses are absolute in glibc, relative in others.
static uintptr_t address(const struct dl_phdr_info *object, ElfW(Addr) value) {
    return value >= object->dlpi_addr ? value : value + object->dlpi_addr;
}

static void search_table(search *search, const struct dl_phdr_info *object, uintptr_t table, size_t bytes,
                         const ElfW(Sym) * symbols, const char *names) {
    const ElfW(Rela) *entry = (const ElfW(Rela) *)table;
    for (size_t count = bytes / sizeof *entry; table && count > 0; count--, entry++) {
        if (!IS_SLOT(ELF64_R_TYPE(entry->r_info))) continue;
        const char *name = names + symbols[ELF64_R_SYM(entry->r_info)].st_name;
        const void **slot = (const void **)(object->dlpi_addr + entry->r_offset);
        if (strcmp(name, "pthread_cancel") == 0) search->cancels = true;
        if (strcmp(name, "accept") == 0) search->accept_slot = slot;
        if (strcmp(name, "read") == 0) search->read_slot = slot;
    }
}

static int search_object(struct dl_phdr_info *object, size_t size, void *context) {
    (void)size;
    search *search = context;
    const ElfW(Dyn) *dynamic = NULL;
    bool is_it = false;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        const uintptr_t start = object->dlpi_addr + part->p_vaddr;
        if (part->p_type == PT_LOAD && (uintptr_t)search->inside - start < part->p_memsz) is_it = true;
        if (part->p_type == PT_DYNAMIC) dynamic = (const ElfW(Dyn) *)start;
        if (part->p_type == PT_GNU_RELRO) {
            search->protected_start = start;
            search->protected_end = start + part->p_memsz;
        }
    }
    if (!is_it || !dynamic) {
        search->protected_start = search->protected_end = 0;
        return 0;
    }
    search->found = true;
    uintptr_t jumps = 0, others = 0;
    size_t jump_bytes = 0, other_bytes = 0;
    const ElfW(Sym) *symbols = NULL;
    const char *names = NULL;
    for (; dynamic->d_tag != DT_NULL; dynamic++) {
        switch (dynamic->d_tag) {
            case DT_JMPREL: jumps = address(object, dynamic->d_un.d_ptr); break;
            case DT_PLTRELSZ: jump_bytes = dynamic->d_un.d_val; break;
            // Where libjack was built with -fno-plt.
            case DT_RELA: others = address(object, dynamic->d_un.d_ptr); break;
            case DT_RELASZ: other_bytes = dynamic->d_un.d_val; break;
            case DT_SYMTAB: symbols = (const ElfW(Sym) *)address(object, dynamic->d_un.d_ptr); break;
            case DT_STRTAB: names = (const char *)address(object, dynamic->d_un.d_ptr); break;
        }
    }
    if (symbols && names) {
        search_table(search, object, jumps, jump_bytes, symbols, names);
        search_table(search, object, others, other_bytes, symbols, names);
    }
    return 1;
}

/// Writes to a slot, which the linker may have made read-only, and leaves its page as it was.
static bool redirect(const search *search, const void **slot, const void *function) {
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t start = (uintptr_t)slot & ~(page - 1);
    // The slot lies within one page: it is aligned.
    if (mprotect((void *)start, page, PROT_READ | PROT_WRITE) != 0) return false;
    __atomic_store_n(slot, function, __ATOMIC_RELEASE);
    // The linker protects whole pages only.
    const uintptr_t end = search->protected_end & ~(page - 1);
    if (start >= (search->protected_start & ~(page - 1)) && start < end) mprotect((void *)start, page, PROT_READ);
    return true;
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
    if (!search.cancels || !search.accept_slot) return CJACK_GUARD_NOT_NEEDED;
    if (!search.read_slot) return CJACK_GUARD_FAILED;
    load_unwinder();
    const bool done = redirect(&search, search.read_slot, (const void *)guarded_read) &&
                      redirect(&search, search.accept_slot, (const void *)guarded_accept);
    return done ? CJACK_GUARD_IN_PLACE : CJACK_GUARD_FAILED;
}
