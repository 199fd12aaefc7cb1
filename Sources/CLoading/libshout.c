// Sends to Icecast.
#define LIBRARY libshout
#define FILE_NAME "libshout.so.3"
#define FUNCTIONS(F) \
    F(shout_close) \
    F(shout_free) \
    F(shout_get_connected) \
    F(shout_init) \
    F(shout_new) \
    F(shout_open) \
    F(shout_queuelen) \
    F(shout_send) \
    F(shout_send_raw) \
    F(shout_set_agent) \
    F(shout_set_audio_info) \
    F(shout_set_content_format) \
    F(shout_set_host) \
    F(shout_set_meta) \
    F(shout_set_mount) \
    F(shout_set_nonblocking) \
    F(shout_set_password) \
    F(shout_set_port) \
    F(shout_set_protocol) \
    F(shout_set_tls) \
    F(shout_set_user)

#include "forward.h"
