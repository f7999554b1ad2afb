/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * text - parallelism as text: a histogram of active threads, their number over time, the predicted
 * times, and the waits of cores.
 */
#include "report/formats.h"

#include "base/cleanup.h"
#include "report/display.h"
#include "report/header.h"
#include "report/scale/hosts.h"
#include "report/scale/warnings.h"
#include "report/terminal.h"

#include <math.h>
#include <string.h>

#define BAR_COLUMNS 40
#define LEVELS_SHOWN 24
#define LEVEL_LEAST 0.0005 /* of the time; smaller levels are not shown */
#define ANSWER_COLUMNS 16
#define IDLE_LEAST 0.005  /* of the time; a smaller share is not reported */
#define TAKEN_LEAST 0.001 /* of the cores' time */

/* With enough digits to tell predictions apart. */
static char *seconds_of(double ns)
{
	if (ns < 1 || ns >= 1e11)
		return ns < 1 ? text_copy("0 s") : display_duration(ns);
	return ns < 1e9 ? display_duration(ns) : text_format("%.*f s", ns < 1e10 ? 2 : 1, ns / 1e9);
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
	char *switches =
		display_count((uint64_t)(last->switches / (last_run(scale)->wall_ns / 1e9)));

	terminal_label(out, options, "threads");
	fprintf(out, "%u made, in %u process%s, at most %u at once; %s switches a second\n",
		last->threads, last->processes, last->processes == 1 ? "" : "es",
		last->most_threads, switches);
}

static void print_cores(FILE *out, const struct scale *scale, const struct report_options *options)
{
	const struct recording_parallel *last = last_run(scale)->parallel;

	terminal_label(out, options, "cores");
	fprintf(out, "%u of %u, %zu run%s%s", scale->cores, scale->machine_cores, scale->runs.count,
		scale->runs.count == 1 ? "" : "s",
		last->hides_cores ? ", hidden from the program" : "");
	for (size_t i = 0; i < scale->measured.count; i++)
		if (scale->measured.items[i].cores != scale->cores)
			fprintf(out, "; compared with %u on %u", scale->measured.items[i].runs,
				scale->measured.items[i].cores);
	fputc('\n', out);
}

static void print_taken(FILE *out, const struct scale *scale, const struct report_options *options)
{
	double core = scale->wall_ns * scale->cores;

	double taken = scale->displaced_ns + scale->stolen_ns + scale->counting_ns;
	if (core <= 0 || taken < TAKEN_LEAST * core)
		return;
	terminal_label(out, options, "taken");
	fprintf(out,
		"%.1f %% of the cores' time by the hypervisor, %.1f %% by other programs, "
		"%.1f %% by counting\n",
		100 * scale->stolen_ns / core, 100 * scale->displaced_ns / core,
		100 * scale->counting_ns / core);
}

static void print_head(FILE *out, const struct recording *recording, const struct scale *scale,
		       const struct report_options *options)
{
	struct run_totals totals = run_totals_of(recording);
	AUTO(text)
	char *command = display_command(totals.last->command ? totals.last->command : "[]");
	AUTO(text)
	char *fitted = display_fit(command, options->columns - strlen("Parallelism of "));

	terminal_style(out, options, "1");
	fprintf(out, "Parallelism of %s", fitted);
	terminal_style(out, options, NULL);
	fputc('\n', out);
	header_run(out, &totals, options);
	if (!scale->runs.count)
		return;
	print_cores(out, scale, options);
	print_threads(out, scale, options);
	print_taken(out, scale, options);
	struct warnings warnings = scale_warnings(scale);
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

	fprintf(out, "%7u  %*s%s  %5.1f %%  ", level->threads, (int)(10 - display_width(time)), "",
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
	if (scale->hosts.count)
		fputs("on the first host:\n", out);
	terminal_style(out, options, "2");
	fputs(" active   wall time    share\n", out);
	terminal_style(out, options, NULL);
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
		"   mean  %.2f threads active, %.2f on a core; up to %u; a single one for "
		"%.1f %% of the time\n\n",
		scale->mean_active, scale->mean_running, scale->level_reached,
		100 * scale->serial_share);
}

