// The slots of a loaded object's global offset table, by which it calls the functions of others. Thread: any but audio.
#pragma once

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
    /// Of the function or variable.
    const char *name;
    const void **place;
    /// Whether the object has something of that name itself.
    bool is_own;
    /// What the loader has made read-only; `end` is 0 where there is nothing of that.
    uintptr_t protected_start, protected_end;
} cslot;

/// Visits all slots of an object of `dl_iterate_phdr`, those of functions that were not called yet as well.
///
/// Returns whether it has a table of symbols.
bool cslots_visit(const struct dl_phdr_info *object, void (*visit)(const cslot *slot, void *context), void *context);

/// Writes to a slot, which the loader may have made read-only, and leaves its page as it was. Returns whether it was possible.
bool cslot_redirect(const cslot *slot, const void *function);
