/* SPDX-License-Identifier: BSD-2-Clause */
/* remarks - chooses verdicts and words them. */
#include "report/causal/remarks.h"

#include "base/cleanup.h"
#include "base/memory.h"
#include "report/display.h"
#include "report/source_path.h"

#include <math.h>

/* "+18.0 % ± 1.2 (tasks) if parse_header were 25 % faster"; the name where it is not the line. */
static char *sentence_of(const struct target_verdict *verdict)
{
	const struct recording_target *target = verdict->target->target;
	AUTO(text) char *gain = display_gain(verdict->at.gain);
	AUTO(text) char *point = display_clean(verdict->effect->point->name);
	AUTO(text)
	char *name =
		target->kind == TARGET_LINE ? text_copy("this line") : display_clean(target->name);

	return text_format("%s ± %.1f (%s) if %s is %.0f %% faster%s", gain,
			   verdict_half_interval(verdict) * 100, point, name,
			   verdict->at.speedup * 100,
			   verdict->outcome == OUTCOME_CONTENTION ? ": contention" : "");
}

static bool has_remark(const struct target_verdict *verdict)
{
	const struct recording_target *target = verdict->target->target;

	return verdict->is_first && verdict->outcome != OUTCOME_UNSURE && target->file &&
	       target->line && isfinite(verdict->at.gain);
}

struct remarks remarks_of(const struct causal *causal)
{
	struct remarks remarks = {.verdicts = verdicts_of(causal)};

	remarks.items = memory_new(remarks.verdicts.count, sizeof(*remarks.items));
	for (size_t i = 0; i < remarks.verdicts.count; i++) {
		const struct target_verdict *verdict = &remarks.verdicts.items[i];
		const struct recording_target *target = verdict->target->target;

		if (!has_remark(verdict))
			continue;
		remarks.items[remarks.count++] = (struct remark){
			.verdict = verdict,
			.file = source_path_relative(target->file),
			.line = target->line,
			.sentence = sentence_of(verdict),
		};
	}
	return remarks;
}

void remarks_release(struct remarks *remarks)
{
	for (size_t i = 0; i < remarks->count; i++)
		free(remarks->items[i].sentence);
	free(remarks->items);
	verdicts_release(&remarks->verdicts);
	*remarks = (struct remarks){0};
}
