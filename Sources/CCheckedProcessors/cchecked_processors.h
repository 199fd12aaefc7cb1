// The edge between a library whose processors are checked and the program that checks them (pluginprobe), which takes each for
// an LV2 plug-in.
#pragma once

#include <lv2/core/lv2.h>

/// Written by the user: offers the library's processors.
void iounit_processors(void);

/// The feature by which the program says which part of `run` is the processor's: code between `leave` and `enter` is
/// not looked at.
#define CCHECKED_REGION_URI "urn:iounit:region"
typedef struct cchecked_region {
    void (*leave)(void);
    void (*enter)(void);
} cchecked_region;
