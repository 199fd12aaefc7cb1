#define _GNU_SOURCE
#include "handlers.h"
#include "block.h"
#include "buffers.h"
#include "clocks.h"
#include "findings.h"
#include "region.h"
#include "report.h"
#include "symbols.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

static unsigned long long installed;

#if defined(__x86_64__)
// These very bytes are how an unwinder knows a signal's frame. It looks at the byte before them, which must be no function's: where
// the last one ended just here, it took the frame for one of that function, and crashed.
__asm__(".text\n"
        ".balign 16\n"
        "nop\n"
        "pluginprobe_return:\n"
        "mov $15, %rax\n"
        "syscall\n"
        "pluginprobe_return_end:\n");
extern const char pluginprobe_return[], pluginprobe_return_end[];

/// As the kernel has it.
struct kernel_action {
    handler *body;
    unsigned long flags;
    const void *way_back;
    unsigned long mask;
};

bool handlers_install(int number, handler *body) {
    enum { RESTORER = 0x04000000 };
    const struct kernel_action action = {
        .body = body,
        .flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | RESTORER,
        .way_back = pluginprobe_return,
        .mask = 0,
    };
    if (syscall(SYS_rt_sigaction, number, &action, NULL, sizeof action.mask) != 0) return false;
    installed |= 1ull << number;
    return true;
}

