/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * text - a causal profile as text: the run, the ranked verdicts, and sentences.
 *
 * Without a verdict, it says why, and what would give one.
 */
#include "report/formats.h"

#include "analyze/causal/callers.h"
#include "analyze/causal/visits_by_process.h"
#include "base/cleanup.h"
#include "report/causal/first_screen.h"
#include "report/causal/no_answer.h"
#include "report/causal/noise_sources.h"
#include "report/causal/sets.h"
#include "report/causal/tail_latency.h"
#include "report/causal/verdict_table.h"
#include "report/causal/warnings.h"
#include "report/display.h"
#include "report/header.h"
#include "report/run_totals.h"
#include "report/terminal.h"

#include <math.h>
#include <string.h>

#define SENTENCES_SHOWN 3 /* of each outcome */
#define NAMES_SHOWN 4     /* in a list */
#define PROCESSES_SHOWN 6
#define CALLER_LEAST 0.05

static void print_samples(FILE *out, const struct run_totals *totals,
			  const struct report_options *options)
{
	AUTO(text) char *samples = display_count(totals->samples);
	AUTO(text) char *period = display_duration((double)totals->last->period_ns);
	AUTO(text) char *lost = display_count(totals->lost);
	terminal_label(out, options, "samples");
	fprintf(out, "%s on CPU, every %s, %s lost\n", samples, period, lost);
}

static void print_point(FILE *out, const struct recording *recording,
			const struct run_totals *totals, const struct recording_point *point)
{
	uint64_t visits = run_totals_visits(recording, point->id);
	double latency_ns = run_totals_latency_ns(recording, point->id);
	double per_second = run_totals_rate(recording, totals, point);
	AUTO(text) char *name = display_clean(point->name);
	AUTO(text) char *count = display_count(visits);
	fprintf(out, "%s: %s visits", name, count);
	if (point->kind == POINT_LATENCY && latency_ns > 0) {
		AUTO(text) char *latency = display_duration(latency_ns);
		fprintf(out, ", %s each", latency);
	} else if (isfinite(per_second)) {
		AUTO(text) char *rate = display_rate(per_second);
		fprintf(out, ", %s a second without pauses", rate);
	}
	fprintf(out, "%s\n", point->kind == POINT_SAMPLED ? " (sampled)" : "");
}

/* "worker 1234: 20,000, worker 1235: 19,000, 7 more: 3,000". */
static char *processes_text(const struct visits_by_process *visits_by_process)
{
	char *text = NULL;
	uint64_t rest = visits_by_process->unknown;

	for (size_t i = 0; i < visits_by_process->count; i++) {
		const struct process_visits *process_visits = &visits_by_process->items[i];
		if (i >= PROCESSES_SHOWN) {
			rest += process_visits->visits;
			continue;
		}
		AUTO(text) char *before = text;
		AUTO(text) char *command = display_clean(process_visits->command);
		AUTO(text) char *count = display_count(process_visits->visits);
		text = text_format("%s%s%s %u: %s", before ? before : "", before ? ", " : "",
				   command, process_visits->pid, count);
	}
	if (rest) {
		AUTO(text) char *before = text;
		AUTO(text) char *count = display_count(rest);
		text = text_format("%s, others: %s", before, count);
	}
	return text;
}

/* Prints visits by process, if there are several. */
static void print_processes(FILE *out, const struct recording *recording, int64_t point_id,
			    const struct report_options *options)
{
	struct visits_by_process visits_by_process = visits_by_process_of(recording, point_id);

	if (visits_by_process.count > 1) {
		AUTO(text) char *text = processes_text(&visits_by_process);
		terminal_label(out, options, "");
		fputs("  ", out);
		terminal_wrapped(out, text, TERMINAL_INDENT + 2, options->columns);
	}
	visits_by_process_release(&visits_by_process);
}

static void print_progress(FILE *out, const struct recording *recording,
			   const struct run_totals *totals, const struct report_options *options)
{
	for (size_t i = 0; i < recording->points.count; i++) {
		terminal_label(out, options, i ? "" : "progress");
		print_point(out, recording, totals, &recording->points.items[i]);
		print_processes(out, recording, recording->points.items[i].id, options);
	}
}

