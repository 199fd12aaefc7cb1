#include "cwebrtcaudio.h"

#include <cstring>
#include <memory>
#include <new>
#include <vector>

#include <webrtc_audio_processing/webrtc/modules/audio_processing/include/audio_processing.h>

#include <cloading.h>

// An option is known by the place of a variable in a function of the header. Of a library that is loaded later the program has another
// place than the library, which then does not see the option.
namespace webrtc {
template <> void *Config::identifier<ExtendedFilter>() { return cloading_webrtc_extended_filter; }
template <> void *Config::identifier<ExperimentalAgc>() { return cloading_webrtc_experimental_agc; }
}

using webrtc::AudioProcessing;
using webrtc::ProcessingConfig;
using webrtc::StreamConfig;

/// How much earlier than its echo the far end is said to come. The caller has delayed it to a few milliseconds before, and the module
/// wants a number; with the extended filter none makes a difference.
static const int echo_delay_milliseconds = 0;

struct cwebrtcaudio {
    cwebrtcaudio_settings settings;
    std::unique_ptr<AudioProcessing> module;
    StreamConfig near_stream;
    StreamConfig far_stream;
    std::vector<float> far;
    std::vector<const float *> near_planes;
    std::vector<float *> far_planes;
    std::vector<float *> clean_planes;

    bool start();
};

bool cwebrtcaudio::start() {
    ProcessingConfig streams;
    streams.input_stream() = near_stream;
    streams.output_stream() = near_stream;
    streams.reverse_input_stream() = far_stream;
    streams.reverse_output_stream() = far_stream;
    return module->Initialize(streams) == AudioProcessing::kNoError;
}

static bool configure(AudioProcessing &module, const cwebrtcaudio_settings &settings) {
    int errors = 0;
    if (settings.echo_suppression > 0) {
        auto *echo = module.echo_cancellation();
        errors |= echo->enable_drift_compensation(false);
        errors |= echo->set_suppression_level(
            static_cast<webrtc::EchoCancellation::SuppressionLevel>(settings.echo_suppression - 1));
        errors |= echo->Enable(true);
    }
    if (settings.noise_suppression > 0) {
        auto *noise = module.noise_suppression();
        errors |= noise->set_level(static_cast<webrtc::NoiseSuppression::Level>(settings.noise_suppression - 1));
        errors |= noise->Enable(true);
    }
    if (settings.controls_gain) {
        auto *gain = module.gain_control();
        errors |= gain->set_mode(webrtc::GainControl::kAdaptiveDigital);
        errors |= gain->Enable(true);
    }
    if (settings.has_high_pass) errors |= module.high_pass_filter()->Enable(true);
    return errors == 0;
}

extern "C" cwebrtcaudio *cwebrtcaudio_make(const cwebrtcaudio_settings *settings) {
    std::unique_ptr<cwebrtcaudio> voice(new (std::nothrow) cwebrtcaudio());
    if (!voice) return nullptr;
    voice->settings = *settings;
    webrtc::Config config;
    // Rooms echo for longer than the 48 ms of the usual filter: this one has 128.
    config.Set<webrtc::ExtendedFilter>(new webrtc::ExtendedFilter(true));
    config.Set<webrtc::ExperimentalAgc>(new webrtc::ExperimentalAgc(false));
    voice->module.reset(AudioProcessing::Create(config));
    if (!voice->module || !configure(*voice->module, *settings)) return nullptr;
    voice->near_stream = StreamConfig(settings->sample_rate, settings->near_channels);
    voice->far_stream = StreamConfig(settings->sample_rate, settings->far_channels);
    voice->far.resize(voice->far_stream.num_samples());
    voice->near_planes.resize(settings->near_channels);
    voice->clean_planes.resize(settings->near_channels);
    for (int channel = 0; channel < settings->far_channels; channel++)
        voice->far_planes.push_back(&voice->far[channel * voice->far_stream.num_frames()]);
    return voice->start() ? voice.release() : nullptr;
}

extern "C" void cwebrtcaudio_free(cwebrtcaudio *voice) { delete voice; }

extern "C" void cwebrtcaudio_reset(cwebrtcaudio *voice) { voice->start(); }

extern "C" int cwebrtcaudio_process(cwebrtcaudio *voice, const float *near, const float *far, float *clean) {
    const size_t frames = voice->near_stream.num_frames();
    for (int channel = 0; channel < voice->settings.near_channels; channel++) {
        voice->near_planes[channel] = near + channel * frames;
        voice->clean_planes[channel] = clean + channel * frames;
    }
    auto &module = *voice->module;
    int error = AudioProcessing::kNoError;
    if (voice->settings.echo_suppression > 0) {
        memcpy(voice->far.data(), far, voice->far.size() * sizeof(float));
        error = module.ProcessReverseStream(
            voice->far_planes.data(), voice->far_stream, voice->far_stream, voice->far_planes.data());
        module.set_stream_delay_ms(echo_delay_milliseconds);
    }
    if (error == AudioProcessing::kNoError)
        error = module.ProcessStream(
            voice->near_planes.data(), voice->near_stream, voice->near_stream, voice->clean_planes.data());
    if (error != AudioProcessing::kNoError) memcpy(clean, near, voice->near_stream.num_samples() * sizeof(float));
    return error;
}

extern "C" float cwebrtcaudio_speech_probability(cwebrtcaudio *voice) {
    auto *noise = voice->module->noise_suppression();
    return noise->is_enabled() ? noise->speech_probability() : -1.0f;
}
