// Signal handlers: the plug-in's crash, its accesses to guard pages, its system calls, its time.
#pragma once

#include <signal.h>
#include <stdbool.h>

typedef void handler(int number, siginfo_t *info, void *context);

/// Installs a handler that may return into the region: its way back is a system call that is never dispatched.
bool handlers_install(int number, handler *body);
bool handlers_are_ours(int number);

/// The range that system calls are never dispatched in.
void handlers_return_range(unsigned long *start, unsigned long *size);

/// Gives the calling thread a stack for its handlers.
bool handlers_stack(void);
/// Crashes, accesses to guard pages, and SIGALRM for the deadline, which is so long after this.
bool handlers_install_all(unsigned seconds);
/// Since when the present block runs, in seconds of the monotonic clock; 0 between blocks.
void handlers_block(double since);
