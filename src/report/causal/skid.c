/* SPDX-License-Identifier: BSD-2-Clause */
/* skid - lines whose samples stand at a line beside them. */
#include "report/causal/skid.h"

#include <stdlib.h>
#include <string.h>

#define SHARE_MOST 0.005 /* of the line that was tried */
#define SHARE_LEAST 0.05 /* of the one beside it */

static bool is_beside(const struct recording_target *target, const struct recording_target *other)
{
	return other->kind == TARGET_LINE && other != target && other->file && other->function &&
	       !strcmp(other->file, target->file) && !strcmp(other->function, target->function) &&
	       labs((long)other->line - (long)target->line) <= SKID_LINES;
}

const struct causal_target *skid_of(const struct causal *causal, const struct causal_target *target)
{
	const struct recording_target *line = target->target;
	const struct causal_target *found = NULL;

	if (line->kind != TARGET_LINE || !line->file || !line->function || !target->experiments ||
	    target->share > SHARE_MOST)
		return NULL;
	for (size_t i = 0; i < causal->count; i++) {
		const struct causal_target *other = &causal->targets[i];
		if (other->share >= SHARE_LEAST && is_beside(line, other->target) &&
		    (!found || other->share > found->share))
			found = other;
	}
	return found;
}
