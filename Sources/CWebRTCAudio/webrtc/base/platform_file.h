// The library's headers name one another by this path, which only a flag of pkg-config would find.
#pragma once
#include <webrtc_audio_processing/webrtc/base/platform_file.h>
