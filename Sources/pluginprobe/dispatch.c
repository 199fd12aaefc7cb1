#define _GNU_SOURCE
#include "dispatch.h"
#include "findings.h"
#include "handlers.h"
#include "region.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <linux/futex.h>

static long pass(long number, const greg_t *registers) {
    register long result __asm__("rax") = number;
    register long a __asm__("rdi") = registers[REG_RDI];
    register long b __asm__("rsi") = registers[REG_RSI];
    register long c __asm__("rdx") = registers[REG_RDX];
    register long d __asm__("r10") = registers[REG_R10];
    register long e __asm__("r8") = registers[REG_R8];
    register long f __asm__("r9") = registers[REG_R9];
    __asm__ volatile("syscall" : "+r"(result) : "r"(a), "r"(b), "r"(c), "r"(d), "r"(e), "r"(f) : "rcx", "r11", "memory");
    return result;
}

struct call {
    long number;
    const char *name, *kind;
};

static const struct call calls[] = {
    {SYS_read, "read", "file"}, {SYS_write, "write", "file"}, {SYS_writev, "writev", "file"},
    {SYS_open, "open", "file"}, {SYS_openat, "openat", "file"}, {SYS_close, "close", "file"},
    {SYS_stat, "stat", "file"}, {SYS_fstat, "fstat", "file"}, {SYS_newfstatat, "newfstatat", "file"},
    {SYS_lseek, "lseek", "file"}, {SYS_ioctl, "ioctl", "systemCall"}, {SYS_fcntl, "fcntl", "systemCall"},
    {SYS_mmap, "mmap", "systemCall"}, {SYS_munmap, "munmap", "systemCall"}, {SYS_brk, "brk", "systemCall"},
    {SYS_mprotect, "mprotect", "systemCall"}, {SYS_madvise, "madvise", "systemCall"},
    {SYS_poll, "poll", "wait"}, {SYS_select, "select", "wait"}, {SYS_epoll_wait, "epoll_wait", "wait"},
    {SYS_nanosleep, "nanosleep", "wait"}, {SYS_clock_nanosleep, "clock_nanosleep", "wait"},
    {SYS_sched_yield, "sched_yield", "wait"}, {SYS_getrandom, "getrandom", "systemCall"},
    {SYS_rt_sigprocmask, "rt_sigprocmask", "systemCall"}, {SYS_clone, "clone", "thread"},
    {SYS_clone3, "clone3", "thread"}, {SYS_fork, "fork", "process"}, {SYS_vfork, "vfork", "process"},
    {SYS_execve, "execve", "process"}, {SYS_execveat, "execveat", "process"}, {SYS_exit, "exit", "exit"},
    {SYS_exit_group, "exit_group", "exit"}, {SYS_sendto, "sendto", "systemCall"}, {SYS_recvfrom, "recvfrom", "systemCall"},
};

/// Wake-ups, as of a worker, and clock reads: bounded.
static bool is_harmless(long number, const greg_t *registers) {
    if (number == SYS_clock_gettime || number == SYS_gettimeofday || number == SYS_time || number == SYS_getcpu) return true;
    if (number != SYS_futex) return false;
    switch ((int)registers[REG_RSI] & FUTEX_CMD_MASK) {
    case FUTEX_WAIT: case FUTEX_WAIT_BITSET: case FUTEX_LOCK_PI: case FUTEX_WAIT_REQUEUE_PI: return false;
    default: return true;
    }
}

static void note(long number, void *context) {
    if (number == SYS_futex) {
        record_signal("wait", "futex", context, 0);
        return;
    }
    for (size_t index = 0; index < sizeof calls / sizeof *calls; index++) {
        if (calls[index].number != number) continue;
        record_signal(calls[index].kind, calls[index].name, context, 0);
        return;
    }
    finding_explain(record_signal("systemCall", "system call", context, (double)number), "system call %ld", number);
}

static void dispatched(int signal_number, siginfo_t *info, void *context) {
    (void)signal_number;
    (void)info;
    const bool was_inside = region_pause();
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    const long number = registers[REG_RAX];
    if (number != SYS_rt_sigreturn && !is_harmless(number, registers)) note(number, context);
    const bool is_exit = number == SYS_exit || number == SYS_exit_group;
    // Behind these there may be nobody who tells: another program has this one's place.
    if (is_exit || number == SYS_execve || number == SYS_execveat) findings_tell();
    switch (number) {
    case SYS_rt_sigreturn: case SYS_clone: case SYS_clone3: case SYS_fork: case SYS_vfork: case SYS_exit:
    case SYS_exit_group:
        // These depend on the stack that they are called on: they are made again, there, and are let pass until the block ends.
        registers[REG_RIP] -= 2;
        region.is_inside = was_inside;
        return;
    default:
        registers[REG_RAX] = pass(number, registers);
        region_resume(was_inside);
    }
}

bool dispatch_begin(void) {
    enum { SET_DISPATCH = 59, ON = 1 };
    unsigned long start, size;
    handlers_return_range(&start, &size);
    if (!handlers_install(SIGSYS, dispatched)) return false;
    region.is_dispatched = prctl(SET_DISPATCH, ON, start, size, &region.selector) == 0;
    return region.is_dispatched;
}
#else
bool dispatch_begin(void) { return false; }
#endif
