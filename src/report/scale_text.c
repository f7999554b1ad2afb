/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * scale_text - parallelism for a reader: a histogram of active threads, their number over time, the
 * predicted times, and what cores would wait for.
 */
#include "base/own.h"
#include "report/header.h"
#include "report/table.h"
#include "report/words.h"

#include <math.h>
#include <string.h>

#define BAR_COLUMNS 40
#define LEVELS_SHOWN 24
#define LEVEL_LEAST 0.0005 /* of the time: less is not shown */
#define ANSWER_COLUMNS 19

/* With the digits that predictions are told apart by. */
static char *seconds_of(double ns)
{
	if (ns < 1 || ns >= 1e11)
		return ns < 1 ? text_copy("0 s") : words_duration(ns);
	return ns < 1e9 ? words_duration(ns) : text_format("%.*f s", ns < 1e10 ? 2 : 1, ns / 1e9);
}

/* ---- the head ---- */

static const struct scale_run *last_run(const struct scale *scale)
{
	return scale->runs.count ? &scale->runs.items[scale->runs.count - 1] : NULL;
}

static void print_threads(FILE *out, const struct scale *scale,
			  const struct report_options *options)
{
	const struct recording_parallel *last = last_run(scale)->parallel;
	AUTO(text)
	char *switches = words_count((uint64_t)(last->switches / (last_run(scale)->wall_ns / 1e9)));

	header_label(out, options, "threads");
	fprintf(out, "%u made, in %u process%s, at most %u at once; %s switches a second\n",
		last->threads, last->processes, last->processes == 1 ? "" : "es",
		last->most_threads, switches);
}

static void print_cores(FILE *out, const struct scale *scale, const struct report_options *options)
{
	const struct recording_parallel *last = last_run(scale)->parallel;

	header_label(out, options, "cores");
	fprintf(out, "%u of %u, %zu run%s%s", scale->cores, scale->machine_cores, scale->runs.count,
		scale->runs.count == 1 ? "" : "s",
		last->hides_cores ? ", of which the program did not know" : "");
	for (size_t i = 0; i < scale->measured.count; i++)
		if (scale->measured.items[i].cores != scale->cores)
			fprintf(out, "; compared with %u on %u", scale->measured.items[i].runs,
				scale->measured.items[i].cores);
	fputc('\n', out);
}

static void print_head(FILE *out, const struct recording *recording, const struct scale *scale,
		       const struct report_options *options)
{
	struct sums sums = sums_of(recording);
	AUTO(text) char *command = words_command(sums.last->command ? sums.last->command : "[]");
	AUTO(text) char *fitted = words_fit(command, options->columns - strlen("Parallelism of "));

	table_style(out, options, "1");
	fprintf(out, "Parallelism of %s", fitted);
	table_style(out, options, NULL);
	fputc('\n', out);
	header_run(out, &sums, options);
	if (!scale->runs.count)
		return;
	print_cores(out, scale, options);
	print_threads(out, scale, options);
	struct warnings warnings = warnings_of_scale(scale);
	header_warnings(out, &warnings, options);
	warnings_release(&warnings);
	fputc('\n', out);
}

/* ---- how parallel ---- */

/* A bar of up to BAR_COLUMNS, in eighths of a column. */
static void print_bar(FILE *out, double fraction)
{
	static const char *const parts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
	unsigned eighths = (unsigned)(fraction * BAR_COLUMNS * 8 + 0.5);

	for (unsigned i = 0; i < eighths / 8; i++)
		fputs("█", out);
	fputs(parts[eighths % 8], out);
}

static void print_level(FILE *out, const struct scale *scale, const struct parallel_level *level,
			double widest)
{
	AUTO(text) char *time = seconds_of(level->wall_ns);
	double share = level->wall_ns / scale->wall_ns;

	fprintf(out, "%7u  %*s%s  %5.1f %%  ", level->threads, (int)(10 - words_width(time)), "",
		time, 100 * share);
	print_bar(out, share / widest);
	fputc('\n', out);
}

