/* SPDX-License-Identifier: BSD-2-Clause */
/* first_screen - fills the lines for a reader who has never seen a causal profile. */
#include "report/causal/first_screen.h"

#include "analyze/causal/roadmap.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "report/causal/advice.h"
#include "report/causal/again.h"
#include "report/causal/causes.h"
#include "report/causal/sets.h"
#include "report/causal/unanswered.h"
#include "report/causal/warnings.h"
#include "report/display.h"
#include "report/run_totals.h"
#include "report/terminal.h"

#include <math.h>
#include <string.h>

#define NAMELESS_LEAST 0.5  /* of the gain of the place around it */
#define UNTOLD_LEAST 0.2    /* of the time in code of which no function has a name */
#define MAIN_LINE_LEAST 0.9 /* of a function's time: a line that is nearly all of it */
#define HALF_AIM 0.01       /* of the first places' intervals: a longer run is proposed above */
#define LONGER_LEAST 2.0
#define LONGER_MOST 10.0
#define NAME_COLUMNS 48
#define POINT_COLUMNS 80
#define UNANSWERED_BRIEF 5 /* places on the short screen */
#define LINES_BELOW 6      /* of a warning, and the commands that show more */
#define PROCESS_PREFIX "process:"

/* "parse" for "inclusive:parse", "all of xz" for "process:xz"; to be freed. */
static char *short_name_of(const struct recording_target *target)
{
	size_t prefix = strlen(PROCESS_PREFIX);

	if (target->kind == TARGET_PROCESS && text_starts_with(target->name, PROCESS_PREFIX)) {
		AUTO(text) char *process = display_clean(target->name + prefix);
		return text_format("all of %s", process);
	}
	return display_clean(target->kind == TARGET_INCLUSIVE && target->function ?
				     target->function :
				     target->name);
}

