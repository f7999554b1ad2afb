/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * text - a causal profile for a reader: what was run, the ranked answers, and them in sentences.
 *
 * Where there is no answer, it says why, and what would give one.
 */
#include "report/report.h"

#include "analyze/callers.h"
#include "analyze/visitors.h"
#include "base/own.h"
#include "report/header.h"
#include "report/nothing.h"
#include "report/sums.h"
#include "report/table.h"
#include "report/tails.h"
#include "report/warnings.h"
#include "report/words.h"

#include <math.h>
#include <string.h>

#define MOST_SENTENCES 3 /* of each sort */
#define MOST_NAMES 4     /* in a list */
#define MOST_VISITORS 6
#define CALLER_LEAST 0.05

static void print_samples(FILE *out, const struct sums *sums, const struct report_options *options)
{
	AUTO(text) char *samples = words_count(sums->samples);
	AUTO(text) char *period = words_duration((double)sums->last->period_ns);
	AUTO(text) char *lost = words_count(sums->lost);
	header_label(out, options, "samples");
	fprintf(out, "%s on CPU, every %s, %s lost\n", samples, period, lost);
}

static void print_point(FILE *out, const struct recording *recording, const struct sums *sums,
			const struct recording_point *point)
{
	uint64_t visits = sums_visits(recording, point->id);
	double latency_ns = sums_latency_ns(recording, point->id);
	double per_second = sums_rate(recording, sums, point);
	AUTO(text) char *name = words_clean(point->name);
	AUTO(text) char *count = words_count(visits);
	fprintf(out, "%s: %s visits", name, count);
	if (point->kind == POINT_LATENCY && latency_ns > 0) {
		AUTO(text) char *latency = words_duration(latency_ns);
		fprintf(out, ", %s each", latency);
	} else if (isfinite(per_second)) {
		AUTO(text) char *rate = words_rate(per_second);
		fprintf(out, ", %s a second without pauses", rate);
	}
	fprintf(out, "%s\n", point->kind == POINT_SAMPLED ? " (sampled)" : "");
}

/* "worker 1234: 20,000, worker 1235: 19,000, 7 more: 3,000". */
static char *visitors_text(const struct visitors *visitors)
{
	char *text = NULL;
	uint64_t rest = visitors->unknown;

	for (size_t i = 0; i < visitors->count; i++) {
		const struct visitor *visitor = &visitors->items[i];
		if (i >= MOST_VISITORS) {
			rest += visitor->visits;
			continue;
		}
		AUTO(text) char *before = text;
		AUTO(text) char *command = words_clean(visitor->command);
		AUTO(text) char *count = words_count(visitor->visits);
		text = text_format("%s%s%s %u: %s", before ? before : "", before ? ", " : "",
				   command, visitor->pid, count);
	}
	if (rest) {
		AUTO(text) char *before = text;
		AUTO(text) char *count = words_count(rest);
		text = text_format("%s, others: %s", before, count);
	}
	return text;
}

/* By process, where there are several. */
static void print_visitors(FILE *out, const struct recording *recording, int64_t point_id,
			   const struct report_options *options)
{
	struct visitors visitors = visitors_of(recording, point_id);

	if (visitors.count > 1) {
		AUTO(text) char *text = visitors_text(&visitors);
		header_label(out, options, "");
		fputs("  ", out);
		header_wrapped(out, text, HEADER_INDENT + 2, options->columns);
	}
	visitors_release(&visitors);
}

static void print_progress(FILE *out, const struct recording *recording, const struct sums *sums,
			   const struct report_options *options)
{
	for (size_t i = 0; i < recording->points.count; i++) {
		header_label(out, options, i ? "" : "progress");
		print_point(out, recording, sums, &recording->points.items[i]);
		print_visitors(out, recording, recording->points.items[i].id, options);
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
	};
	unsigned discarded = causal->displaced + causal->too_few_visits + causal->cut_short;
	header_label(out, options, "experiments");
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
	struct warnings warnings = warnings_of(recording, causal);
	header_warnings(out, &warnings, options);
	warnings_release(&warnings);
}

