#define _GNU_SOURCE
#include "text_pages.h"

#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#endif

static int touch(struct dl_phdr_info *library, size_t size, void *state) {
    (void)size;
    (void)state;
    enum { PAGE = 4096 };
    for (int index = 0; index < library->dlpi_phnum; index++) {
        const ElfW(Phdr) *part = &library->dlpi_phdr[index];
        if (part->p_type != PT_LOAD || part->p_flags & PF_W) continue;
        const uintptr_t start = (library->dlpi_addr + part->p_vaddr) & ~(uintptr_t)(PAGE - 1);
        const uintptr_t end = library->dlpi_addr + part->p_vaddr + part->p_memsz;
        // Where the kernel is older they are faulted in by and by, which is a warning too many.
        madvise((void *)start, end - start, MADV_POPULATE_READ);
    }
    return 0;
}

void text_pages_touch(void) { dl_iterate_phdr(touch, NULL); }