static void print_levels(FILE *out, const struct scale *scale, const struct report_options *options)
{
	double widest = 0, hidden = 0;
	unsigned shown = 0;

	for (size_t i = 0; i < scale->levels.count; i++)
		widest = fmax(widest, scale->levels.items[i].wall_ns / scale->wall_ns);
	table_style(out, options, "2");
	fputs(" active   wall time    share\n", out);
	table_style(out, options, NULL);
	for (size_t i = 0; i < scale->levels.count; i++) {
		const struct parallel_level *level = &scale->levels.items[i];
		if (level->wall_ns < LEVEL_LEAST * scale->wall_ns || shown == LEVELS_SHOWN) {
			hidden += level->wall_ns;
			continue;
		}
		print_level(out, scale, level, widest);
		shown++;
	}
	if (hidden >= LEVEL_LEAST * scale->wall_ns)
		fprintf(out, "   rest  %16.1f %%\n", 100 * hidden / scale->wall_ns);
	fprintf(out,
		"   mean  %.2f threads active, %.2f on a core; up to %u; one alone %.1f %% of the "
		"time\n\n",
		scale->mean_active, scale->mean_running, scale->level_reached,
		100 * scale->serial_share);
}

/* ---- over time ---- */

/* Mean active threads between two moments. */
static double active_between(const struct scale *scale, double begin_ns, double end_ns)
{
	double sum = 0, wall = 0;

	for (size_t i = 0; i < scale->slices.count; i++) {
		const struct scale_slice *slice = &scale->slices.items[i];
		double from = fmax(begin_ns, slice->begin_ns);
		double to = fmin(end_ns, slice->begin_ns + slice->wall_ns);
		if (to <= from)
			continue;
		sum += slice->active * (to - from);
		wall += to - from;
	}
	return wall > 0 ? sum / wall : 0;
}