/* The reasons why no thread was active, as shares of the blocked threads' time. */
static void print_idle(FILE *out, const struct scale *scale, const struct report_options *options)
{
	static const char *const names[PARALLEL_WAITS] = {
		[PARALLEL_LOCK] = "locks",
		[PARALLEL_IO] = "I/O",
		[PARALLEL_TIMER] = "sleep",
		[PARALLEL_CONDITION] = "other threads",
		[PARALLEL_OTHER] = "pipes, sockets, children",
	};
	const struct parallel_level *level = scale->levels.items;
	AUTO(text) char *why = text_copy("");
	double all = 0;

	if (level->threads || level->wall_ns < IDLE_LEAST * scale->wall_ns)
		return;
	for (unsigned i = 0; i < PARALLEL_WAITS; i++)
		all += level->waiting_ns[i];
	for (unsigned i = 0; i < PARALLEL_WAITS && all > 0; i++) {
		AUTO(text) char *before = why;
		why = level->waiting_ns[i] < 0.01 * all ?
			      text_copy(before) :
			      text_format("%s%s%s %.0f %%", before, *before ? ", " : ": ", names[i],
					  100 * level->waiting_ns[i] / all);
	}
	AUTO(text)
	char *sentence =
		text_format("no thread was active for %.1f %% of the time; all waited for%s",
			    100 * level->wall_ns / scale->wall_ns, why);
	terminal_label(out, options, "idle");
	terminal_wrapped(out, sentence, 13, options->columns);
	fputc('\n', out);
}

/* ---- over time ---- */

/* Mean number of active threads between two times. */
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

static void print_slices(FILE *out, const struct scale *scale, const struct report_options *options)
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
	terminal_label(out, options, "over time");
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
		terminal_label(out, options, i ? "" : "phases");
		fprintf(out, "from %s for %s: %.2f active, %.2f on a core\n", begin, length,
			phase->active, phase->running);
	}
	if (scale->slices.count >= 3)
		fputc('\n', out);
}

/* ---- predictions ---- */

static bool has_model(const struct scale *scale, enum scale_model model)
{
	for (size_t i = 0; i < scale->predictions.count; i++)
		if (scale->predictions.items[i].model == model)
			return true;
	return false;
}

static void print_cell(FILE *out, const char *text, unsigned columns)
{
	size_t width = display_width(text);
	fprintf(out, "  %s%*s", text, width < columns ? (int)(columns - width) : 0, "");
}

/* `best`: the model to believe. */
static void print_prediction(FILE *out, const struct scale_prediction *prediction,
			     enum scale_model best)
{
	AUTO(text) char *time = prediction ? seconds_of(prediction->wall_ns) : text_copy("");
	AUTO(text)
	char *text = prediction ? text_format("%s ±%.0f %%%s", time,
					      50 * (prediction->high_ns - prediction->low_ns) /
						      prediction->wall_ns,
					      prediction->model == best ? " *" : "") :
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
		fprintf(out, "  %s%s", time, measured->is_earlier ? " (before)" : "");
	}
	fputc('\n', out);
}

/* Each model's error on so many cores; empty without runs there. To be freed. */
static char *errors_here(const struct scale *scale)
{
	char *here = text_copy("");
	unsigned cores = 0;

	for (size_t i = 0; i < scale->predictions.count; i++) {
		const struct scale_prediction *prediction = &scale->predictions.items[i];
		if (!prediction->is_tried || prediction->cores == scale->cores)
			continue;
		AUTO(text) char *before = here;
		bool is_new = prediction->cores != cores;
		cores = prediction->cores;
		AUTO(text)
		char *head = is_new ? text_format("%son %u core%s ", *before ? "; " : "", cores,
						  cores == 1 ? "" : "s") :
				      text_copy(", ");
		AUTO(text) char *miss = display_gain(prediction->error);
		here = text_format("%s%s%s %s", before, head, scale_model_name(prediction->model),
				   miss);
	}
	return here;
}

/* Each model's error with other programs. To be freed. */
static char *errors_elsewhere(void)
{
	char *elsewhere =
		text_copy("mean error on real programs (number), from one core to two and back: ");

	for (unsigned model = 0; model < SCALE_MODELS; model++) {
		AUTO(text) char *before = elsewhere;
		struct scale_model_accuracy record = scale_accuracy_of(model);
		elsewhere =
			text_format("%s%s%s %.1f %% (%u)", before, model ? ", " : "",
				    scale_model_name(model), 100 * record.error, record.programs);
	}
	return elsewhere;
}

static void print_note(FILE *out, const char *label, const char *sentence,
		       const struct report_options *options)
{
	terminal_label(out, options, label);
	terminal_wrapped(out, sentence, TERMINAL_INDENT, options->columns);
}

