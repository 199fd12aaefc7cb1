// The echo canceller and preprocessor of Speex.
#define LIBRARY libspeexdsp
#define FILE_NAME "libspeexdsp.so.1"
#define FUNCTIONS(F) \
    F(speex_echo_cancellation) \
    F(speex_echo_ctl) \
    F(speex_echo_state_destroy) \
    F(speex_echo_state_init_mc) \
    F(speex_echo_state_reset) \
    F(speex_preprocess_ctl) \
    F(speex_preprocess_run) \
    F(speex_preprocess_state_destroy) \
    F(speex_preprocess_state_init)

#include "forward.h"
