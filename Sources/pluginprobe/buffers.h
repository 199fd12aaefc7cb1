// The plug-in's buffers of samples, each between pages that nobody may touch.
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { MOST_FRAMES = 1024 };

struct buffer {
    /// What is mapped: guard, samples, guard.
    char *memory;
    /// Where the block of the present length begins.
    float *samples;
    const char *symbol;
    bool is_input;
    uint32_t frames;
};

/// False where memory is short.
bool buffer_make(struct buffer *buffer, const char *symbol, bool is_input);

/// Lays a block out: where its length allows vectors to be aligned it ends at the guard page, else what follows it is `tail`.
void buffer_place(struct buffer *buffer, uint32_t frames, float tail);

/// Fills an output with what no plug-in computes.
void buffer_poison(struct buffer *buffer);
uint32_t buffer_unwritten(const struct buffer *buffer);
/// Whether what follows a block was written to.
bool buffer_is_overrun(const struct buffer *buffer, float tail);

/// In the handler: notes an access to a guard page and lets it pass. False where it is none of ours.
bool buffers_open_guard(void *address, bool is_write, void *context);
/// Closes the guard pages that were opened.
void buffers_close_guards(void);
