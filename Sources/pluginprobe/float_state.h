// The floating-point state of this thread: its sticky flags and its modes.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#if defined(__x86_64__)
#include <xmmintrin.h>
enum { FLOAT_FLAGS = 0x3f, FLOAT_DENORMAL = 0x02 };
static inline uint32_t float_state(void) { return _mm_getcsr(); }
static inline void float_set(uint32_t state) { _mm_setcsr(state); }
static inline bool float_has_denormals(uint32_t state) { return state & FLOAT_DENORMAL; }
#elif defined(__aarch64__)
// The flags are in a register of their own; here both are one number. That of a denormal operand is raised only where such operands
// are taken for 0, so that of a result that became denormal counts too.
enum { FLOAT_FLAGS = 0xff, FLOAT_DENORMAL = 0x88 };
static inline uint32_t float_state(void) {
    uint64_t status, control;
    __asm__ volatile("mrs %0, fpsr\n mrs %1, fpcr" : "=r"(status), "=r"(control));
    return (uint32_t)(status & FLOAT_FLAGS) | (uint32_t)(control & ~0xffull);
}
static inline void float_set(uint32_t state) {
    const uint64_t status = state & FLOAT_FLAGS, control = state & ~0xffu;
    __asm__ volatile("msr fpsr, %0\n msr fpcr, %1" : : "r"(status), "r"(control));
}
static inline bool float_has_denormals(uint32_t state) { return state & FLOAT_DENORMAL; }
#else
enum { FLOAT_FLAGS = 0 };
static inline uint32_t float_state(void) { return 0; }
static inline void float_set(uint32_t state) { (void)state; }
static inline bool float_has_denormals(uint32_t state) { (void)state; return false; }
#endif
