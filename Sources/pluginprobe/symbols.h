// Which function of which library an instruction is in.
#pragma once

#include <stdbool.h>

struct place {
    const char *library;
    unsigned long library_offset;
    char function[400];
    unsigned long function_offset;
};

/// Leaves C++ names as they are: reading them allocates, which a signal handler must not.
extern bool symbols_are_raw;

/// False for what is ours, and for what is no code.
bool symbols_place(const void *instruction, struct place *place);
