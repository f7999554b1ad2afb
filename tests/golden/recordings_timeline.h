/* SPDX-License-Identifier: BSD-2-Clause */
/* recordings_timeline - a timeline as lever trace writes it, with hostile names. */
#pragma once

#include "profile/profile.h"

#define TIMELINE_RECORDING "timeline-names"

/* One thread; for each name an instant, a counter, and a span with the next name as its text. */
int timeline_recording_write(const char *path, struct error *error);
