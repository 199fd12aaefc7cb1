// The audio processing module of WebRTC: webrtc::AudioProcessing::Create(const webrtc::Config &).
#include <dlfcn.h>

#include "include/cloading.h"

void *cloading_webrtc_extended_filter;
void *cloading_webrtc_experimental_agc;

static void note_options(void *handle) {
    cloading_webrtc_extended_filter =
        dlsym(handle, "_ZZN6webrtc6Config10identifierINS_14ExtendedFilterEEEPvvE14id_placeholder");
    cloading_webrtc_experimental_agc =
        dlsym(handle, "_ZZN6webrtc6Config10identifierINS_15ExperimentalAgcEEEPvvE14id_placeholder");
}

#define PREPARE note_options
#define LIBRARY libwebrtc
#define FILE_NAME "libwebrtc_audio_processing.so.1"
#define FUNCTIONS(F) \
    F(_ZN6webrtc15AudioProcessing6CreateERKNS_6ConfigE)

#include "forward.h"