static void print_experiments(FILE *out, const struct causal *causal,
			      const struct report_options *options)
{
	const struct {
		unsigned count;
		const char *why;
	} reasons[] = {
		{causal->displaced, "displaced by other programs"},
		{causal->too_few_visits, "with too few visits"},
		{causal->cut_short, "cut short"},
		{causal->mischarged, "with pauses that contradict the samples"},
	};
	unsigned discarded =
		causal->displaced + causal->too_few_visits + causal->cut_short + causal->mischarged;
	terminal_label(out, options, "experiments");
	fprintf(out, "%u counted, %u discarded", causal->experiments, discarded);
	const char *between = " (";
	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
		if (!reasons[i].count)
			continue;
		fprintf(out, "%s%u %s", between, reasons[i].count, reasons[i].why);
		between = ", ";
	}
	fputs(discarded ? ")\n" : "\n", out);
}

static void print_warnings(FILE *out, const struct recording *recording,
			   const struct causal *causal, const struct report_options *options)
{
	struct warnings warnings = causal_warnings(recording, causal);
	header_warnings(out, &warnings, options);
	warnings_release(&warnings);
}

static void print_title(FILE *out, const struct run_totals *totals,
			const struct report_options *options)
{
	AUTO(text) char *command = display_command(totals->last->command);
	AUTO(text)
	char *fitted = display_fit(command, options->columns - strlen("Causal profile of "));
	terminal_style(out, options, "1");
	fprintf(out, "Causal profile of %s", fitted);
	terminal_style(out, options, NULL);
	fputc('\n', out);
}

static void print_header(FILE *out, const struct recording *recording, const struct causal *causal,
			 const struct report_options *options)
{
	struct run_totals totals = run_totals_of(recording);
	if (!totals.last)
		return;
	header_run(out, &totals, options);
	print_samples(out, &totals, options);
	print_progress(out, recording, &totals, options);
	print_experiments(out, causal, options);
	print_warnings(out, recording, causal, options);
	fputc('\n', out);
}

static char *target_text(const struct causal_target *target)
{
	AUTO(text) char *name = display_clean(target->target->name);
	AUTO(text) char *function = display_clean(target->target->function);
	if (target->target->kind == TARGET_FUNCTION || !target->target->function)
		return text_copy(name);
	return text_format("%s (%s)", name, function);
}

static char *sentence_of(const struct target_verdict *verdict, bool name_point)
{
	bool is_latency = verdict->effect->point->kind == POINT_LATENCY;
	AUTO(text) char *target = target_text(verdict->target);
	AUTO(text) char *point = display_clean(verdict->effect->point->name);
	AUTO(text) char *gain = display_gain(is_latency ? -verdict->at.gain : verdict->at.gain);
	AUTO(text)
	char *what = is_latency ? text_format("latency of %s", point) :
		     name_point ? text_format("program (%s)", point) :
				  text_copy("program");
	AUTO(text) char *interval = verdict_interval(verdict);
	bool is_range = interval[0] == '(';
	return text_format("optimizing %s by %.3g %% → %s %s %s%s%s%s", target,
			   verdict->at.speedup * 100, what, gain, is_range ? "" : "(", interval,
			   is_range ? "" : ")",
			   verdict->outcome == OUTCOME_CONTENTION ? ": contention" : "");
}

static unsigned print_sentences(FILE *out, const struct target_verdicts *verdicts,
				enum verdict_outcome outcome, const struct report_options *options)
{
	unsigned printed = 0;
	for (size_t i = 0; i < verdicts->count && printed < SENTENCES_SHOWN; i++) {
		if (verdicts->items[i].outcome != outcome)
			continue;
		AUTO(text)
		char *sentence = sentence_of(&verdicts->items[i], verdicts->has_several_points);
		terminal_style(out, options, verdict_outcome_style(outcome));
		terminal_wrapped(out, sentence, 0, options->columns);
		terminal_style(out, options, NULL);
		printed++;
	}
	return printed;
}

