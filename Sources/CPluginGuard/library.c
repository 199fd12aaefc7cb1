// Redirects what a plug-in's libraries call: the slots of their global offset tables, bound already or not yet.
#define _GNU_SOURCE
#include "internal.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__x86_64__)
#define IS_SLOT(type) ((type) == R_X86_64_JUMP_SLOT || (type) == R_X86_64_GLOB_DAT)
#elif defined(__aarch64__)
#define IS_SLOT(type) ((type) == R_AARCH64_JUMP_SLOT || (type) == R_AARCH64_GLOB_DAT)
#else
#define IS_SLOT(type) 0
#endif

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
    void *loaded;
    const struct link_map *own;
    const char *bundle;
    cplugin_library *library;
} search;

typedef struct {
    uintptr_t start, end;
} range;

static void redirect(const void **slot, const void *function, range protected) {
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t start = (uintptr_t)slot & ~(page - 1);
    // The slot lies within one page: it is aligned.
    if (mprotect((void *)start, page, PROT_READ | PROT_WRITE) != 0) return;
    __atomic_store_n(slot, function, __ATOMIC_RELEASE);
    // The loader protects whole pages only.
    if (start >= (protected.start & ~(page - 1)) && start < (protected.end & ~(page - 1)))
        mprotect((void *)start, page, PROT_READ);
}

static void redirect_table(const search *search, const struct dl_phdr_info *object, const ElfW(Rela) * entry,
                           size_t bytes, const ElfW(Sym) * symbols, const char *names, range protected) {
    for (size_t left = bytes / sizeof *entry; entry && left > 0; left--, entry++) {
        if (!IS_SLOT(ELF64_R_TYPE(entry->r_info))) continue;
        const ElfW(Sym) *symbol = &symbols[ELF64_R_SYM(entry->r_info)];
        // A function of the plug-in's own may have the same name.
        if (symbol->st_shndx != SHN_UNDEF) continue;
        const char *name = names + symbol->st_name;
        const void *function = cplugin_replacement(name);
        if (strcmp(name, "_ZSt4cout") == 0) function = dlsym(search->loaded, "_ZSt4cerr");
        if (function) redirect((const void **)(object->dlpi_addr + entry->r_offset), function, protected);
    }
}

static int redirect_object(struct dl_phdr_info *object, size_t size, void *context) {
    (void)size;
    const search *search = context;
    const size_t length = strlen(search->bundle);
    const bool is_own = object->dlpi_addr == search->own->l_addr;
    if (!is_own && (length == 0 || strncmp(object->dlpi_name, search->bundle, length) != 0)) return 0;
    range protected = {0, 0};
    const ElfW(Dyn) *dynamic = NULL;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        const uintptr_t start = object->dlpi_addr + part->p_vaddr, end = start + part->p_memsz;
        if (part->p_type == PT_DYNAMIC) dynamic = (const ElfW(Dyn) *)start;
        if (part->p_type == PT_GNU_RELRO) protected = (range){start, end};
        if (part->p_type == PT_LOAD && is_own) {
            if (!search->library->end) search->library->start = start;
            search->library->end = end;
        }
    }
    const ElfW(Rela) *jumps = NULL, *others = NULL;
    size_t jump_bytes = 0, other_bytes = 0;
    const ElfW(Sym) *symbols = NULL;
    const char *names = NULL;
    for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++) {
        // Absolute in glibc, relative in others.
        const ElfW(Addr) value = dynamic->d_un.d_ptr;
        const uintptr_t address = value >= object->dlpi_addr ? value : value + object->dlpi_addr;
        switch (dynamic->d_tag) {
            case DT_JMPREL: jumps = (const ElfW(Rela) *)address; break;
            case DT_PLTRELSZ: jump_bytes = dynamic->d_un.d_val; break;
            case DT_RELA: others = (const ElfW(Rela) *)address; break;
            case DT_RELASZ: other_bytes = dynamic->d_un.d_val; break;
            case DT_SYMTAB: symbols = (const ElfW(Sym) *)address; break;
            case DT_STRTAB: names = (const char *)address; break;
        }
    }
    if (!symbols || !names) return 0;
    redirect_table(search, object, jumps, jump_bytes, symbols, names, protected);
    redirect_table(search, object, others, other_bytes, symbols, names, protected);
    return 0;
}

cplugin_library *cplugin_library_guard(void *loaded, const char *bundle) {
    struct link_map *own = NULL;
    pthread_mutex_lock(&lock);
    cplugin_library *library = NULL;
    const unsigned known = atomic_load(&count);
    if (dlinfo(loaded, RTLD_DI_LINKMAP, &own) == 0) {
        for (unsigned place = 0; place < known && !library; place++) {
            if ((uintptr_t)own->l_ld - libraries[place].start < libraries[place].end - libraries[place].start)
                library = &libraries[place];
        }
    }
    if (!library) {
        const bool has_room = known < MOST_LIBRARIES;
        library = &libraries[has_room ? known : MOST_LIBRARIES - 1];
        search search = {loaded, own, bundle, library};
        if (own) dl_iterate_phdr(redirect_object, &search);
        if (has_room) atomic_store(&count, known + 1);
    }
    pthread_mutex_unlock(&lock);
    return library;
}