static void print_header(FILE *out, const struct recording *recording, const struct causal *causal,
			 const struct report_options *options)
{
	struct sums sums = sums_of(recording);
	if (!sums.last)
		return;
	AUTO(text) char *command = words_command(sums.last->command);
	AUTO(text)
	char *fitted = words_fit(command, options->columns - strlen("Causal profile of "));
	table_style(out, options, "1");
	fprintf(out, "Causal profile of %s", fitted);
	table_style(out, options, NULL);
	fputc('\n', out);
	header_run(out, &sums, options);
	print_samples(out, &sums, options);
	print_progress(out, recording, &sums, options);
	print_experiments(out, causal, options);
	print_warnings(out, recording, causal, options);
	fputc('\n', out);
}

static char *target_text(const struct causal_target *target)
{
	AUTO(text) char *name = words_clean(target->target->name);
	AUTO(text) char *function = words_clean(target->target->function);
	if (target->target->kind == TARGET_FUNCTION || !target->target->function)
		return text_copy(name);
	return text_format("%s (%s)", name, function);
}

static char *sentence_of(const struct answer *answer, bool name_point)
{
	bool is_latency = answer->effect->point->kind == POINT_LATENCY;
	AUTO(text) char *target = target_text(answer->target);
	AUTO(text) char *point = words_clean(answer->effect->point->name);
	AUTO(text) char *gain = words_gain(is_latency ? -answer->at.gain : answer->at.gain);
	AUTO(text)
	char *what = is_latency ? text_format("latency of %s", point) :
		     name_point ? text_format("program (%s)", point) :
				  text_copy("program");
	return text_format("optimizing %s by %.3g %% → %s %s (±%.1f)%s", target,
			   answer->at.speedup * 100, what, gain, answer_half_interval(answer) * 100,
			   answer->verdict == ANSWER_CONTENTION ? ": contention" : "");
}

static unsigned print_sentences(FILE *out, const struct answers *answers,
				enum answer_verdict verdict, const struct report_options *options)
{
	unsigned printed = 0;
	for (size_t i = 0; i < answers->count && printed < MOST_SENTENCES; i++) {
		if (answers->items[i].verdict != verdict)
			continue;
		AUTO(text)
		char *sentence = sentence_of(&answers->items[i], answers->has_several_points);
		table_style(out, options, table_verdict_style(verdict));
		header_wrapped(out, sentence, 0, options->columns);
		table_style(out, options, NULL);
		printed++;
	}
	return printed;
}

static void print_contention(FILE *out, const struct answers *answers,
			     const struct report_options *options)
{
	if (!print_sentences(out, answers, ANSWER_CONTENTION, options))
		return;
	fputs("  ", out);
	header_wrapped(
		out,
		"Contention: were this code faster, it would only meet others sooner, at a lock, a "
		"queue or shared memory, and slow them down. Let fewer threads meet there, or call "
		"it less often, instead of making it faster.",
		2, options->columns);
}

static char *caller_text(const struct caller *caller)
{
	const struct recording_frame *user = caller->user;
	const char *slash = user && user->file ? strrchr(user->file, '/') : NULL;
	const char *file = slash ? slash + 1 : user ? user->file : NULL;
	AUTO(text) char *function = words_clean(user && user->function ? user->function : "?");
	AUTO(text) char *clean = words_clean(file ? file : "");
	AUTO(text)
	char *from = !user      ? text_copy("") :
		     user->line ? text_format(" from %s:%u (%s)", clean, user->line, function) :
				  text_format(" from %s", function);
	return text_format("%s%s %.0f %%",
			   caller->system_call ? caller->system_call : "outside of a system call",
			   from, caller->share * 100);
}

