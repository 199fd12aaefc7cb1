// The libraries for voices alone: both ends from files, 10 ms after 10 ms, and the clean near end to another. With the settings that
// iounit gives them, and nothing else of it: no search for a delay, no queue, no worker.
//
// usage: voice webrtc|speex NEAR FAR CLEAN
//
// The files hold floats at 48 kHz, one channel. Prints "cpu" and the seconds of the processor that the calls took.

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <memory>
#include <vector>

#include <speex/speex_echo.h>
#include <speex/speex_preprocess.h>
#include <webrtc/common.h>
#include <webrtc/modules/audio_processing/include/audio_processing.h>

static const int rate = 48000, frames = rate / 100;

static std::vector<float> read(const char *path) {
    std::vector<float> samples;
    if (FILE *file = fopen(path, "rb")) {
        float block[4096];
        while (size_t count = fread(block, sizeof(float), 4096, file)) samples.insert(samples.end(), block, block + count);
        fclose(file);
    }
    return samples;
}

static double cpu() {
    timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static void webrtc_process(const std::vector<float> &near, const std::vector<float> &far, std::vector<float> &clean) {
    webrtc::Config config;
    config.Set<webrtc::ExtendedFilter>(new webrtc::ExtendedFilter(true));
    config.Set<webrtc::ExperimentalAgc>(new webrtc::ExperimentalAgc(false));
    std::unique_ptr<webrtc::AudioProcessing> module(webrtc::AudioProcessing::Create(config));
    module->echo_cancellation()->set_suppression_level(webrtc::EchoCancellation::kModerateSuppression);
    module->echo_cancellation()->Enable(true);
    const webrtc::StreamConfig form(rate, 1);
    webrtc::ProcessingConfig streams;
    streams.input_stream() = streams.output_stream() = form;
    streams.reverse_input_stream() = streams.reverse_output_stream() = form;
    module->Initialize(streams);
    std::vector<float> block(frames);
    for (size_t start = 0; start + frames <= near.size(); start += frames) {
        memcpy(block.data(), &far[start], frames * sizeof(float));
        float *plane = block.data();
        module->ProcessReverseStream(&plane, form, form, &plane);
        module->set_stream_delay_ms(0);
        const float *input = &near[start];
        float *output = &clean[start];
        module->ProcessStream(&input, form, form, &output);
    }
}

static int16_t integer(float sample) {
    return (int16_t)fmaxf(-32768, fminf(roundf(sample * 32768), 32767));
}

static void speex_process(const std::vector<float> &near, const std::vector<float> &far, std::vector<float> &clean) {
    SpeexEchoState *echo = speex_echo_state_init(frames, rate * 128 / 1000);
    SpeexPreprocessState *preprocessor = speex_preprocess_state_init(frames, rate);
    int value = rate;
    speex_echo_ctl(echo, SPEEX_ECHO_SET_SAMPLING_RATE, &value);
    const int settings[][2] = {
        {SPEEX_PREPROCESS_SET_DENOISE, 1}, {SPEEX_PREPROCESS_SET_NOISE_SUPPRESS, 0}, {SPEEX_PREPROCESS_SET_AGC, 0},
        {SPEEX_PREPROCESS_SET_ECHO_SUPPRESS, -40}, {SPEEX_PREPROCESS_SET_ECHO_SUPPRESS_ACTIVE, -15}};
    for (auto &setting : settings) {
        value = setting[1];
        speex_preprocess_ctl(preprocessor, setting[0], &value);
    }
    speex_preprocess_ctl(preprocessor, SPEEX_PREPROCESS_SET_ECHO_STATE, echo);
    int16_t near_block[frames], far_block[frames], clean_block[frames];
    for (size_t start = 0; start + frames <= near.size(); start += frames) {
        for (int i = 0; i < frames; i++) {
            near_block[i] = integer(near[start + i]);
            far_block[i] = integer(far[start + i]);
        }
        speex_echo_cancellation(echo, near_block, far_block, clean_block);
        speex_preprocess_run(preprocessor, clean_block);
        for (int i = 0; i < frames; i++) clean[start + i] = clean_block[i] / 32768.0f;
    }
    speex_preprocess_state_destroy(preprocessor);
    speex_echo_state_destroy(echo);
}

int main(int count, char **arguments) {
    if (count != 5) {
        fprintf(stderr, "usage: voice webrtc|speex NEAR FAR CLEAN\n");
        return 64;
    }
    const std::vector<float> near = read(arguments[2]);
    std::vector<float> far = read(arguments[3]), clean(near.size());
    far.resize(near.size());
    const double start = cpu();
    if (strcmp(arguments[1], "webrtc") == 0) {
        webrtc_process(near, far, clean);
    } else {
        speex_process(near, far, clean);
    }
    printf("cpu %.6f\n", cpu() - start);
    FILE *file = fopen(arguments[4], "wb");
    const bool is_written = file && fwrite(clean.data(), sizeof(float), clean.size(), file) == clean.size();
    return file && fclose(file) == 0 && is_written ? 0 : 73;
}
