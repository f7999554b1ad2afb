/* SPDX-License-Identifier: BSD-2-Clause */
/* callers - the system calls and the user code that lead to a target in the kernel. */
#pragma once

#include "profile/recording.h"

struct caller {
	const char *system_call;            /* NULL: a fault, an interrupt, a kernel thread */
	const struct recording_frame *user; /* NULL: no user code in scope */
	double share;                       /* of the target's sampled time */
};

struct callers {
	struct caller *items; /* largest share first */
	size_t count, capacity;
};

/* None for a target of user code. Points into the recording. */
struct callers callers_of(const struct recording *recording, const struct recording_target *target);
void callers_release(struct callers *callers);
