/* SPDX-License-Identifier: BSD-2-Clause */
/* first_screen - labelled lines for a reader who has never seen a causal profile. */
#include "report/causal/first_screen.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "report/causal/advice.h"
#include "report/causal/causes.h"
#include "report/causal/sets.h"
#include "report/causal/warnings.h"
#include "report/display.h"
#include "report/run_totals.h"
#include "report/terminal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HALF_AIM 0.01 /* of the first places' intervals: a longer run is proposed above */
#define LONGER_LEAST 2.0
#define LONGER_MOST 10.0
#define NAME_COLUMNS 48
#define BEFORE_EXPERIMENTS_NS 2.5e9 /* at most, of a program that runs by itself */
#define SECONDS_UNIT 0.1            /* of a proposed time: tens of seconds */

static void print_line(FILE *out, const struct report_options *options, const char *label,
		       const char *text)
{
	terminal_label(out, options, label);
	terminal_wrapped(out, text, TERMINAL_INDENT, options->columns);
}

/* "main.c:8 (parse)", "parse (main.c:8)", "parse (main.c:8, with all it calls)"; to be freed. */
static char *name_of(const struct target_verdict *verdict)
{
	const struct recording_target *target = verdict->target->target;
	bool is_inclusive = target->kind == TARGET_INCLUSIVE && target->function;
	AUTO(text) char *name = display_clean(is_inclusive ? target->function : target->name);
	const char *path = target->file ? target->file : target->object;
	const char *slash = path ? strrchr(path, '/') : NULL;
	AUTO(text) char *file = display_clean(slash ? slash + 1 : path);
	AUTO(text)
	char *place = target->kind == TARGET_LINE || target->kind == TARGET_CLASS ?
			      display_clean(target->function ? target->function : "") :
		      !path                        ? text_copy("") :
		      target->file && target->line ? text_format("%s:%u", file, target->line) :
						     text_copy(file);
	AUTO(text) char *fitted = display_fit(name, NAME_COLUMNS);
	AUTO(text) char *fitted_place = display_fit(place, NAME_COLUMNS);
	AUTO(text) char *caller = display_clean(verdict->target->named_outer);
	return *place ? text_format("%s (%s%s%s%s)", fitted, fitted_place,
				    verdict->target->named_outer ? ", in " : "",
				    verdict->target->named_outer ? caller : "",
				    is_inclusive ? ", with all it calls" : "") :
			take(&fitted);
}

static void print_together(FILE *out, const struct report *report, const struct advice *advice,
			   const struct report_options *options)
{
	for (unsigned i = 0; i < advice->together.count; i++) {
		AUTO(text) char *text = sets_together(report, advice->together.items[i]);
		print_line(out, options, "together", text);
	}
}

/* Is the best set better than the best of the others? */
static bool is_set_first(const struct advice *advice)
{
	const struct advice_list *gains = &advice->gains, *together = &advice->together;

	return together->count &&
	       (!gains->count || together->items[0]->at.low > gains->items[0]->at.low);
}

/* Parts are indented below the place that they stand in. */
static void print_cause(FILE *out, const struct cause *cause, const char *label,
			const struct report_options *options)
{
	const struct target_verdict *verdict = cause->verdict;
	AUTO(text) char *name = name_of(verdict);
	AUTO(text) char *gain = display_gain(verdict->at.gain);
	AUTO(text)
	char *branch = cause->depth ? text_format("%*s└ ", 2 * (int)(cause->depth - 1), "") :
				      text_copy("");
	AUTO(text)
	char *text =
		text_format("%s%s: %.3g %% faster → %s ±%.1f; at most %+.0f %%", branch, name,
			    verdict->at.speedup * 100, gain, verdict_half_interval(verdict) * 100,
			    verdict->effect->ceiling * 100);
	print_line(out, options, label, text);
}

