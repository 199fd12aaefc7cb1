// The edge to C: libwebsockets, of which Swift cannot import the macros that are expressions.
#pragma once

#include <libwebsockets.h>

/// So many bytes before what is written belong to the library.
static const size_t cws_room_before = LWS_PRE;