static void print_course(FILE *out, const struct scale *scale, const struct report_options *options)
{
	static const char *const steps[] = {"·", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
	size_t count = scale->slices.count, columns = options->columns - 34;

	if (count < 3)
		return;
	const struct scale_slice *last = &scale->slices.items[count - 1];
	double length = last->begin_ns + last->wall_ns, most = 0;
	columns = count < columns ? count : columns;
	for (size_t i = 0; i < count; i++)
		most = fmax(most, scale->slices.items[i].active);
	AUTO(text) char *each = seconds_of(length / (double)columns);
	header_label(out, options, "over time");
	for (size_t i = 0; i < columns && most > 0; i++) {
		double active = active_between(scale, length * (double)i / (double)columns,
					       length * (double)(i + 1) / (double)columns);
		fputs(steps[(size_t)fmin(8, ceil(8 * active / most - 0.01))], out);
	}
	fprintf(out, "  0 to %.1f, each %s\n", most, each);
}

static void print_phases(FILE *out, const struct scale *scale, const struct report_options *options)
{
	for (size_t i = 0; i < scale->phases.count && scale->phases.count > 1; i++) {
		const struct scale_phase *phase = &scale->phases.items[i];
		AUTO(text) char *begin = seconds_of(phase->begin_ns);
		AUTO(text) char *length = seconds_of(phase->wall_ns);
		header_label(out, options, i ? "" : "phases");
		fprintf(out, "from %s for %s: %.2f active, %.2f on a core\n", begin, length,
			phase->active, phase->running);
	}
	if (scale->slices.count >= 3)
		fputc('\n', out);
}

/* ---- predictions ---- */

static const enum scale_model shown_models[] = {SCALE_FORMULA, SCALE_GROWTH};
#define SHOWN_MODELS (sizeof(shown_models) / sizeof(shown_models[0]))

static bool has_model(const struct scale *scale, enum scale_model model)
{
	for (size_t i = 0; i < scale->answers.count; i++)
		if (scale->answers.items[i].model == model)
			return true;
	return false;
}

static void print_cell(FILE *out, const char *text, unsigned columns)
{
	size_t width = words_width(text);
	fprintf(out, "  %s%*s", text, width < columns ? (int)(columns - width) : 0, "");
}

static void print_answer(FILE *out, const struct scale_answer *answer)
{
	AUTO(text) char *time = answer ? seconds_of(answer->wall_ns) : text_copy("");
	AUTO(text)
	char *text =
		answer ? text_format("%s ±%.0f %%", time,
				     50 * (answer->high_ns - answer->low_ns) / answer->wall_ns) :
			 text_copy("–");
	print_cell(out, text, ANSWER_COLUMNS);
}

static void print_measured(FILE *out, const struct scale *scale, unsigned cores)
{
	for (size_t i = 0; i < scale->measured.count; i++) {
		const struct scale_measured *measured = &scale->measured.items[i];
		if (measured->cores != cores)
			continue;
		AUTO(text) char *time = seconds_of(measured->wall_ns);
		fprintf(out, "  %s", time);
	}
	fputc('\n', out);
}

static void print_predictions(FILE *out, const struct scale *scale,
			      const struct report_options *options)
{
	unsigned cores = 0;

	table_style(out, options, "2");
	fputs("  cores", out);
	for (size_t i = 0; i < SHOWN_MODELS; i++)
		if (has_model(scale, shown_models[i]))
			print_cell(out, scale_model_name(shown_models[i]), ANSWER_COLUMNS);
	fputs("  measured\n", out);
	table_style(out, options, NULL);
	for (size_t i = 0; i < scale->answers.count; i++) {
		if (scale->answers.items[i].cores == cores)
			continue;
		cores = scale->answers.items[i].cores;
		fprintf(out, "%7u", cores);
		for (size_t j = 0; j < SHOWN_MODELS; j++)
			if (has_model(scale, shown_models[j]))
				print_answer(out, scale_answer(scale, cores, shown_models[j]));
		print_measured(out, scale, cores);
	}
	fputc('\n', out);
}

/* ---- what limits ---- */

static const char *const limit_heads[PARALLEL_LIMITS] = {
	[PARALLEL_LIMIT_SERIAL] = "serial",   [PARALLEL_LIMIT_LOCKS] = "locks",
	[PARALLEL_LIMIT_IO] = "I/O",          [PARALLEL_LIMIT_TIMER] = "asleep",
	[PARALLEL_LIMIT_OUTSIDE] = "outside", [PARALLEL_LIMIT_IMBALANCE] = "imbalance",
	[PARALLEL_LIMIT_THREADS] = "threads",
};

static void print_losses(FILE *out, const struct scale *scale, unsigned cores)
{
	struct parallel_losses losses = scale_losses(scale, cores);

	if (losses.core_ns <= 0)
		return;
	fprintf(out, "%7u  %5.1f %%", cores, 100 * losses.used_ns / losses.core_ns);
	for (unsigned i = 0; i < PARALLEL_LIMITS; i++)
		fprintf(out, "  %7.1f %%", 100 * losses.by_limit_ns[i] / losses.core_ns);
	fputc('\n', out);
}

static void print_limits(FILE *out, const struct scale *scale, const struct report_options *options)
{
	unsigned cores = 0;

	table_style(out, options, "2");
	fputs("  cores     used", out);
	for (unsigned i = 0; i < PARALLEL_LIMITS; i++)
		fprintf(out, "  %9s", limit_heads[i]);
	fputc('\n', out);
	table_style(out, options, NULL);
	for (size_t i = 0; i < scale->answers.count; i++) {
		if (scale->answers.items[i].cores == cores)
			continue;
		cores = scale->answers.items[i].cores;
		print_losses(out, scale, cores);
	}
	fputc('\n', out);
}

static void print_legend(FILE *out, const struct report_options *options)
{
	table_style(out, options, "2");
	header_wrapped(
		out,
		"A thread is active while it runs or could run. Predictions are of the wall time on so "
		"many cores of this machine, otherwise idle, with 95 % intervals. The last table shows "
		"what core time would be used, and what the rest would wait for: one thread alone "
		"(serial), locks, I/O, sleep, something outside of the program, threads that wait for "
		"others (imbalance), or that there are no more threads.",
		0, options->columns);
	table_style(out, options, NULL);
}

void report_scale_text(FILE *out, const struct recording *recording, const struct scale *scale,
		       const struct report_options *options)
{
	struct report_options look = header_fit(options);

	if (!recording->runs.count) {
		fputs("Nothing was recorded by lever scale.\n", out);
		return;
	}
	print_head(out, recording, scale, &look);
	if (!scale->runs.count || scale->wall_ns <= 0) {
		header_wrapped(out,
			       "No run came to its end, so there is no answer: let the program end "
			       "by itself.",
			       0, look.columns);
		return;
	}
	print_levels(out, scale, &look);
	print_course(out, scale, &look);
	print_phases(out, scale, &look);
	print_predictions(out, scale, &look);
	print_limits(out, scale, &look);
	print_legend(out, &look);
}
