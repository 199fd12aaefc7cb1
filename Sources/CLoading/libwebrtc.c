// The audio processing module of WebRTC: webrtc::AudioProcessing::Create(const webrtc::Config &).
#define LIBRARY libwebrtc
#define FILE_NAME "libwebrtc_audio_processing.so.1"
#define FUNCTIONS(F) \
    F(_ZN6webrtc15AudioProcessing6CreateERKNS_6ConfigE)

#include "forward.h"
