/* SPDX-License-Identifier: BSD-2-Clause */
/* set_rows - the part of recording.h on how targets relate: members of sets, and callers. */
#pragma once

#include "profile/kinds.h"

#include <stdint.h>

/* At speedup s of the set, the member is sped up by s x level. */
struct recording_member {
	int64_t target_id; /* of the set */
	enum target_kind kind;
	char *name; /* as recording_target.name */
	double level;
};

struct recording_set_search {
	int64_t run_id;
	unsigned search; /* of the run, from 1 */
	enum set_search_end end;
	unsigned candidates;
	uint64_t duration_ns;
	double excess; /* gain together beyond the sum of both parts: of the set, or of all */
	char *members; /* "left + right", the name of the set that was found; or NULL */
};

/* A set that the search has measured. */
struct recording_set_measure {
	int64_t run_id;
	unsigned search;
	char *members;
	double speedup;
	unsigned measurements;
	double ratio, error; /* of the time of a visit to that without a speedup: mean, its error */
};

/* Sampled time that a target handed on to one inside it: a function to its callee or its line. */
struct recording_call_edge {
	int64_t run_id, outer_id, inner_id;
	uint64_t sampled_ns;
};

/* A target's name while speedups stand: "main.c:7 after main.c:42:50%". To be freed. */
char *recording_target_name(const char *name, const char *assumed);
