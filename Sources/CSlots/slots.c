#define _GNU_SOURCE
#include "cslots.h"

#include <elf.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__x86_64__)
#define IS_SLOT(type) ((type) == R_X86_64_JUMP_SLOT || (type) == R_X86_64_GLOB_DAT)
#elif defined(__aarch64__)
#define IS_SLOT(type) ((type) == R_AARCH64_JUMP_SLOT || (type) == R_AARCH64_GLOB_DAT)
#else
#define IS_SLOT(type) 0
#endif

/// What the dynamic section leads to.
typedef struct {
    // Slots that are bound at the first call, and the others: of what was built with -fno-plt, and of variables.
    const ElfW(Rela) *jumps, *others;
    size_t jump_bytes, other_bytes;
    const ElfW(Sym) *symbols;
    const char *names;
} tables;

static tables tables_of(const struct dl_phdr_info *object, const ElfW(Dyn) * entry) {
    tables found = {0};
    for (; entry && entry->d_tag != DT_NULL; entry++) {
        // Absolute in glibc, relative in others.
        const ElfW(Addr) value = entry->d_un.d_ptr;
        const uintptr_t address = value >= object->dlpi_addr ? value : value + object->dlpi_addr;
        switch (entry->d_tag) {
            case DT_JMPREL: found.jumps = (const ElfW(Rela) *)address; break;
            case DT_PLTRELSZ: found.jump_bytes = entry->d_un.d_val; break;
            case DT_RELA: found.others = (const ElfW(Rela) *)address; break;
            case DT_RELASZ: found.other_bytes = entry->d_un.d_val; break;
            case DT_SYMTAB: found.symbols = (const ElfW(Sym) *)address; break;
            case DT_STRTAB: found.names = (const char *)address; break;
        }
    }
    return found;
}

bool cslots_visit(const struct dl_phdr_info *object, void (*visit)(const cslot *slot, void *context), void *context) {
    const ElfW(Dyn) *dynamic = NULL;
    cslot slot = {0};
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        const uintptr_t start = object->dlpi_addr + part->p_vaddr;
        if (part->p_type == PT_DYNAMIC) dynamic = (const ElfW(Dyn) *)start;
        if (part->p_type == PT_GNU_RELRO) {
            slot.protected_start = start;
            slot.protected_end = start + part->p_memsz;
        }
    }
    const tables tables = tables_of(object, dynamic);
    if (!tables.symbols || !tables.names) return false;
    const struct {
        const ElfW(Rela) *entry;
        size_t bytes;
    } parts[] = {{tables.jumps, tables.jump_bytes}, {tables.others, tables.other_bytes}};
    for (int i = 0; i < 2; i++) {
        const ElfW(Rela) *entry = parts[i].entry;
        for (size_t left = parts[i].bytes / sizeof *entry; entry && left > 0; left--, entry++) {
            if (!IS_SLOT(ELF64_R_TYPE(entry->r_info))) continue;
            const ElfW(Sym) *symbol = &tables.symbols[ELF64_R_SYM(entry->r_info)];
            slot.name = tables.names + symbol->st_name;
            slot.place = (const void **)(object->dlpi_addr + entry->r_offset);
            slot.is_own = symbol->st_shndx != SHN_UNDEF;
            visit(&slot, context);
        }
    }
    return true;
}

bool cslot_redirect(const cslot *slot, const void *function) {
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t start = (uintptr_t)slot->place & ~(page - 1);
    // The slot lies within one page: it is aligned.
    if (mprotect((void *)start, page, PROT_READ | PROT_WRITE) != 0) return false;
    __atomic_store_n(slot->place, function, __ATOMIC_RELEASE);
    // The loader protects whole pages only.
    const uintptr_t end = slot->protected_end & ~(page - 1);
    if (start >= (slot->protected_start & ~(page - 1)) && start < end) mprotect((void *)start, page, PROT_READ);
    return true;
}
