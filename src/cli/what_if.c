/* SPDX-License-Identifier: BSD-2-Clause */
/* what_if - the first target with a certain gain whose code samples of a program can tell. */
#include "cli/what_if.h"

#include "analyze/causal/causal.h"
#include "base/cleanup.h"
#include "base/text.h"
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

static const struct recording_target *target_named(const struct recording *recording,
						   enum target_kind kind, const char *name)
{
	for (size_t i = 0; i < recording->targets.count; i++)
		if (recording->targets.items[i].kind == kind &&
		    text_equals(recording->targets.items[i].name, name))
			return &recording->targets.items[i];
	return NULL;
}

/*
 * Samples are told apart by lines or by functions, in one object: all members must be of that.
 * False if they are not; the members found so far stay.
 */
static bool add_members(const struct recording *recording, int64_t set_id,
			struct recording_what_if *what_if)
{
	for (size_t i = 0; i < recording->members.count; i++) {
		const struct recording_member *member = &recording->members.items[i];
		const struct recording_target *target;
		if (member->target_id != set_id)
			continue;
		target = target_named(recording, member->kind, member->name);
		if (!target || !target->object ||
		    (what_if->members.count && (member->kind != what_if->members.items[0].kind ||
						!text_equals(target->object, what_if->object))))
			return false;
		if (!what_if->members.count)
			what_if->object = text_copy(target->object);
		*array_add(&what_if->members) =
			(struct recording_member){.kind = member->kind,
						  .name = text_copy(member->name),
						  .level = member->level};
	}
	return what_if->members.count > 0;
}

static bool is_in_program(enum target_kind kind, const char *object)
{
	return (kind == TARGET_LINE || kind == TARGET_FUNCTION) && object &&
	       strcmp(object, "kernel") != 0;
}

/* False if samples cannot tell the target's code. */
static bool ask(const struct recording *recording, const struct target_verdict *verdict,
		struct recording_what_if *what_if)
{
	const struct recording_target *target = verdict->target->target;
	bool is_set = target->kind == TARGET_SET;

	*what_if = what_if_of(verdict);
	if (is_set ? add_members(recording, target->id, what_if) &&
			     is_in_program(what_if->members.items[0].kind, what_if->object) :
		     is_in_program(target->kind, target->object))
		return true;
	what_if_release(what_if);
	return false;
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
		is_found = verdict->outcome == OUTCOME_GAIN && ask(recording, verdict, what_if);
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
	for (size_t i = 0; i < what_if->members.count; i++)
		free(what_if->members.items[i].name);
	array_free(&what_if->members);
	*what_if = (struct recording_what_if){0};
}
