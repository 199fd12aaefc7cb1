#define _GNU_SOURCE
#include "findings.h"
#include "report.h"

#include <execinfo.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

enum { MOST = 256 };

const char findings_first_block[] = "first block";

static struct finding findings[MOST];
static int count, told;
static unsigned long further, block, different;
static const char *phase = "start";

void findings_prepare(void) {
    // Loads the unwinder.
    void *frames[4];
    backtrace(frames, 4);
    memset(findings, 0, sizeof findings);
}

void findings_begin(const char *next) {
    findings_tell();
    phase = next;
    report_line("phase", "phase", next, NULL);
}

const char *findings_phase(void) { return phase; }

void findings_next_block(void) { block++; }

unsigned long findings_new(void) { return different; }

static struct finding *place(const char *kind, const char *subject, const void *site, bool *is_new) {
    // Those that were told are of another phase.
    for (int index = told; index < count; index++) {
        struct finding *it = &findings[index];
        if (it->site == site && it->kind == kind && strcmp(it->subject, subject) == 0) return it;
    }
    if (count == MOST) {
        further++;
        return NULL;
    }
    *is_new = true;
    different++;
    struct finding *it = &findings[count++];
    memset(it, 0, sizeof *it);
    it->kind = kind;
    it->subject = subject;
    it->site = site;
    it->phase = phase;
    return it;
}

static struct finding *counted(struct finding *it, double amount) {
    if (!it) return NULL;
    it->count++;
    if (it->last_block != block || it->blocks == 0) it->blocks++;
    it->last_block = block;
    if (amount > it->amount) it->amount = amount;
    return it;
}

struct finding *record(const char *kind, const char *subject, const void *site, double amount) {
    bool is_new = false;
    struct finding *it = place(kind, subject, site, &is_new);
    if (is_new && site) it->depth = backtrace(it->frames, FRAMES);
    return counted(it, amount);
}

static void *instruction(const void *context) {
    const ucontext_t *state = context;
#if defined(__x86_64__)
    return (void *)state->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return (void *)state->uc_mcontext.pc;
#else
    (void)state;
    return NULL;
#endif
}

struct finding *record_signal(const char *kind, const char *subject, void *context, double amount) {
    bool is_new = false;
    void *site = instruction(context);
    struct finding *it = place(kind, subject, site, &is_new);
    counted(it, amount);
    if (!is_new) return it;
    // First the instruction alone: where the stack is in ruins, its unwinder crashes.
    it->frames[0] = site;
    it->depth = 1;
    void *frames[FRAMES];
    const int depth = backtrace(frames, FRAMES);
    int above = 0;
    while (above < depth && frames[above] != site) above++;
    if (above == depth) return it;
    // What is above the signal's own frames.
    it->depth = depth - above;
    memcpy(it->frames, frames + above, (size_t)it->depth * sizeof *frames);
    return it;
}

void finding_explain(struct finding *it, const char *format, ...) {
    if (!it || *it->text) return;
    va_list list;
    va_start(list, format);
    vsnprintf(it->text, sizeof it->text, format, list);
    va_end(list);
}

void findings_tell(void) {
    while (told < count) report_finding(&findings[told++]);
    // The room is used again: what was told is of a phase that is over.
    count = told = 0;
    if (further) report_further(further);
    further = 0;
}
