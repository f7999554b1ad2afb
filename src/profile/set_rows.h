/* SPDX-License-Identifier: BSD-2-Clause */
/* set_rows - the part of recording.h with the members of sets of targets. */
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

/* A target's name while speedups stand: "main.c:7 after main.c:42:50%". To be freed. */
char *recording_target_name(const char *name, const char *assumed);
