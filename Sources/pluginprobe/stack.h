// The audio thread's stack, painted, so that one sees how far it was used.
#pragma once

#include <stdbool.h>
#include <stddef.h>

/// Starts a thread on such a stack, and waits for its end.
bool stack_run(void *(*body)(void *), void *state);
/// Paints what is free of it. Thread: the one that `stack_run` started.
void stack_paint(void);
/// Paints it once more within a phase, behind what no audio thread does, and keeps the depth that was measured before that.
void stack_paint_again(size_t depth);
/// How many bytes below the place of `stack_paint` have been used since.
size_t stack_depth(void);
