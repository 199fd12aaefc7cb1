// The worker that the plug-in may leave work to: a thread, and a ring in either direction.
#pragma once

#include <lv2/core/lv2.h>
#include <lv2/worker/worker.h>
#include <stdbool.h>
#include <stdint.h>

/// For the plug-in's instance that is about to run. `interface` may be NULL.
void jobs_begin(LV2_Handle handle, const LV2_Worker_Interface *interface);
void jobs_end(void);

/// Called by the plug-in from `run`.
LV2_Worker_Status jobs_schedule(LV2_Worker_Schedule_Handle handle, uint32_t size, const void *data);
/// Gives the plug-in what its worker has answered. Thread: audio, inside the region.
void jobs_respond(void);
/// Waits until the worker has nothing to do, or the time is over; returns whether it has nothing to do.
bool jobs_settle(double seconds);
