// What the plug-in was seen to do, counted by what, where and in which phase.
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { FRAMES = 14 };

struct finding {
    /// As in the report: allocation, lock, wait, …
    const char *kind;
    /// The function that was called, or what was touched.
    const char *subject;
    /// The instruction that follows the call, or NULL.
    const void *site;
    const char *phase;
    unsigned long count;
    unsigned long blocks;
    unsigned long last_block;
    /// How much, where the kind has a figure: bytes, periods, samples; the greatest.
    double amount;
    char text[120];
    void *frames[FRAMES];
    int depth;
};

/// Reserves what `record` needs, because it is called where nothing may be reserved.
void findings_prepare(void);

/// The phase that what follows is found in. Tells what the last one found.
void findings_begin(const char *phase);
const char *findings_phase(void);
/// The phase of the one block that a new instance begins with.
extern const char findings_first_block[];
/// A block begins: findings are counted by blocks too.
void findings_next_block(void);
/// How many different ones have been recorded so far.
unsigned long findings_new(void);

/// Counts a finding. Thread: audio, outside the region (`region_pause`). Waits for nothing.
struct finding *record(const char *kind, const char *subject, const void *site, double amount);
/// The same of the instruction at which a signal came.
struct finding *record_signal(const char *kind, const char *subject, void *context, double amount);

/// Says more about a finding, once: only what is said first stays. NULL, for one that found no room, is left aside.
__attribute__((format(printf, 2, 3))) void finding_explain(struct finding *it, const char *format, ...);

/// Tells what was found and not told yet. May be called in a signal handler.
void findings_tell(void);