static void print_gains(FILE *out, const struct advice *advice,
			const struct report_options *options)
{
	struct causes causes = causes_of(advice);

	for (unsigned i = 0; i < causes.count; i++) {
		const struct cause *cause = &causes.items[i];
		bool is_root = !cause->depth;
		print_cause(out, cause, !is_root ? "" : i ? "then" : "do first", options);
		if (!is_root)
			continue;
		AUTO(text) char *why = advice_why(advice, cause->verdict);
		print_line(out, options, "", why);
	}
	if (!advice->gains.count && !advice->together.count)
		print_line(out, options, "do first",
			   advice->unsure.count ?
				   "nothing is sure yet" :
				   "nothing that was tried makes the program faster");
}

/* "a (what), b (what) and 3 more"; NULL if the list is empty. To be freed. */
static char *list_text(const struct advice_list *list,
		       char *(*what)(const struct target_verdict *verdict))
{
	AUTO(text) char *text = NULL;

	for (unsigned i = 0; i < list->count; i++) {
		AUTO(text) char *before = text;
		AUTO(text) char *name = display_clean(list->items[i]->target->target->name);
		AUTO(text) char *fitted = display_fit(name, NAME_COLUMNS);
		AUTO(text) char *one = what(list->items[i]);
		text = text_format("%s%s%s (%s)", before ? before : "", before ? ", " : "", fitted,
				   one);
	}
	return text && list->more ? text_format("%s and %u more", text, list->more) : take(&text);
}

static char *hopeless_text(const struct target_verdict *verdict)
{
	return text_format("%.0f %% of the time, at most %+.1f %%", 100 * verdict->target->share,
			   100 * verdict->effect->ceiling);
}

static char *unsure_text(const struct target_verdict *verdict)
{
	return text_format("at most %+.0f %%", 100 * verdict->effect->ceiling);
}

static char *contention_text(const struct target_verdict *verdict)
{
	AUTO(text) char *gain = display_gain(verdict->at.gain);
	return text_format("%s ±%.1f", gain, 100 * verdict_half_interval(verdict));
}

static char *latency_text(const struct target_verdict *verdict)
{
	AUTO(text) char *gain = display_gain(-verdict->at.gain);
	return text_format("%s ±%.1f", gain, 100 * verdict_half_interval(verdict));
}

static void print_lists(FILE *out, const struct advice *advice,
			const struct report_options *options)
{
	AUTO(text) char *hopeless = list_text(&advice->hopeless, hopeless_text);
	AUTO(text) char *contention = list_text(&advice->contention, contention_text);
	AUTO(text) char *unsure = list_text(&advice->unsure, unsure_text);
	AUTO(text) char *latency = list_text(&advice->latency, latency_text);
	AUTO(text) char *limits = advice_limits(advice);

	if (latency)
		print_line(out, options, "latency", latency);
	if (contention) {
		AUTO(text)
		char *text = text_format("%s: do not make it faster, let fewer threads meet there",
					 contention);
		print_line(out, options, "contention", text);
	}
	if (unsure)
		print_line(out, options, "not sure yet", unsure);
	if (hopeless)
		print_line(out, options, "hot, no gain", hopeless);
	if (limits)
		print_line(out, options, "limits", limits);
}

/* How often as much time makes the intervals HALF_AIM wide; 1: no need. */
static double times_longer(const struct advice *advice)
{
	double widest = 0;

	for (unsigned i = 0; i < advice->gains.count; i++)
		widest = fmax(widest, verdict_half_interval(advice->gains.items[i]));
	for (unsigned i = 0; i < advice->unsure.count; i++)
		widest = fmax(widest, verdict_half_interval(advice->unsure.items[i]));
	double times = widest * widest / (HALF_AIM * HALF_AIM);
	return times <= LONGER_LEAST ? 1 : fmin(times, LONGER_MOST);
}

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

static void print_surer(FILE *out, const struct report *report, const struct advice *advice,
			const struct report_options *options)
{
	const struct recording_run *last = run_totals_of(report->recording).last;
	double times = times_longer(advice);
	AUTO(text) char *command = display_command(last->command);
	bool is_long = display_width(command) > options->columns;
	const char *dashes = is_long || text_starts_with(command, "--") ? "" : "-- ";

	if (times <= 1 || !last->wall_ns)
		return;
	bool is_again = ended_by_itself(report->recording, last);
	AUTO(text)
	char *seconds =
		is_again ? text_copy("") :
			   text_format("--seconds %.0f ",
				       ceil(times * SECONDS_UNIT * (double)last->wall_ns / 1e9) /
					       SECONDS_UNIT);
	AUTO(text)
	char *text = text_format("lever run %s%s%s%s, results add up in one profile", seconds,
				 dashes, is_long ? "and the same program" : command,
				 is_again ? "; run it a few times" : "");
	print_line(out, options, "to be surer", text);
}

