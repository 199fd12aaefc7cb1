#define _GNU_SOURCE
#include "buffers.h"
#include "findings.h"

#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, BODY = MOST_FRAMES * sizeof(float), GUARD = 4 * PAGE, WHOLE = GUARD + BODY + GUARD };
_Static_assert(BODY % PAGE == 0, "the samples end at a page");
enum { MOST = 1024, ALIGNED_FRAMES = 16 };

static struct buffer *all[MOST];
static int count;
static struct buffer *opened[MOST];
static int opened_count;

/// Finite, so that it cannot be taken for a fault of the plug-in's own, and nothing that comes of sound.
static const uint32_t poison = 0x4640e6b7;

bool buffer_make(struct buffer *buffer, const char *symbol, bool is_input) {
    if (count == MOST) return false;
    char *memory = mmap(NULL, WHOLE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory + GUARD, BODY, PROT_READ | PROT_WRITE) != 0) return false;
    memset(memory + GUARD, 0, BODY);
    *buffer = (struct buffer){.memory = memory, .symbol = symbol, .is_input = is_input};
    all[count++] = buffer;
    buffer_place(buffer, MOST_FRAMES, 0);
    return true;
}

static float *body(const struct buffer *buffer) { return (float *)(buffer->memory + GUARD); }

void buffer_place(struct buffer *buffer, uint32_t frames, float tail) {
    buffer->frames = frames;
    buffer->samples = body(buffer);
    if (frames % ALIGNED_FRAMES == 0) buffer->samples += MOST_FRAMES - frames;
    for (float *end = body(buffer) + MOST_FRAMES, *at = buffer->samples + frames; at < end; at++) *at = tail;
}

void buffer_poison(struct buffer *buffer) {
    for (uint32_t frame = 0; frame < buffer->frames; frame++) memcpy(&buffer->samples[frame], &poison, sizeof poison);
}

uint32_t buffer_unwritten(const struct buffer *buffer) {
    uint32_t result = 0;
    for (uint32_t frame = 0; frame < buffer->frames; frame++) {
        result += memcmp(&buffer->samples[frame], &poison, sizeof poison) == 0;
    }
    return result;
}

bool buffer_is_overrun(const struct buffer *buffer, float tail) {
    for (const float *end = body(buffer) + MOST_FRAMES, *at = buffer->samples + buffer->frames; at < end; at++) {
        if (memcmp(at, &tail, sizeof tail) != 0) return true;
    }
    return false;
}

bool buffers_open_guard(void *address, bool is_write, void *context) {
    for (int index = 0; index < count; index++) {
        struct buffer *it = all[index];
        const char *at = address;
        if (at < it->memory || at >= it->memory + WHOLE) continue;
        const char *end = (const char *)(it->samples + it->frames);
        const bool is_behind = at >= end;
        const double samples = is_behind ? (double)(at - end) / sizeof(float) : (double)((char *)it->samples - at) / sizeof(float);
        struct finding *found = record_signal(is_write ? "overrun" : "overread", it->symbol, context, samples);
        finding_explain(found, "%s %s %s of %u frames", is_write ? "writes" : "reads", is_behind ? "behind" : "before",
                        it->is_input ? "an input" : "an output", it->frames);
        mprotect(it->memory, WHOLE, PROT_READ | PROT_WRITE);
        if (opened_count < (int)(sizeof opened / sizeof *opened)) opened[opened_count++] = it;
        return true;
    }
    return false;
}

void buffers_close_guards(void) {
    while (opened_count > 0) {
        char *memory = opened[--opened_count]->memory;
        mprotect(memory, GUARD, PROT_NONE);
        mprotect(memory + GUARD + BODY, GUARD, PROT_NONE);
    }
}
