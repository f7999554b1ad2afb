/* SPDX-License-Identifier: BSD-2-Clause */
/* again - the command of another run like one that was, which adds to its profile. */
#pragma once

#include "profile/recording.h"

struct again {
	char *command; /* to be copied to a shell; both belong to the caller */
	char *text;    /* what is to be said behind it */
};

/* So many times as long as the run, or the same once more if that ended with its program. */
struct again again_new(const struct recording *recording, const struct recording_run *run,
		       double times);