/* The model to believe, and why. */
static void print_accuracy(FILE *out, const struct scale *scale,
			   const struct report_options *options)
{
	AUTO(text) char *here = errors_here(scale);
	AUTO(text) char *elsewhere = errors_elsewhere();
	AUTO(text)
	char *believed = text_format(
		"the model to believe: the first of replay, growth and formula whose error "
		"on other cores is not %.0f points above that of another",
		100 * SCALE_CLOSER_LEAST);

	print_note(out, "*", believed, options);
	if (*here)
		print_note(out, "errors", here, options);
	print_note(out, "on others", elsewhere, options);
	if (scale->check.is_there) {
		AUTO(text) char *miss = display_gain(scale->check.error);
		AUTO(text)
		char *sentence =
			scale->check.refusal ?
				text_format("no answer: %s", scale->check.refusal) :
				text_format("the recorded run, simulated on its own cores: %s",
					    miss);
		print_note(out, "replay", sentence, options);
	}
	fputc('\n', out);
}

static void print_predictions(FILE *out, const struct scale *scale,
			      const struct report_options *options)
{
	unsigned cores = 0;

	if (scale->hosts.count)
		fputs("the job, on so many cores of each host:\n", out);
	terminal_style(out, options, "2");
	fputs("  cores", out);
	for (unsigned model = 0; model < SCALE_MODELS; model++)
		if (has_model(scale, model))
			print_cell(out, scale_model_name(model), ANSWER_COLUMNS);
	fputs("  measured\n", out);
	terminal_style(out, options, NULL);
	for (size_t i = 0; i < scale->predictions.count; i++) {
		if (scale->predictions.items[i].cores == cores)
			continue;
		cores = scale->predictions.items[i].cores;
		fprintf(out, "%7u", cores);
		for (unsigned model = 0; model < SCALE_MODELS; model++)
			if (has_model(scale, model))
				print_prediction(out, scale_prediction(scale, cores, model),
						 scale_best_model(scale, cores));
		print_measured(out, scale, cores);
	}
	fputc('\n', out);
	print_accuracy(out, scale, options);
}

/* ---- phases with a name, and a target ---- */

#define SPANS_SHOWN 12
#define SPAN_CORES_MOST 3

/* Up to three other numbers of cores, ascending; returns their number. */
static unsigned other_cores(const struct scale *scale, unsigned *cores)
{
	unsigned count = 0;

	for (size_t i = 0; i < scale->predictions.count && count < SPAN_CORES_MOST; i++) {
		unsigned one = scale->predictions.items[i].cores;
		bool is_known = one == scale->cores;
		for (unsigned j = 0; j < count; j++)
			is_known = is_known || cores[j] == one;
		if (!is_known)
			cores[count++] = one;
	}
	return count;
}

static void print_span(FILE *out, const struct scale *scale, const struct scale_span *span,
		       const unsigned *cores, unsigned count)
{
	AUTO(text) char *clean = display_clean(span->name);
	AUTO(text) char *name = display_fit(clean, 20);
	AUTO(text) char *wall = seconds_of(span->wall_ns);
	AUTO(text) char *times = display_count(span->times);

	fprintf(out, "  %s%*s  %7s  %*s%s  %6.2f  %6.2f  %5.1f %%", name,
		(int)(20 - display_width(name)), "", times, (int)(9 - display_width(wall)), "",
		wall, span->active, span->running, 100 * span->serial_share);
	for (unsigned i = 0; i < count; i++) {
		AUTO(text)
		char *there = seconds_of(parallel_predict(span->levels.items, span->levels.count,
							  scale->cores, cores[i]));
		fprintf(out, "  %*s%s", (int)(9 - display_width(there)), "", there);
	}
	fputc('\n', out);
}

static void print_spans(FILE *out, const struct scale *scale, const struct report_options *options)
{
	unsigned cores[SPAN_CORES_MOST], count = other_cores(scale, cores);

	if (!scale->spans.count)
		return;
	terminal_style(out, options, "2");
	fputs("  span                    times  wall time  active  on CPU    alone", out);
	for (unsigned i = 0; i < count; i++)
		fprintf(out, "  on %6u", cores[i]);
	fputc('\n', out);
	terminal_style(out, options, NULL);
	for (size_t i = 0; i < scale->spans.count && i < SPANS_SHOWN; i++)
		print_span(out, scale, &scale->spans.items[i], cores, count);
	if (scale->spans.count > SPANS_SHOWN)
		fprintf(out, "  and %zu more\n", scale->spans.count - SPANS_SHOWN);
	fputc('\n', out);
}

