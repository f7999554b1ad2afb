/* SPDX-License-Identifier: BSD-2-Clause */
/* question - reads a profile as `lever report` does, and takes its first line or function of the program. */
#include "cli/question.h"

#include "analyze/causal.h"
#include "base/own.h"
#include "profile/profile.h"
#include "report/answer.h"

#include <math.h>
#include <string.h>

OWN_DEFINE(recording, struct recording *, recording_free, NULL)
OWN_DEFINE(causal, struct causal *, causal_free, NULL)

/* The last part of the first argument, of a JSON array of them. */
static char *program_of(const char *command)
{
	const char *begin = command ? strchr(command, '"') : NULL;
	const char *end = begin ? strchr(begin + 1, '"') : NULL;

	if (!end)
		return text_copy("");
	AUTO(text) char *path = text_format("%.*s", (int)(end - begin - 1), begin + 1);
	const char *slash = strrchr(path, '/');
	return text_copy(slash ? slash + 1 : path);
}

static bool is_of(const struct recording *recording, char *const *arguments)
{
	AUTO(text) char *command = recording_command(arguments);
	AUTO(text) char *asked = program_of(command);
	AUTO(text)
	char *found = program_of(recording->runs.items[recording->runs.count - 1].command);

	return !strcmp(asked, found);
}

static int millionths(double fraction)
{
	return (int)lround(1e6 * fmax(-1000, fmin(1000, fraction)));
}

static struct recording_question question_of(const struct answer *answer)
{
	const struct recording_target *target = answer->target->target;

	return (struct recording_question){
		.kind = target->kind,
		.name = target->name ? text_copy(target->name) : NULL,
		.function = target->function ? text_copy(target->function) : NULL,
		.file = target->file ? text_copy(target->file) : NULL,
		.object = target->object ? text_copy(target->object) : NULL,
		.line = target->line,
		.speedup = answer->at.speedup,
		.gain_ppm = millionths(answer->at.gain),
		.low_ppm = millionths(answer->at.low),
		.high_ppm = millionths(answer->at.high),
	};
}

bool question_find(const char *path, char *const *arguments, struct recording_question *question)
{
	struct error error = {0};
	AUTO(recording) struct recording *recording = NULL;
	bool is_found = false;

	if (profile_read(path, &recording, &error))
		return false;
	recording_keep(recording, RUN_CAUSAL);
	if (!recording->runs.count || (arguments && !is_of(recording, arguments)))
		return false;
	AUTO(causal) struct causal *causal = causal_new(recording);
	struct answers answers = answers_of(causal);
	for (size_t i = 0; i < answers.count && !is_found; i++) {
		const struct answer *answer = &answers.items[i];
		const char *object = answer->target->target->object;
		is_found =
			answer->verdict == ANSWER_GAIN && object && strcmp(object, "kernel") != 0;
		if (is_found)
			*question = question_of(answer);
	}
	answers_release(&answers);
	return is_found;
}

void question_release(struct recording_question *question)
{
	free(question->name);
	free(question->function);
	free(question->file);
	free(question->object);
	*question = (struct recording_question){0};
}