static const char *point_word(const struct recording_point *point)
{
	return point->kind == POINT_SAMPLED && point->is_found ? "CPU time" : point->name;
}

/* How far a point that Lever found is to be trusted, as the end of a sentence; to be freed. */
static char *trust_text(const struct point_choice *choice)
{
	if (!choice->used)
		return text_copy("");
	return text_format(", found by lever%s%s%s%s%s; another: --progress NAME",
			   choice->agreeing ? "; agrees with " : "",
			   choice->agreeing ? point_word(choice->agreeing) : "",
			   choice->opposing ? "; contradicted by " : "",
			   choice->opposing ? point_word(choice->opposing) : "",
			   choice->opposing ? ", so name a point that you trust" : "");
}

static void print_progress(FILE *out, const struct report *report,
			   const struct target_verdicts *verdicts,
			   const struct report_options *options)
{
	const struct recording_point *point = verdicts->items[0].effect->point;
	struct run_totals totals = run_totals_of(report->recording);
	double per_second = run_totals_rate(report->recording, &totals, point);
	bool has_rate = isfinite(per_second) && point->kind == POINT_THROUGHPUT;
	AUTO(text) char *rate = has_rate ? display_rate(per_second) : NULL;
	AUTO(text) char *trust = trust_text(&report->causal->choice);
	AUTO(text)
	char *text = verdicts->has_several_points ?
			     text_copy("several points; gains are those of the best") :
			     text_format("%s%s%s%s%s", point_word(point), rate ? ", " : "",
					 rate ? rate : "", rate ? " a second" : "", trust);
	AUTO(text) char *clean = display_clean(text);
	print_line(out, options, "progress", clean);
}

static void print_measured(FILE *out, const struct report *report,
			   const struct report_options *options)
{
	const struct causal *causal = report->causal;
	struct run_totals totals = run_totals_of(report->recording);
	AUTO(text)
	char *wall = totals.wall_ns ? display_duration((double)totals.wall_ns) :
				      text_copy("unknown time");
	bool is_runtime = totals.last && text_equals(totals.last->engine, "runtime");
	size_t tried = 0;

	for (size_t i = 0; i < causal->count; i++)
		tried += causal->targets[i].experiments > 0;
	AUTO(text)
	char *text = text_format("%s%s, %u experiments on %zu of %zu places; +10 %% is 10 %% less "
				 "time for the same work",
				 wall, is_runtime ? " by the runtime engine" : "",
				 causal->experiments, tried, causal->count);
	print_line(out, options, "measured", text);
}

/* The details have them all. */
static void print_first_warning(FILE *out, const struct report *report,
				const struct report_options *options)
{
	struct warnings warnings = causal_warnings(report->recording, report->causal);

	if (warnings.count && options->is_brief) {
		AUTO(text) char *clean = display_clean(warnings.items[0]);
		AUTO(text)
		char *text = warnings.count == 1 ? text_copy(clean) :
						   text_format("%s (and %zu more: lever report)",
							       clean, warnings.count - 1);
		print_line(out, options, "warning", text);
	}
	warnings_release(&warnings);
}

void first_screen_print(FILE *out, const struct report *report,
			const struct target_verdicts *verdicts)
{
	struct report_options fitted = terminal_fit(&report->options), *options = &fitted;
	struct advice advice = advice_of(report, verdicts);

	print_measured(out, report, options);
	print_progress(out, report, verdicts, options);
	if (is_set_first(&advice))
		print_together(out, report, &advice, options);
	print_gains(out, &advice, options);
	if (!is_set_first(&advice))
		print_together(out, report, &advice, options);
	print_lists(out, &advice, options);
	print_surer(out, report, &advice, options);
	print_first_warning(out, report, options);
}
