#define _GNU_SOURCE
#include "stack.h"

#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>

enum { SIZE = 8 << 20, GUARD = 64 << 10, MARGIN = 512, PAINTED = 1 << 20 };
static const uint64_t paint = 0xa5c35a3ca5c35a3cull;
static char *lowest;
/// What is painted of the stack: its upper part alone, for the time that it takes. Deeper use is told as that much.
static uint64_t *painted_from, *painted_to;
/// What was measured before it was painted once more.
static size_t kept;

bool stack_run(void *(*body)(void *), void *state) {
    char *memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory, GUARD, PROT_NONE) != 0) return false;
    lowest = memory + GUARD;
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setstack(&attributes, lowest, SIZE - GUARD);
    if (pthread_create(&thread, &attributes, body, state) != 0) return false;
    return pthread_join(thread, NULL) == 0;
}

__attribute__((noinline)) void stack_paint(void) {
    kept = 0;
    char *here = __builtin_frame_address(0);
    painted_to = (uint64_t *)((uintptr_t)(here - MARGIN) & ~(uintptr_t)7);
    painted_from = painted_to - PAINTED / sizeof *painted_to;
    for (volatile uint64_t *at = painted_from; at < painted_to; at++) *at = paint;
}

void stack_paint_again(size_t depth) {
    stack_paint();
    kept = depth;
}

size_t stack_depth(void) {
    const uint64_t *at = painted_from;
    while (at < painted_to && *at == paint) at++;
    const size_t depth = (size_t)((const char *)painted_to - (const char *)at);
    return depth > kept ? depth : kept;
}
