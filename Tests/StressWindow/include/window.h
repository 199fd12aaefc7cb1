// Makes a moment in libjack's notification thread long enough to be hit.
#pragma once

#include <stdbool.h>

/// From now on each call of shm_open takes 5 ms. libjack's notification thread makes one when it is told of a new client,
/// and holds the lock that every open and close of the process needs.
void window_arm(void);
/// The calls take as long as ever.
void window_disarm(void);
/// Whether a call is under way, or was since `window_arm`.
bool window_was_entered(void);