static void print_contention(FILE *out, const struct target_verdicts *verdicts,
			     const struct report_options *options)
{
	if (!print_sentences(out, verdicts, OUTCOME_CONTENTION, options))
		return;
	fputs("  ", out);
	terminal_wrapped(
		out,
		"Contention: faster, this code meets other threads sooner at a lock, a queue "
		"or shared memory, and slows them down. Do not make it faster: let fewer "
		"threads meet there, or call it less often.",
		2, options->columns);
}

static char *caller_text(const struct caller *caller)
{
	const struct recording_frame *user = caller->user;
	const char *slash = user && user->file ? strrchr(user->file, '/') : NULL;
	const char *file = slash ? slash + 1 : user ? user->file : NULL;
	AUTO(text) char *function = display_clean(user && user->function ? user->function : "?");
	AUTO(text) char *clean = display_clean(file ? file : "");
	AUTO(text)
	char *from = !user      ? text_copy("") :
		     user->line ? text_format(" from %s:%u (%s)", clean, user->line, function) :
				  text_format(" from %s", function);
	return text_format("%s%s %.0f %%",
			   caller->system_call ? caller->system_call : "no system call", from,
			   caller->share * 100);
}

/* For kernel targets among the first verdicts: system calls and user code that lead there. */
static void print_callers(FILE *out, const struct recording *recording,
			  const struct target_verdicts *verdicts,
			  const struct report_options *options)
{
	unsigned printed = 0;

	for (size_t i = 0; i < verdicts->count && printed < SENTENCES_SHOWN; i++) {
		const struct recording_target *target = verdicts->items[i].target->target;
		struct callers callers = callers_of(recording, target);
		if (verdicts->items[i].is_first && callers.count) {
			AUTO(text) char *name = display_clean(target->name);
			char *text = text_format("%s is called by ", name);
			for (size_t j = 0; j < callers.count && j < NAMES_SHOWN &&
					   (!j || callers.items[j].share >= CALLER_LEAST);
			     j++) {
				AUTO(text) char *before = text;
				AUTO(text) char *one = caller_text(&callers.items[j]);
				text = text_format("%s%s%s", before, j ? ", " : "", one);
			}
			terminal_wrapped(out, text, 2, options->columns);
			free(text);
			printed++;
		}
		callers_release(&callers);
	}
}

/* True if all verdicts of the target are unsure. */
static bool is_unsure(const struct target_verdicts *verdicts, size_t first)
{
	const struct causal_target *target = verdicts->items[first].target;
	for (size_t i = first; i < verdicts->count && verdicts->items[i].target == target; i++) {
		if (verdicts->items[i].outcome != OUTCOME_UNSURE)
			return false;
	}
	return true;
}

/* The largest of the target's ceilings. */
static double ceiling_of(const struct target_verdicts *verdicts, size_t first)
{
	const struct causal_target *target = verdicts->items[first].target;
	double most = 0;

	for (size_t i = first; i < verdicts->count && verdicts->items[i].target == target; i++)
		most = fmax(most, verdicts->items[i].effect->ceiling);
	return most;
}

static void print_unsure(FILE *out, const struct target_verdicts *verdicts,
			 const struct report_options *options)
{
	unsigned count = 0;
	AUTO(text) char *names = text_copy("");
	for (size_t i = 0; i < verdicts->count; i++) {
		if (!verdicts->items[i].is_first || !is_unsure(verdicts, i) ||
		    ++count > NAMES_SHOWN)
			continue;
		AUTO(text) char *before = names;
		AUTO(text) char *name = display_clean(verdicts->items[i].target->target->name);
		names = text_format("%s%s%s (+%.0f %%)", before, count > 1 ? ", " : "", name,
				    100 * ceiling_of(verdicts, i));
	}
	if (!count)
		return;
	AUTO(text)
	char *more = count > NAMES_SHOWN ? text_format(" and %u more", count - NAMES_SHOWN) :
					   text_copy("");
	AUTO(text)
	char *text = text_format(
		"No sure effect so far; in parentheses the most possible, even if the code took no "
		"time: %s%s. A longer run (--seconds), or another run into the same file, narrows "
		"the intervals.",
		names, more);
	terminal_wrapped(out, text, 0, options->columns);
}

