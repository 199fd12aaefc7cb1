// Libraries that only some runs need: each is loaded by the first run that does, and not with the program. Loading all of them
// takes every command's start longer, and the program would not start where one is missing.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/// A library of which the program calls functions that it is not linked with. Those that every installation has (libsndfile,
/// libFLAC, libsamplerate, libsoxr, libopus, libmpg123, libmp3lame) are loaded by the first call of a function; these by
/// `cloading_load`:
struct cloading_library;

/// With serd, sord and sratom.
extern struct cloading_library *const cloading_liblilv;
extern struct cloading_library *const cloading_liblo;
extern struct cloading_library *const cloading_libpng;
extern struct cloading_library *const cloading_libshout;
extern struct cloading_library *const cloading_libspeexdsp;
extern struct cloading_library *const cloading_libwebrtc;
/// With OpenSSL.
extern struct cloading_library *const cloading_libwebsockets;

/// By what libwebrtc knows its options `ExtendedFilter` and `ExperimentalAgc`, once it is loaded: the places of variables of its own.
extern void *cloading_webrtc_extended_filter;
extern void *cloading_webrtc_experimental_agc;

/// Loads a library, where that has not been done. To be called before any of its functions is, and so wherever its use begins.
///
/// Returns NULL, or why it cannot be had, in the loader's words, which stay until the thread's next call. Thread: any that may
/// block.
const char *cloading_load(struct cloading_library *library);

/// The file that is looked for, as "libpng16.so.16".
const char *cloading_file(const struct cloading_library *library);

#ifdef __cplusplus
}
#endif
