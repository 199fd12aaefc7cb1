// Code in C that a processor calls. The attributes have the compiler believe that it is fit for an audio thread.
#pragma once

#define LEAF_SAFE __attribute__((swift_attr("@_noLocks"), swift_attr("@_noAllocation")))

LEAF_SAFE float leaf_scale(float sample);
// And these are not, each in one block of a hundred.
LEAF_SAFE float leaf_allocates(float sample, long block);
LEAF_SAFE float leaf_locks(float sample, long block);
LEAF_SAFE float leaf_prints(float sample, long block);
