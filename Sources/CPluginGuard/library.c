// Redirects what a plug-in's libraries call: the slots of their global offset tables, bound already or not yet.
#define _GNU_SOURCE
#include "cslots.h"
#include "internal.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

enum { MOST_LIBRARIES = 1024 };
/// Those beyond the most share the last one.
static cplugin_library libraries[MOST_LIBRARIES];
static atomic_uint count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void cplugin_count(cplugin_kind kind, const void *site) {
    // A call at the end of a function is a jump: then the address is that of the host.
    cplugin_library *library = cplugin_called();
    const unsigned known = atomic_load(&count);
    for (unsigned place = 0; !library && place < known; place++) {
        if ((uintptr_t)site - libraries[place].start < libraries[place].end - libraries[place].start)
            library = &libraries[place];
    }
    if (!library && known > 0) library = &libraries[known - 1];
    if (library) atomic_fetch_add(&library->counts[kind], 1);
}

/// What is looked for.
typedef struct {
    const struct link_map *own;
    const char *bundle;
    /// Null where it is none of its own, but one that another has loaded.
    cplugin_library *library;
    /// What `std::cout` becomes; null where no library of C++ is loaded.
    const void *errors;
} search;

static void redirect(const cslot *slot, void *context) {
    const search *search = context;
    // A function of the plug-in's own may have the same name.
    if (slot->is_own) return;
    const void *function = cplugin_replaced(slot->name);
    if (strcmp(slot->name, "_ZSt4cout") == 0) function = search->errors;
    if (function && *slot->place != function) cslot_redirect(slot, function);
}

static int redirect_object(struct dl_phdr_info *object, size_t size, void *context) {
    (void)size;
    search *search = context;
    const size_t length = strlen(search->bundle);
    const bool is_own = object->dlpi_addr == search->own->l_addr;
    if (!is_own && (length == 0 || strncmp(object->dlpi_name, search->bundle, length) != 0)) return 0;
    for (int i = 0; i < object->dlpi_phnum && is_own && search->library; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        if (part->p_type != PT_LOAD) continue;
        const uintptr_t start = object->dlpi_addr + part->p_vaddr;
        if (!search->library->end) search->library->start = start;
        search->library->end = start + part->p_memsz;
    }
    cslots_visit(object, redirect, search);
    return 0;
}

/// The one of a known library; null where it is not known.
static cplugin_library *find(const struct link_map *own, unsigned known) {
    for (unsigned place = 0; place < known; place++) {
        cplugin_library *library = &libraries[place];
        if ((uintptr_t)own->l_ld - library->start < library->end - library->start) return library;
    }
    return NULL;
}

cplugin_library *cplugin_library_guard(void *loaded, const char *bundle) {
    struct link_map *own = NULL;
    if (dlinfo(loaded, RTLD_DI_LINKMAP, &own) != 0) own = NULL;
    // Before our lock, and not while the libraries are gone through: the loader has a lock that it takes for a look-up. A thread that
    // loads a library has that one, and may want ours.
    const void *errors = dlsym(loaded, "_ZSt4cerr");
    // Of C++'s library, where there is one: std::set_terminate.
    cplugin_catch((cplugin_set_terminate *)dlsym(loaded, "_ZSt13set_terminatePFvvE"));
    pthread_mutex_lock(&lock);
    const unsigned known = atomic_load(&count);
    cplugin_library *library = own ? find(own, known) : NULL;
    if (!library) {
        const bool has_room = known < MOST_LIBRARIES;
        library = &libraries[has_room ? known : MOST_LIBRARIES - 1];
        search search = {own, bundle, library, errors};
        if (own) dl_iterate_phdr(redirect_object, &search);
        if (has_room) {
            library->bundle = strdup(bundle);
            atomic_store(&count, known + 1);
        }
    }
    pthread_mutex_unlock(&lock);
    return library;
}

void cplugin_library_loaded(void *loaded) {
    struct link_map *own = NULL;
    if (loaded == RTLD_DEFAULT || loaded == RTLD_NEXT || dlinfo(loaded, RTLD_DI_LINKMAP, &own) != 0) return;
    const unsigned known = atomic_load(&count);
    if (find(own, known)) return;
    bool is_of_bundle = false;
    for (unsigned place = 0; place < known && !is_of_bundle; place++) {
        const char *bundle = libraries[place].bundle;
        is_of_bundle = bundle && *bundle && strncmp(own->l_name, bundle, strlen(bundle)) == 0;
    }
    if (!is_of_bundle) return;
    search search = {own, "", NULL, dlsym(loaded, "_ZSt4cerr")};
    pthread_mutex_lock(&lock);
    dl_iterate_phdr(redirect_object, &search);
    pthread_mutex_unlock(&lock);
}
