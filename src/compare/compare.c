/* SPDX-License-Identifier: BSD-2-Clause */
/* compare - the loop over runs, with a layout for each unit of runs. */
#include "compare/compare.h"

#include "base/cleanup.h"
#include "base/memory.h"
#include "compare/child.h"
#include "compare/layout.h"
#include "driver/interruption.h"
#include "stats/random.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

/* What runs now on each side. */
struct compare {
	const struct compare_options *options;
	struct run_pairs *run_pairs;
	struct random random; /* of layouts */
	char folder[32];      /* of linked programs; empty: none */
	char **arguments[2], **environments[2];
	size_t unit; /* that these are of */
	enum compare_end end;
};

static const char *const side_names[] = {"A", "B"};

static void release_unit(struct compare *compare)
{
	for (unsigned side = RUN_BEFORE; side <= RUN_AFTER; side++) {
		layout_free(take(&compare->arguments[side]));
		layout_free(take(&compare->environments[side]));
	}
}

static char *program_path(const struct compare *compare, unsigned side)
{
	return compare->options->links[side] ?
		       text_format("%s/%s", compare->folder, side_names[side]) :
		       NULL;
}

/* Both sides get layouts of their own, so that neither is always the lucky one. */
static int begin_unit(struct compare *compare, struct error *error)
{
	const struct compare_options *options = compare->options;

	release_unit(compare);
	for (unsigned side = RUN_BEFORE; side <= RUN_AFTER; side++) {
		AUTO(text) char *program = program_path(compare, side);
		unsigned bytes = 0;
		if (options->plan.layouts)
			bytes = 1 + (unsigned)random_below(&compare->random, LAYOUT_BYTES_MOST);
		compare->environments[side] = layout_environment(bytes);
		compare->arguments[side] = layout_arguments(options->arguments[side], program);
		if (program && layout_link(options->links[side], program,
					   random_next(&compare->random), error))
			return error->code;
	}
	return 0;
}

/* What the failed command wrote to standard error. */
static void show_stderr(int file)
{
	char bytes[4096];
	ssize_t size;
	off_t at = 0;

	while ((size = pread(file, bytes, sizeof(bytes), at)) > 0) {
		fwrite(bytes, 1, (size_t)size, stderr);
		at += size;
	}
}

static int check_end(struct compare *compare, const struct child_run *run, unsigned side,
		     struct error *error)
{
	bool has_failed = !WIFEXITED(run->status) || WEXITSTATUS(run->status);

	if (!has_failed || compare->options->ignores_failure || interruption_any())
		return 0;
	show_stderr(run->stderr_file);
	const char *remedy = "repair it, or use --ignore-failure";
	if (WIFSIGNALED(run->status))
		return error_set(error, -ECHILD, "command %s was ended by signal %d (%s); %s",
				 side_names[side], WTERMSIG(run->status),
				 strsignal(WTERMSIG(run->status)), remedy);
	return error_set(error, -ECHILD, "command %s ended with exit code %d; %s", side_names[side],
			 WEXITSTATUS(run->status), remedy);
}

static int run_side(struct compare *compare, unsigned side, struct child_run *run,
		    struct error *error)
{
	const struct child_command command = {
		.arguments = compare->arguments[side],
		.environment = compare->environments[side],
		.shows_output = compare->options->shows_output,
		.visits = compare->options->visits,
	};
	int code = child_run(&command, run, error);

	if (code) {
		compare->end = COMPARE_NOT_STARTED;
		return code;
	}
	code = check_end(compare, run, side, error);
	close(run->stderr_file);
	return code;
}

static int no_visits(struct compare *compare, unsigned side, struct error *error)
{
	AUTO(text) char *names = visits_names(compare->options->visits);

	compare->end = COMPARE_NO_VISITS;
	return error_set(error, -ENOENT,
			 "command %s does not visit the progress point %s twice in a run%s%s",
			 side_names[side], compare->options->point,
			 names ? "; points of lever.h: " : "", names ? names : "");
}

static int run_counted(struct compare *compare, struct error *error)
{
	struct child_run run;
	size_t unit = run_pairs_unit(compare->run_pairs);
	enum run_side side = run_pairs_next(compare->run_pairs);
	int code = 0;

	if (unit != compare->unit && (compare->options->plan.layouts || compare->options->links[0]))
		code = begin_unit(compare, error);
	compare->unit = unit;
	if (!code)
		code = run_side(compare, side, &run, error);
	if (code || interruption_any())
		return code;
	if (compare->options->visits && !(run.visit_s > 0))
		return no_visits(compare, side, error);
	double seconds = (double)run.wall_ns / 1e9;
	run_pairs_add(compare->run_pairs, compare->options->visits ? run.visit_s : seconds,
		      seconds);
	if (compare->options->notify)
		compare->options->notify(compare->options->context, compare->run_pairs);
	return 0;
}

static int run_all(struct compare *compare, struct error *error)
{
	struct child_run run = {0};
	int code = begin_unit(compare, error);
	double pair_seconds = 0;

	for (unsigned side = RUN_BEFORE; side <= RUN_AFTER && !code; side++) {
		code = run_side(compare, side, &run, error);
		pair_seconds += (double)run.wall_ns / 1e9;
	}
	run_pairs_expect(compare->run_pairs, pair_seconds);
	while (!code && !interruption_any() && !run_pairs_is_done(compare->run_pairs))
		code = run_counted(compare, error);
	return code;
}

static int make_folder(struct compare *compare, struct error *error)
{
	if (!compare->options->links[0])
		return 0;
	strcpy(compare->folder, "/tmp/lever-diff-XXXXXX");
	if (mkdtemp(compare->folder))
		return 0;
	compare->folder[0] = 0;
	return error_set(error, errno, "cannot make a folder in /tmp: %s", strerror(errno));
}

static void remove_folder(struct compare *compare)
{
	if (!*compare->folder)
		return;
	for (unsigned side = RUN_BEFORE; side <= RUN_AFTER; side++) {
		AUTO(text) char *program = program_path(compare, side);
		unlink(program);
	}
	rmdir(compare->folder);
}

CLEANUP_DEFINE(run_pairs, struct run_pairs *, run_pairs_free, NULL)

int compare_run(const struct compare_options *options, struct run_pairs **result,
		enum compare_end *end, struct error *error)
{
	AUTO(run_pairs) struct run_pairs *run_pairs = run_pairs_new(&options->plan);
	struct compare compare = {.options = options,
				  .run_pairs = run_pairs,
				  .random = random_seeded(options->plan.seed + 2),
				  .end = COMPARE_FAILED};

	interruption_catch();
	int code = make_folder(&compare, error);
	if (!code)
		code = run_all(&compare, error);
	release_unit(&compare);
	remove_folder(&compare);
	*end = code ? compare.end : COMPARE_DONE;
	if (code)
		return code;
	run_pairs_stop(run_pairs);
	*result = take(&run_pairs);
	return 0;
}