/* "main.c:8 (parse)", "parse (main.c:8)", "parse (main.c:8, with all it calls)"; to be freed. */
static char *name_of(const struct target_verdict *verdict)
{
	const struct recording_target *target = verdict->target->target;
	bool is_inclusive = target->kind == TARGET_INCLUSIVE && target->function;
	AUTO(text) char *name = short_name_of(target);
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

static void add_together(struct screen *screen, const struct report *report,
			 const struct advice *advice)
{
	for (unsigned i = 0; i < advice->together.count; i++) {
		screen_line(screen, SCREEN_TOGETHER, "together", 0);
		screen_take(screen, SCREEN_TEXT, sets_together(report, advice->together.items[i]));
	}
}

static void add_found_late(struct screen *screen, const struct report *report)
{
	char *late = sets_found_late(report);

	if (!late)
		return;
	screen_line(screen, SCREEN_TOGETHER, "together?", 0);
	screen_take(screen, SCREEN_TEXT, late);
}

static char *order_text(const struct roadmap_step *step, bool is_first)
{
	AUTO(text) char *gain = display_gain(step->at.gain);
	AUTO(text) char *first = step->has_first ? display_gain(step->at_first.gain) : NULL;

	return text_format(": %s ±%.1f%s%s%s", gain, 50 * (step->at.high - step->at.low),
			   is_first ? " by 50 % less time" : "", first ? " then; now " : "",
			   first ? first : "");
}

/* "1. lookup: +18.0 % ±1.2 by 50 % less time", "2. parse: +12.1 % ±1.4 then; now +0.3 %" */
static void add_order(struct screen *screen, const struct report *report)
{
	struct roadmap roadmap = roadmap_of(report->causal);

	for (unsigned i = 0; i < roadmap.count && roadmap.is_measured; i++) {
		const struct roadmap_step *step = &roadmap.steps[i];
		AUTO(text) char *name = display_clean(step->name);
		screen_line(screen, SCREEN_ORDER, i ? "" : "in order", 0);
		screen_take(screen, SCREEN_TEXT, text_format("%u. ", i + 1));
		screen_take_target(screen, step->target, display_fit(name, NAME_COLUMNS));
		screen_take(screen, SCREEN_TEXT, order_text(step, !i));
	}
	roadmap_release(&roadmap);
}

/* Is the best set better than the best of the others? */
static bool is_set_first(const struct advice *advice)
{
	const struct advice_list *gains = &advice->gains, *together = &advice->together;

	return together->count &&
	       (!gains->count || together->items[0]->at.low > gains->items[0]->at.low);
}

/* "+11.1 % ±1.0" */
static char *figure_of(const struct target_verdict *verdict, double gain)
{
	AUTO(text) char *shown = display_gain(gain);
	AUTO(text) char *interval = verdict_interval(verdict);
	return text_format("%s %s", shown, interval);
}

static void add_cause(struct screen *screen, const struct cause *cause, const char *label)
{
	const struct target_verdict *verdict = cause->verdict;

	screen_line(screen, cause->depth ? SCREEN_INSIDE : SCREEN_GAIN, label, cause->depth);
	screen_take_target(screen, verdict->target, name_of(verdict));
	screen_take(screen, SCREEN_TEXT,
		    text_format(": %.3g %% faster → ", verdict->at.speedup * 100));
	screen_take(screen, SCREEN_FIGURE, figure_of(verdict, verdict->at.gain));
	screen_take(screen, SCREEN_TEXT,
		    text_format("; at most %+.0f %%", verdict->effect->ceiling * 100));
}

static bool is_nameless(const struct recording_target *target)
{
	const char *name = target->function ? target->function : target->name;
	bool is_code = target->kind == TARGET_FUNCTION || target->kind == TARGET_INCLUSIVE;

	return is_code && target->object && name && strstr(name, "+0x");
}

/* One that a reader starts from: a root, or most of the root above it. NULL: all have names. */
static const struct recording_target *first_nameless(const struct causes *causes)
{
	double root = 0;

	for (unsigned i = 0; i < causes->count; i++) {
		const struct target_verdict *verdict = causes->items[i].verdict;
		double slope = verdict->effect->slope.slope;
		root = causes->items[i].depth ? root : slope;
		if (causes->items[i].depth <= 1 && slope > NAMELESS_LEAST * root &&
		    is_nameless(verdict->target->target))
			return verdict->target->target;
	}
	return NULL;
}

/* The part of the time in code that the program made as it ran, and that no file names. */
static double untold_share(const struct causal *causal)
{
	double share = 0;

	for (size_t i = 0; i < causal->count; i++) {
		const struct recording_target *target = causal->targets[i].target;
		if (target->object && !strcmp(target->object, RECORDING_JIT_OBJECT))
			share = fmax(share, causal->targets[i].share);
	}
	return share;
}

/* How the maker of such code, known by its file, is asked for names. */
static const struct {
	const char *file, *command;
} makers[] = {
	{"node", "node --perf-basic-prof --interpreted-frames-native-stack"},
	{"libnode.so", "node --perf-basic-prof --interpreted-frames-native-stack"},
	{"libjvm.so", "java -agentpath:…/liblever-java.so"},
	{"libcoreclr.so", "DOTNET_PerfMapEnabled=1"},
};

/* NULL: the maker is not known. */
static const char *names_command(const struct causal *causal)
{
	for (size_t i = 0; i < causal->count; i++) {
		const char *path = causal->targets[i].target->object;
		const char *slash = path ? strrchr(path, '/') : NULL;
		for (size_t j = 0; slash && j < sizeof(makers) / sizeof(*makers); j++)
			if (text_starts_with(slash + 1, makers[j].file))
				return makers[j].command;
	}
	return NULL;
}

static void add_untold_code(struct screen *screen, const struct causal *causal, double share)
{
	const char *command = names_command(causal);

	screen_line(screen, SCREEN_SURER, "no names", 0);
	screen_take(screen, SCREEN_TEXT,
		    text_format("code that the program made as it ran, with %.0f %% of the time; ",
				100 * share));
	if (command) {
		screen_take(screen, SCREEN_COMMAND, text_copy(command));
		screen_take(screen, SCREEN_TEXT, text_copy(" tells its functions"));
		return;
	}
	screen_take(screen, SCREEN_COMMAND, text_copy("lever help languages"));
	screen_take(screen, SCREEN_TEXT,
		    text_copy(" says which programs tell its functions, and how"));
}

static void add_missing_names(struct screen *screen, const struct causes *causes,
			      const struct causal *causal)
{
	const struct recording_target *target = first_nameless(causes);
	double untold = untold_share(causal);

	if (untold >= UNTOLD_LEAST) {
		add_untold_code(screen, causal, untold);
		return;
	}
	if (!target)
		return;
	const char *slash = strrchr(target->object, '/');
	AUTO(text) char *path = display_clean(target->object);
	AUTO(text) char *file = display_clean(slash ? slash + 1 : target->object);
	screen_line(screen, SCREEN_SURER, "no names", 0);
	screen_take(screen, SCREEN_TEXT,
		    text_format("%s lacks symbols; its debug package (Debian: ", file));
	screen_take(screen, SCREEN_COMMAND, text_format("find-dbgsym-packages %s", path));
	screen_take(screen, SCREEN_TEXT, text_copy(") or DEBUGINFOD_URLS tells its functions"));
}

static bool is_shown(const struct causes *causes, const struct causal_target *target)
{
	for (unsigned i = 0; i < causes->count; i++)
		if (causes->items[i].verdict->target == target)
			return true;
	return false;
}

/* The line with nearly all of a function's time, if no row tells it; NULL: none. */
static const struct causal_target *main_line(const struct advice *advice,
					     const struct causes *causes,
					     const struct causal_target *function)
{
	for (size_t i = 0; i < advice->causal->count; i++) {
		const struct causal_target *line = &advice->causal->targets[i];
		if (line->outer == function && line->target->kind == TARGET_LINE &&
		    line->share >= MAIN_LINE_LEAST * function->share)
			return is_shown(causes, line) ? NULL : line;
	}
	return NULL;
}

static void add_why(struct screen *screen, const struct advice *advice, const struct causes *causes,
		    const struct target_verdict *verdict)
{
	const struct causal_target *line = main_line(advice, causes, verdict->target);

	screen_line(screen, SCREEN_WHY, "", 0);
	screen_take(screen, SCREEN_TEXT, advice_why(advice, verdict));
	if (!line)
		return;
	screen_take(screen, SCREEN_TEXT, text_copy("; nearly all of its time is in "));
	screen_take_target(screen, line, short_name_of(line->target));
}

static void add_gains(struct screen *screen, const struct advice *advice)
{
	struct causes causes = causes_of(advice);

	for (unsigned i = 0; i < causes.count; i++) {
		const struct cause *cause = &causes.items[i];
		bool is_root = !cause->depth;
		add_cause(screen, cause, !is_root ? "" : i ? "then" : "do first");
		if (is_root)
			add_why(screen, advice, &causes, cause->verdict);
	}
	add_missing_names(screen, &causes, advice->causal);
	if (!advice->gains.count && !advice->together.count) {
		screen_line(screen, SCREEN_NOTHING, "do first", 0);
		screen_take(screen, SCREEN_TEXT,
			    text_copy(advice->unsure.count ?
					      "nothing is sure yet" :
					      "nothing that was tried makes the program faster"));
	}
}

/* "a (what), b (what) and 3 more"; returns whether there is a line. */
static bool add_list(struct screen *screen, enum screen_kind kind, const char *label,
		     const struct advice_list *list,
		     char *(*what)(const struct target_verdict *verdict))
{
	if (!list->count)
		return false;
	screen_line(screen, kind, label, 0);
	for (unsigned i = 0; i < list->count; i++) {
		AUTO(text) char *name = short_name_of(list->items[i]->target->target);
		AUTO(text) char *one = what(list->items[i]);
		if (i)
			screen_take(screen, SCREEN_TEXT, text_copy(", "));
		screen_take_target(screen, list->items[i]->target, display_fit(name, NAME_COLUMNS));
		screen_take(screen, SCREEN_TEXT, text_format(" (%s)", one));
	}
	if (list->more)
		screen_take(screen, SCREEN_TEXT, text_format(" and %u more", list->more));
	return true;
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
	return figure_of(verdict, verdict->at.gain);
}

static char *latency_text(const struct target_verdict *verdict)
{
	return figure_of(verdict, -verdict->at.gain);
}

static void add_unanswered(struct screen *screen, const struct report *report,
			   const struct target_verdicts *verdicts)
{
	struct unanswered list = unanswered_of(report, verdicts);
	bool is_brief = report->options.is_brief && list.count > UNANSWERED_BRIEF;
	unsigned shown = is_brief ? UNANSWERED_BRIEF : list.count;

	if (!list.count)
		return;
	screen_line(screen, SCREEN_UNANSWERED, "no answer", 0);
	for (unsigned i = 0; i < shown; i++) {
		const struct unanswered_place *place = &list.items[i];
		AUTO(text) char *name = display_clean(place->function);
		AUTO(text) char *reason = unanswered_reason(report->recording, place->target);
		screen_take_target(screen, place->target, display_fit(name, NAME_COLUMNS));
		screen_take(screen, SCREEN_TEXT,
			    text_format(" (%.0f %% of the time, %s)%s", 100 * place->share, reason,
					i + 1 < shown ? ", " : ""));
	}
	if (list.count > shown)
		screen_take(screen, SCREEN_TEXT, text_format(" and %u more", list.count - shown));
	const char *option = unanswered_option(&list.items[0]);
	if (!option) {
		screen_take(screen, SCREEN_TEXT, text_copy("; a longer run tries more"));
		return;
	}
	AUTO(text) char *first = display_argument(option);
	screen_take(screen, SCREEN_TEXT, text_copy("; a longer run tries more, "));
	screen_take(screen, SCREEN_COMMAND, text_format("--target %s", first));
	screen_take(screen, SCREEN_TEXT, text_copy(" the first alone"));
}

static void add_lists(struct screen *screen, const struct report *report,
		      const struct advice *advice, const struct target_verdicts *verdicts)
{
	char *limits = advice_limits(advice);

	add_list(screen, SCREEN_LATENCY, "latency", &advice->latency, latency_text);
	if (add_list(screen, SCREEN_CONTENTION, "contention", &advice->contention, contention_text))
		screen_take(screen, SCREEN_TEXT,
			    text_copy(": do not make it faster, let fewer threads meet there"));
	add_list(screen, SCREEN_UNSURE, "not sure yet", &advice->unsure, unsure_text);
	add_unanswered(screen, report, verdicts);
	add_list(screen, SCREEN_HOPELESS, "hot, no gain", &advice->hopeless, hopeless_text);
	if (limits) {
		screen_line(screen, SCREEN_LIMITS, "limits", 0);
		screen_take(screen, SCREEN_TEXT, limits);
	}
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

static void add_surer(struct screen *screen, const struct report *report,
		      const struct advice *advice)
{
	const struct recording_run *last = run_totals_of(report->recording).last;
	double times = times_longer(advice);

	if (times <= 1 || !last->wall_ns)
		return;
	struct again again = again_new(report->recording, last, times);
	screen_line(screen, SCREEN_SURER, "to be surer", 0);
	screen_take(screen, SCREEN_COMMAND, again.command);
	screen_take(screen, SCREEN_TEXT, again.text);
}

/* To be freed. A function of C++ may have a name of several lines. */
static char *point_word(const struct recording_point *point)
{
	bool is_cpu_time = point->kind == POINT_SAMPLED && point->is_found;
	AUTO(text) char *clean = display_clean(is_cpu_time ? "CPU time" : point->name);

	return display_fit(clean, POINT_COLUMNS);
}

/* How far a point that Lever found is to be trusted, as the end of a sentence; to be freed. */
static char *trust_text(const struct point_choice *choice)
{
	AUTO(text) char *agreeing = choice->agreeing ? point_word(choice->agreeing) : NULL;
	AUTO(text) char *opposing = choice->opposing ? point_word(choice->opposing) : NULL;

	if (!choice->used)
		return text_copy("");
	return text_format(", found by lever%s%s%s%s%s; another: --progress NAME",
			   agreeing ? "; agrees with " : "", agreeing ? agreeing : "",
			   opposing ? "; contradicted by " : "", opposing ? opposing : "",
			   opposing ? ", so name a point that you trust" : "");
}

static void add_progress(struct screen *screen, const struct report *report,
			 const struct target_verdicts *verdicts)
{
	const struct recording_point *point = verdicts->items[0].effect->point;
	struct run_totals totals = run_totals_of(report->recording);
	double per_second = run_totals_rate(report->recording, &totals, point);
	bool has_rate = isfinite(per_second) && point->kind == POINT_THROUGHPUT;
	AUTO(text) char *rate = has_rate ? display_rate(per_second) : NULL;
	AUTO(text) char *word = point_word(point);
	AUTO(text) char *trust = trust_text(&report->causal->choice);
	AUTO(text)
	char *text = verdicts->has_several_points ?
			     text_copy("several points; gains are those of the best") :
			     text_format("%s%s%s%s%s", word, rate ? ", " : "", rate ? rate : "",
					 rate ? " a second" : "", trust);
	screen_line(screen, SCREEN_PROGRESS, "progress", 0);
	screen_take(screen, SCREEN_TEXT, take(&text));
}

/* A run that goes on, or was killed, has lasted from its first to its last experiment at least. */
static char *time_text(const struct recording *recording, const struct run_totals *totals)
{
	size_t count = recording->experiments.count;

	if (totals->wall_ns)
		return display_duration((double)totals->wall_ns);
	if (totals->runs != 1 || !count)
		return text_copy("unknown time");
	const struct recording_experiment *last = &recording->experiments.items[count - 1];
	AUTO(text)
	char *least = display_duration((double)(last->start_ns + last->duration_ns -
						recording->experiments.items[0].start_ns));
	return text_format("at least %s", least);
}

static void add_measured(struct screen *screen, const struct report *report)
{
	const struct causal *causal = report->causal;
	struct run_totals totals = run_totals_of(report->recording);
	AUTO(text) char *wall = time_text(report->recording, &totals);
	bool is_runtime = totals.last && text_equals(totals.last->engine, "runtime");
	size_t tried = 0;

	for (size_t i = 0; i < causal->count; i++)
		tried += causal->targets[i].experiments > 0;
	screen_line(screen, SCREEN_MEASURED, "measured", 0);
	screen_take(screen, SCREEN_TEXT,
		    text_format("%s%s, %u experiments on %zu of %zu places; +10 %% is 10 %% less "
				"time for the same work",
				wall, is_runtime ? " by the runtime engine" : "",
				causal->experiments, tried, causal->count));
}

static struct screen first_screen_of(const struct report *report,
				     const struct target_verdicts *verdicts)
{
	struct screen screen = {0};
	struct advice advice = advice_of(report, verdicts);

	add_measured(&screen, report);
	add_progress(&screen, report, verdicts);
	if (is_set_first(&advice))
		add_together(&screen, report, &advice);
	add_gains(&screen, &advice);
	if (!is_set_first(&advice))
		add_together(&screen, report, &advice);
	add_found_late(&screen, report);
	add_order(&screen, report);
	add_lists(&screen, report, &advice, verdicts);
	add_surer(&screen, report, &advice);
	return screen;
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
		terminal_label(out, options, "warning");
		terminal_wrapped(out, text, TERMINAL_INDENT, options->columns);
	}
	warnings_release(&warnings);
}

void first_screen_print(FILE *out, const struct report *report,
			const struct target_verdicts *verdicts)
{
	struct report_options fitted = terminal_fit(&report->options), *options = &fitted;
	struct screen screen = first_screen_of(report, verdicts);

	if (options->is_brief)
		screen_fit(&screen, options, FIRST_SCREEN_LINES - LINES_BELOW);
	screen_print(out, &screen, options);
	print_first_warning(out, report, options);
	screen_release(&screen);
}

void first_screen_print_unanswered(FILE *out, const struct report *report,
				   const struct target_verdicts *verdicts)
{
	struct report_options options = terminal_fit(&report->options);
	struct screen screen = {0};

	add_unanswered(&screen, report, verdicts);
	screen_print(out, &screen, &options);
	screen_release(&screen);
}

json_t *first_screen_json(const struct report *report, const struct target_verdicts *verdicts)
{
	struct screen screen = {0};

	if (verdicts->count && run_totals_of(report->recording).last)
		screen = first_screen_of(report, verdicts);
	json_t *json = screen_json(&screen, report->causal);
	screen_release(&screen);
	return json;
}