/* Is a gain still near that of the experiments, in words? */
static const char *predicted_gain_text(const struct scale_predicted_gain *predicted_gain,
				       double measured)
{
	if (predicted_gain->low > 0.5 * measured)
		return "matters";
	if (predicted_gain->high < 0.5 * measured)
		return predicted_gain->low > 0 ? "matters less" : "hardly matters";
	return predicted_gain->low > 0 ? "matters" : "not sure";
}

static void print_what_if(FILE *out, const struct scale *scale,
			  const struct report_options *options)
{
	const struct scale_what_if *what_if = &scale->what_if;
	const struct recording_what_if *asked = what_if->asked;

	if (!asked)
		return;
	double measured = asked->gain_ppm / 1e6;
	double half = (asked->high_ppm - asked->low_ppm) / 2e6;
	AUTO(text) char *name = display_clean(asked->name);
	AUTO(text)
	char *head = text_format(
		"%s: with %.0f %% less time in it, the experiments predict %.1f %% less time "
		"of the program (±%.1f)%s%s",
		name, 100 * asked->speedup, 100 * measured, 100 * half,
		what_if->refusal ? "; on other cores: no answer, " : "",
		what_if->refusal ? what_if->refusal : "");
	terminal_label(out, options, "target");
	terminal_wrapped(out, head, 13, options->columns);
	for (size_t i = 0; i < what_if->predictions.count; i++) {
		const struct scale_predicted_gain *predicted_gain = &what_if->predictions.items[i];
		fprintf(out, "             on %5u core%s %5.1f %% ±%.1f  %s\n",
			predicted_gain->cores,
			predicted_gain->cores == 1 ? ": " : "s:", 100 * predicted_gain->gain,
			50 * (predicted_gain->high - predicted_gain->low),
			predicted_gain_text(predicted_gain, measured));
	}
	fputc('\n', out);
}

/* ---- what limits ---- */

static const char *const limit_heads[PARALLEL_LIMITS] = {
	[PARALLEL_LIMIT_SERIAL] = "serial",
	[PARALLEL_LIMIT_LOCKS] = "locks",
	[PARALLEL_LIMIT_IO] = "I/O",
	[PARALLEL_LIMIT_TIMER] = "sleep",
	[PARALLEL_LIMIT_EXTERNAL] = "external",
	[PARALLEL_LIMIT_IMBALANCE] = "imbalance",
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

	if (scale->hosts
		    .count) /* hosts wait for each other, and that is no loss of the first one */
		return;
	terminal_style(out, options, "2");
	fputs("  cores     used", out);
	for (unsigned i = 0; i < PARALLEL_LIMITS; i++)
		fprintf(out, "  %9s", limit_heads[i]);
	fputc('\n', out);
	terminal_style(out, options, NULL);
	for (size_t i = 0; i < scale->predictions.count; i++) {
		if (scale->predictions.items[i].cores == cores)
			continue;
		cores = scale->predictions.items[i].cores;
		print_losses(out, scale, cores);
	}
	fputc('\n', out);
}

static void print_legend(FILE *out, const struct report_options *options, bool has_hosts)
{
	AUTO(text)
	char *legend = text_format(
		"A thread is active while it runs or could run. Predictions are wall times "
		"on so many cores of this machine, otherwise idle, with 95 %% intervals.%s",
		has_hosts ? "" :
			    " The "
			    "last table divides core time into used time and waits: for one thread "
			    "alone (serial), for locks, I/O, sleep or external events, for other "
			    "threads (imbalance), or for lack of threads.");

	terminal_style(out, options, "2");
	terminal_wrapped(out, legend, 0, options->columns);
	terminal_style(out, options, NULL);
}

void report_scale_text(FILE *out, const struct report *report)
{
	const struct recording *recording = report->recording;
	const struct scale *scale = report->scale;
	const struct report_options *options = &report->options;
	struct report_options layout = terminal_fit(options);

	if (!recording->runs.count) {
		fputs("No run in this file; record one with lever scale.\n", out);
		return;
	}
	print_head(out, recording, scale, &layout);
	if (!scale->runs.count || scale->wall_ns <= 0) {
		terminal_wrapped(out,
				 "No answer: no run was finished. Let the program end by itself.",
				 0, layout.columns);
		return;
	}
	scale_hosts_print(out, scale, &layout);
	print_levels(out, scale, &layout);
	print_idle(out, scale, &layout);
	print_slices(out, scale, &layout);
	print_phases(out, scale, &layout);
	print_spans(out, scale, &layout);
	print_predictions(out, scale, &layout);
	print_what_if(out, scale, &layout);
	print_limits(out, scale, &layout);
	print_legend(out, &layout, scale->hosts.count);
}
