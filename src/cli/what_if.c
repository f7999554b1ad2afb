/* SPDX-License-Identifier: BSD-2-Clause */
/* what_if - the first target with a certain gain that is not in the kernel. */
#include "cli/what_if.h"

#include "analyze/causal/causal.h"
#include "base/cleanup.h"
#include "profile/profile.h"
#include "report/causal/verdict.h"

#include <math.h>
#include <string.h>

CLEANUP_DEFINE(recording, struct recording *, recording_free, NULL)
CLEANUP_DEFINE(causal, struct causal *, causal_free, NULL)

/* The last part of the first argument, of a JSON array of them. */
static char *program_name(const char *command)
{
	const char *begin = command ? strchr(command, '"') : NULL;
	const char *end = begin ? strchr(begin + 1, '"') : NULL;

	if (!end)
		return text_copy("");
	AUTO(text) char *path = text_format("%.*s", (int)(end - begin - 1), begin + 1);
	const char *slash = strrchr(path, '/');
	return text_copy(slash ? slash + 1 : path);
}

static bool is_of_program(const struct recording *recording, char *const *arguments)
{
	AUTO(text) char *command = recording_command(arguments);
	AUTO(text) char *asked = program_name(command);
	AUTO(text)
	char *found = program_name(recording->runs.items[recording->runs.count - 1].command);

	return !strcmp(asked, found);
}

static int parts_per_million(double fraction)
{
	return (int)lround(1e6 * fmax(-1000, fmin(1000, fraction)));
}

static struct recording_what_if what_if_of(const struct target_verdict *verdict)
{
	const struct recording_target *target = verdict->target->target;

	return (struct recording_what_if){
		.kind = target->kind,
		.name = target->name ? text_copy(target->name) : NULL,
		.function = target->function ? text_copy(target->function) : NULL,
		.file = target->file ? text_copy(target->file) : NULL,
		.object = target->object ? text_copy(target->object) : NULL,
		.line = target->line,
		.speedup = verdict->at.speedup,
		.gain_ppm = parts_per_million(verdict->at.gain),
		.low_ppm = parts_per_million(verdict->at.low),
		.high_ppm = parts_per_million(verdict->at.high),
	};
}

bool what_if_find(const char *path, char *const *arguments, struct recording_what_if *what_if)
{
	struct error error = {0};
	AUTO(recording) struct recording *recording = NULL;
	bool is_found = false;

	if (profile_read(path, &recording, &error))
		return false;
	recording_keep(recording, RUN_CAUSAL);
	if (!recording->runs.count || (arguments && !is_of_program(recording, arguments)))
		return false;
	AUTO(causal) struct causal *causal = causal_new(recording);
	struct target_verdicts verdicts = verdicts_of(causal);
	for (size_t i = 0; i < verdicts.count && !is_found; i++) {
		const struct target_verdict *verdict = &verdicts.items[i];
		const char *object = verdict->target->target->object;
		is_found =
			verdict->outcome == OUTCOME_GAIN && object && strcmp(object, "kernel") != 0;
		if (is_found)
			*what_if = what_if_of(verdict);
	}
	verdicts_release(&verdicts);
	return is_found;
}

void what_if_release(struct recording_what_if *what_if)
{
	free(what_if->name);
	free(what_if->function);
	free(what_if->file);
	free(what_if->object);
	*what_if = (struct recording_what_if){0};
}
