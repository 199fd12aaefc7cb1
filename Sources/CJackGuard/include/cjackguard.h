// Keeps libjack's notification thread alive while it holds something that the process needs (jack2 issue 395).
#pragma once

/// What became of the guard.
typedef enum {
    /// Each of libjack's calls that matters goes through it.
    CJACK_GUARD_IN_PLACE,
    /// This libjack cancels no thread, or accepts no connection: there is nothing to guard.
    CJACK_GUARD_NOT_NEEDED,
    /// libjack's calls could not be found or redirected.
    CJACK_GUARD_FAILED,
} cjack_guard_state;

/// Puts the guard in place. To be called once, before the process opens its first client, which may be at any time.
/// Thread: any but audio.
cjack_guard_state cjack_guard_install(void);
