// Syscall User Dispatch: system calls that no function of the C library makes.
#pragma once

#include <stdbool.h>

/// Has the calling thread's system calls dispatched while it is inside the region. False where the kernel or the processor
/// cannot: raw calls are then not seen.
bool dispatch_begin(void);
