// One block: what the plug-in is given, and what is looked at before and behind it.
#pragma once

#include "subject.h"

enum input { INPUT_SILENCE, INPUT_NOISE };

struct block {
    uint32_t frames;
    enum input input;
    /// MIDI messages of three bytes each, at the block's first frame.
    const uint8_t (*messages)[3];
    int message_count;
    /// What follows the samples where they do not end at a guard page.
    float tail;
};

/// What the blocks since `block_begin` have come to.
struct block_sums {
    unsigned long denormal_blocks, nonfinite_blocks, fresh_blocks;
};

extern struct block_sums block_sums;
/// Whether memory is locked: a page fault is then the plug-in's failure, and not the host's.
extern bool block_memory_is_locked;
/// What the controls are at, for what is found now.
extern char block_setting[80];

void block_begin(void);
void block_run(struct subject *subject, const struct block *block);
