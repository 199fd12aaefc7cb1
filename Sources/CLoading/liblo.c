// Messages of OSC.
#define LIBRARY liblo
#define FILE_NAME "liblo.so.7"
#define FUNCTIONS(F) \
    F(lo_message_add_false) \
    F(lo_message_add_float) \
    F(lo_message_add_int32) \
    F(lo_message_add_nil) \
    F(lo_message_add_string) \
    F(lo_message_add_true) \
    F(lo_message_deserialise) \
    F(lo_message_free) \
    F(lo_message_get_argc) \
    F(lo_message_get_argv) \
    F(lo_message_get_types) \
    F(lo_message_length) \
    F(lo_message_new) \
    F(lo_message_serialise)

#include "forward.h"