void handlers_return_range(unsigned long *start, unsigned long *size) {
    *start = (unsigned long)pluginprobe_return;
    *size = (unsigned long)(pluginprobe_return_end - pluginprobe_return) + 1;
}
#else
bool handlers_install(int number, handler *body) {
    struct sigaction action = {.sa_sigaction = body, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    sigemptyset(&action.sa_mask);
    if (sigaction(number, &action, NULL) != 0) return false;
    installed |= 1ull << number;
    return true;
}

void handlers_return_range(unsigned long *start, unsigned long *size) { *start = *size = 0; }
#endif

bool handlers_are_ours(int number) { return number > 0 && number < 64 && installed >> number & 1; }

bool handlers_stack(void) {
    enum { SIZE = 256 << 10 };
    void *memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (memory == MAP_FAILED) return false;
    const stack_t stack = {.ss_sp = memory, .ss_size = SIZE};
    return sigaltstack(&stack, NULL) == 0;
}

static volatile double block_since;
static pid_t audio_thread;

void handlers_block(double since) { block_since = since; }

static const char *name_of(int number) {
    switch (number) {
    case SIGSEGV: return "SIGSEGV";
    case SIGBUS: return "SIGBUS";
    case SIGFPE: return "SIGFPE";
    case SIGILL: return "SIGILL";
    case SIGABRT: return "SIGABRT";
    case SIGTRAP: return "SIGTRAP";
    default: return "a signal";
    }
}

#if defined(__aarch64__)
/// Whether an instruction that accesses memory stores: the processor's syndrome says so too, but not under every emulator. Those of
/// SVE are not told apart, and count as reads.
static bool stores(uint32_t word) {
    // DC ZVA, by which memset clears.
    if ((word & 0xffffffe0) == 0xd50b7420) return true;
    const bool is_pair = (word & 0x3a000000) == 0x28000000, is_exclusive = (word & 0x3f000000) == 0x08000000;
    const bool is_structure = (word & 0xbe000000) == 0x0c000000;
    if (is_pair || is_exclusive || is_structure) return !(word >> 22 & 1);
    if ((word & 0x3a000000) != 0x38000000) return false;
    // A register: 0 stores it, and 2 one of 128 bits.
    const uint32_t size = word >> 30, is_vector = word >> 26 & 1, what = word >> 22 & 3;
    return what == 0 || (what == 2 && is_vector && size == 0);
}
#endif

/// Whether a fault at an address is one of writing.
static bool writes(const void *address, const void *context) {
#if defined(__x86_64__)
    (void)address;
    return ((const ucontext_t *)context)->uc_mcontext.gregs[REG_ERR] & 2;
#elif defined(__aarch64__)
    const void *instruction = (const void *)((const ucontext_t *)context)->uc_mcontext.pc;
    // After a jump to no memory there is no instruction to read.
    if (instruction == address) return false;
    uint32_t word;
    memcpy(&word, instruction, sizeof word);
    return stores(word);
#else
    (void)address;
    (void)context;
    return false;
#endif
}

/// Whether it ended because nothing has caught what was thrown: then the function that throws has ended the program.
static bool is_thrown(const struct finding *found) {
    for (int index = 0; found && index < found->depth; index++) {
        struct place place;
        if (!symbols_place(found->frames[index], &place)) continue;
        if (strcmp(place.function, "__cxa_throw") == 0 || strcmp(place.function, "__cxa_rethrow") == 0) return true;
    }
    return false;
}

static void crashed(int number, siginfo_t *info, void *context) {
    const bool was_inside = region_pause();
    if (number == SIGSEGV && buffers_open_guard(info->si_addr, writes(info->si_addr, context), context)) {
        region_resume(was_inside);
        return;
    }
    static volatile int crashes;
    const int before = crashes++;
    if (before > 1) syscall(SYS_exit_group, 70);
    symbols_are_raw = true;
    // A stack in ruins makes its unwinder crash as well: then the finding is told as far as it came.
    struct finding *found = before == 0 ? record_signal("crash", name_of(number), context, was_inside) : NULL;
    const char *how = "", *where = block_setting;
    if (is_thrown(found)) {
        const bool is_in_run = region.is_audio && block_since > 0;
        how = is_in_run ? "throws an exception out of run()" : "throws an exception that it does not catch";
    }
    // Of another thread there is nothing but the place.
    if (!region.is_audio) where = "in a thread of its own";
    finding_explain(found, "%s%s%s", how, *how && *where ? ", " : "", where);
    findings_tell();
    report_line("ended", "by", "crash", NULL);
    syscall(SYS_exit_group, 0);
}

/// Whether the time is over. Its address is what our timer's signal brings.
static volatile bool is_over;

/// The deadline: what the audio thread is at is found by a signal to it.
static void late(int number, siginfo_t *info, void *context) {
    // A plug-in may set the alarm or a timer for itself: that is not ours.
    if (info->si_code == SI_TIMER && info->si_value.sival_ptr == (void *)&is_over) is_over = true;
    if (!is_over) return;
    if (!region.is_audio) {
        // By no function of the C library: this program has those itself, and looks the next one up.
        syscall(SYS_tgkill, getpid(), audio_thread, number);
        return;
    }
    region_pause();
    symbols_are_raw = true;
    const double running = block_since > 0 ? clocks_now() - block_since : 0;
    // Less than that is a long run on a busy machine, and nothing that one block must answer for.
    enum { HANGS_SECONDS = 1 };
    if (running >= HANGS_SECONDS) record_signal("hang", "run", context, running);
    findings_tell();
    report_line("ended", "by", running >= HANGS_SECONDS ? "hang" : "deadline", NULL);
    syscall(SYS_exit_group, 0);
}

bool handlers_install_all(unsigned seconds) {
    audio_thread = (pid_t)syscall(SYS_gettid);
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};
    for (size_t index = 0; index < sizeof numbers / sizeof *numbers; index++) {
        if (!handlers_install(numbers[index], crashed)) return false;
    }
    if (!handlers_install(SIGALRM, late)) return false;
    // Not by alarm, of which a process has one: a plug-in that sets it would end the watch.
    struct sigevent event = {
        .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM, .sigev_value.sival_ptr = (void *)&is_over};
    const struct itimerspec time = {.it_value.tv_sec = seconds};
    timer_t timer;
    return timer_create(CLOCK_MONOTONIC, &event, &timer) == 0 && timer_settime(timer, 0, &time, NULL) == 0;
}
