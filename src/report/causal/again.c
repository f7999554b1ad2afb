/* SPDX-License-Identifier: BSD-2-Clause */
/* again - repeats the options that decide on what is measured, and not those of one run. */
#include "report/causal/again.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "report/display.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

#define COMMAND_COLUMNS 100         /* a longer one is named, not repeated */
#define BEFORE_EXPERIMENTS_NS 2.5e9 /* at most, of a program that runs by itself */
#define SECONDS_UNIT 0.1            /* of a proposed time: tens of seconds */

/* From the first experiment to the end of the last one. */
static double experiments_ns(const struct recording *recording, int64_t run_id)
{
	uint64_t first = UINT64_MAX, last = 0;

	for (size_t i = 0; i < recording->experiments.count; i++) {
		const struct recording_experiment *one = &recording->experiments.items[i];
		uint64_t end = one->start_ns + one->duration_ns;
		if (one->run_id != run_id)
			continue;
		first = one->start_ns < first ? one->start_ns : first;
		last = end > last ? end : last;
	}
	return last > first ? (double)(last - first) : 0;
}

/* Did experiments go on until the program ended? A longer time would not help then. */
static bool ended_by_itself(const struct recording *recording, const struct recording_run *run)
{
	bool has_exited = run->exit_status >= 0 && !(run->exit_status & 0x7f);

	return has_exited &&
	       experiments_ns(recording, run->id) + BEFORE_EXPERIMENTS_NS >= (double)run->wall_ns;
}

/* Of profiles that lack the options: did the user say what to speed up? */
static bool has_named_code(const struct recording *recording)
{
	bool has_named = false;

	for (size_t i = 0; i < recording->targets.count; i++) {
		const struct recording_target *target = &recording->targets.items[i];
		bool is_named_set = target->kind == TARGET_SET && !recording->set_searches.count;
		has_named = has_named || target->assumed || is_named_set;
	}
	return has_named;
}

/* Is the option only one of that run, or told by its command ("--pid=7")? */
static bool is_left_out(const char *word)
{
	static const char names[] = " seconds until fresh quiet verbose serve tui seed "
				    "pid port comm cgroup system no-children ";
	AUTO(text) char *name = text_format(" %.*s ", (int)strcspn(word + 2, "="), word + 2);

	return strstr(names, name) != NULL;
}

/* "--target=parse --engine=runtime "; to be freed. */
static char *options_of(const struct recording_run *run)
{
	json_t *words = run->options ? json_loads(run->options, 0, NULL) : NULL, *word;
	char *line = text_copy("");
	size_t i;

	json_array_foreach(words, i, word)
	{
		const char *text = json_string_value(word);
		if (!text || !text_starts_with(text, "--") || is_left_out(text))
			continue;
		AUTO(text) char *before = line;
		AUTO(text) char *quoted = display_argument(text);
		line = text_format("%s%s ", before, quoted);
	}
	json_decref(words);
	return line;
}

struct again again_new(const struct recording *recording, const struct recording_run *run,
		       double times)
{
	AUTO(text) char *command = display_command(run->command);
	AUTO(text) char *options = options_of(run);
	bool is_long = display_width(command) + display_width(options) > COMMAND_COLUMNS;
	bool lacks_options = (is_long && *options) || (!run->options && has_named_code(recording));
	const char *dashes = is_long || text_starts_with(command, "--") ? "" : "-- ";
	bool is_again = ended_by_itself(recording, run);
	/* The program may have run on after --seconds. */
	double measured_ns = fmin((double)run->wall_ns,
				  experiments_ns(recording, run->id) + BEFORE_EXPERIMENTS_NS);
	AUTO(text)
	char *seconds =
		is_again ?
			text_copy("") :
			text_format("--seconds %.0f ",
				    ceil(times * SECONDS_UNIT * measured_ns / 1e9) / SECONDS_UNIT);

	return (struct again){text_format("lever run %s%s%s%s", seconds, is_long ? "" : options,
					  dashes, is_long ? "-- PROGRAM" : command),
			      text_format("%s%s; %sresults add up in one profile",
					  is_long ? " as before" : "",
					  lacks_options ? " (and the other options as before)" : "",
					  is_again ? "run it a few times, " : "")};
}
