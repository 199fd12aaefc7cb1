// The edge to C: libwebsockets and the little of OpenSSL that its users need. Swift cannot import macros that are
// expressions, and structures of a hundred fields are filled in here.
#pragma once

#include <libwebsockets.h>

#include "client.h"
#include "trust.h"

/// So many bytes before what is written belong to the library.
static const size_t cws_room_before = LWS_PRE;