static void print_legend(FILE *out, const struct target_verdicts *verdicts,
			 const struct report_options *options)
{
	bool latency = false;
	for (size_t i = 0; i < verdicts->count; i++)
		latency |= verdicts->items[i].effect->point->kind == POINT_LATENCY;
	AUTO(text)
	char *text = text_format(
		"+10 %% means 10 %% less time per visit of the progress point%s. ± is half "
		"of the 95 %% interval. The curve is at 10, 20 … 100 %%: bars (▄, • for none) "
		"where a speedup near it was measured, dots (⣤, ·) and ~ where the curve fitted "
		"to those is read off; it hangs where the program gets slower. At "
		"most 5 %% of a table's sure effects are chance. Share is of the sampled time, on "
		"CPU and waiting.",
		latency ? "; a latency is shown as it changes: − is shorter" : "");
	terminal_style(out, options, "2");
	terminal_wrapped(out, text, 0, options->columns);
	terminal_style(out, options, NULL);
}

static void print_left_out(FILE *out, const struct causal *causal,
			   const struct target_verdicts *verdicts,
			   const struct report_options *options)
{
	if (options->most && verdicts->targets > options->most)
		fprintf(out, "     and %u more targets (--format json has them all)\n",
			verdicts->targets - options->most);
	size_t unanswered = causal->count - verdicts->targets;
	if (unanswered)
		fprintf(out,
			"     %s%zu %ssampled location%s: no answer (too few experiments, or "
			"none)\n",
			verdicts->targets ? "and " : "", unanswered,
			verdicts->targets ? "more " : "", unanswered > 1 ? "s" : "");
}

static void print_set_search(FILE *out, const struct recording *recording,
			     const struct report_options *options)
{
	AUTO(text) char *text = sets_search_text(recording);

	if (text)
		terminal_wrapped(out, text, 0, options->columns);
}

/* Everything: the run, all targets, and what their figures mean. */
static void print_details(FILE *out, const struct report *report,
			  const struct target_verdicts *verdicts,
			  const struct report_options *options)
{
	fputc('\n', out);
	print_header(out, report->recording, report->causal, options);
	verdict_table_print(out, verdicts, options);
	print_left_out(out, report->causal, verdicts, options);
	fputc('\n', out);
	tail_latency_print(out, verdicts, options);
	print_sentences(out, verdicts, OUTCOME_GAIN, options);
	print_contention(out, verdicts, options);
	sets_print(out, report, verdicts, options);
	print_set_search(out, report->recording, options);
	print_unsure(out, verdicts, options);
	print_callers(out, report->recording, verdicts, options);
	fputc('\n', out);
	print_legend(out, verdicts, options);
}

/* The reason for the whole run; where some experiments counted, places lack different things. */
static void print_no_answer(FILE *out, const struct report *report,
			    const struct target_verdicts *verdicts,
			    const struct report_options *options)
{
	AUTO(text) char *why = no_answer_reason(report->recording, report->causal);

	print_header(out, report->recording, report->causal, options);
	terminal_wrapped(out, why, 0, options->columns);
	if (report->causal->experiments)
		first_screen_print_unanswered(out, report, verdicts);
}

void report_causal_text(FILE *out, const struct report *report)
{
	struct run_totals totals = run_totals_of(report->recording);
	struct report_options fitted = terminal_fit(&report->options), *options = &fitted;
	struct target_verdicts verdicts = verdicts_of(report->causal);

	if (totals.last)
		print_title(out, &totals, options);
	if (verdicts.count && totals.last)
		first_screen_print(out, report, &verdicts);
	if (!verdicts.count)
		print_no_answer(out, report, &verdicts, options);
	else if (!options->is_brief)
		print_details(out, report, &verdicts, options);
	if (options->is_verbose)
		noise_sources_print(out, &verdicts, options);
	verdicts_release(&verdicts);
}
