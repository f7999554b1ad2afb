/* SPDX-License-Identifier: BSD-2-Clause */
/* warnings - what a reader of the report should know before he trusts it. */
#pragma once

#include "analyze/causal/causal.h"
#include "analyze/scale/scale.h"
#include "profile/recording.h"

/* Sentences, each once; of any bytes, as the notes of runs are. */
struct warnings {
	char **items;
	size_t count, capacity;
};

/* Of a causal profile. */
struct warnings warnings_of(const struct recording *recording, const struct causal *causal);
/* Of a recording of samples. */
struct warnings warnings_of_samples(const struct recording *recording);
/* Of a session of lever scale. */
struct warnings warnings_of_scale(const struct scale *scale);
void warnings_release(struct warnings *warnings);
