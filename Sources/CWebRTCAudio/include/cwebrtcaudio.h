// The edge to C++: the audio processing module of WebRTC, as Debian packages it (0.3), by plain functions.
//
// Each call that processes takes three locks of the library: never on the audio thread.
#pragma once

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cwebrtcaudio;

/// What the module is to do.
struct cwebrtcaudio_settings {
    /// 8000, 16000, 32000 or 48000 Hz.
    int sample_rate;
    /// 1 or more.
    int near_channels;
    /// 1 or more.
    int far_channels;
    /// 0, off, or how much of what the filter leaves is suppressed, 1 to 3: the more, the less is left of who speaks meanwhile.
    int echo_suppression;
    /// 0, off, to 4, the most.
    int noise_suppression;
    bool controls_gain;
    bool has_high_pass;
};

/// Makes a module, ready to process. NULL where the library refuses the settings or there is no memory.
struct cwebrtcaudio *cwebrtcaudio_make(const struct cwebrtcaudio_settings *settings);

void cwebrtcaudio_free(struct cwebrtcaudio *voice);

/// Forgets what was heard. It allocates.
void cwebrtcaudio_reset(struct cwebrtcaudio *voice);

/// Processes 10 ms. Samples lie channel behind channel, within -1...1.
///
/// near, clean: as many as the near end has. far: as many as the far end has.
/// Returns 0, or the library's number of an error; clean then holds what near holds.
int cwebrtcaudio_process(struct cwebrtcaudio *voice, const float *near, const float *far, float *clean);

/// Of the frames that were processed last, 0...1; below 0 where noise is not suppressed, and so nothing is known.
float cwebrtcaudio_speech_probability(struct cwebrtcaudio *voice);

#ifdef __cplusplus
}
#endif