/* Of the kernel's code among the first answers: what leads there. */
static void print_callers(FILE *out, const struct recording *recording,
			  const struct answers *answers, const struct report_options *options)
{
	unsigned printed = 0;

	for (size_t i = 0; i < answers->count && printed < MOST_SENTENCES; i++) {
		const struct recording_target *target = answers->items[i].target->target;
		struct callers callers = callers_of(recording, target);
		if (answers->items[i].is_first && callers.count) {
			AUTO(text) char *name = words_clean(target->name);
			char *text = text_format("%s is called by ", name);
			for (size_t j = 0; j < callers.count && j < MOST_NAMES &&
					   (!j || callers.items[j].share >= CALLER_LEAST);
			     j++) {
				AUTO(text) char *before = text;
				AUTO(text) char *one = caller_text(&callers.items[j]);
				text = text_format("%s%s%s", before, j ? ", " : "", one);
			}
			header_wrapped(out, text, 2, options->columns);
			free(text);
			printed++;
		}
		callers_release(&callers);
	}
}

/* All of a target's answers must be unsure. */
static bool is_unsure(const struct answers *answers, size_t first)
{
	const struct causal_target *target = answers->items[first].target;
	for (size_t i = first; i < answers->count && answers->items[i].target == target; i++) {
		if (answers->items[i].verdict != ANSWER_UNSURE)
			return false;
	}
	return true;
}

static void print_unsure(FILE *out, const struct answers *answers,
			 const struct report_options *options)
{
	unsigned count = 0;
	AUTO(text) char *names = text_copy("");
	for (size_t i = 0; i < answers->count; i++) {
		if (!answers->items[i].is_first || !is_unsure(answers, i) || ++count > MOST_NAMES)
			continue;
		AUTO(text) char *before = names;
		AUTO(text) char *name = words_clean(answers->items[i].target->target->name);
		names = text_format("%s%s%s", before, count > 1 ? ", " : "", name);
	}
	if (!count)
		return;
	AUTO(text)
	char *more = count > MOST_NAMES ? text_format(" and %u more", count - MOST_NAMES) :
					  text_copy("");
	AUTO(text)
	char *text = text_format(
		"Not distinguishable from no effect so far: %s%s. A longer run (--seconds), or another "
		"one into the same file, narrows the intervals.",
		names, more);
	header_wrapped(out, text, 0, options->columns);
}

static void print_legend(FILE *out, const struct answers *answers,
			 const struct report_options *options)
{
	bool latency = false;
	for (size_t i = 0; i < answers->count; i++)
		latency |= answers->items[i].effect->point->kind == POINT_LATENCY;
	AUTO(text)
	char *text = text_format(
		"+10 %% means: 10 %% less time for each visit of the progress point%s. ± is half the 95 %% "
		"interval. The curve shows the gain with the code 10, 20 … 100 %% faster; it hangs where "
		"the program gets slower. Share is of the sampled time, on CPU and waiting.",
		latency ? "; a latency is told as it is, so a lower one is −" : "");
	table_style(out, options, "2");
	header_wrapped(out, text, 0, options->columns);
	table_style(out, options, NULL);
}

static void print_left_out(FILE *out, const struct causal *causal, const struct answers *answers,
			   const struct report_options *options)
{
	if (options->most && answers->targets > options->most)
		fprintf(out, "     and %u more targets (--format json has them all)\n",
			answers->targets - options->most);
	size_t unanswered = causal->count - answers->targets;
	if (unanswered)
		fprintf(out,
			"     %s%zu %ssampled place%s: no answer (too few experiments, or none)\n",
			answers->targets ? "and " : "", unanswered, answers->targets ? "more " : "",
			unanswered > 1 ? "s" : "");
}

void report_text(FILE *out, const struct recording *recording, const struct causal *causal,
		 const struct report_options *given)
{
	struct report_options copy = header_fit(given), *options = &copy;
	print_header(out, recording, causal, options);
	struct answers answers = answers_of(causal);
	if (!answers.count) {
		AUTO(text) char *why = nothing_reason(recording, causal);
		header_wrapped(out, why, 0, options->columns);
		answers_release(&answers);
		return;
	}
	table_print(out, &answers, options);
	print_left_out(out, causal, &answers, options);
	fputc('\n', out);
	tails_print(out, &answers, options);
	print_sentences(out, &answers, ANSWER_GAIN, options);
	print_contention(out, &answers, options);
	print_unsure(out, &answers, options);
	print_callers(out, recording, &answers, options);
	fputc('\n', out);
	print_legend(out, &answers, options);
	answers_release(&answers);
}
