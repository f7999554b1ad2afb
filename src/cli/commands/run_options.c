/* SPDX-License-Identifier: BSD-2-Clause */
/* run_options - the option table of `lever run`, its setters, and its checks. */
#include "cli/commands/run_options.h"

#include "analyze/causal/roadmap.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "cli/commands/commands.h"
#include "cli/commands/run_hosts.h"
#include "experiment/progress/progress_kinds.h"
#include "experiment/target/target_pattern.h"

#include <errno.h>
#include <string.h>

static char *keep(struct run_options *options, const char *text, size_t length)
{
	char *copy = text_format("%.*s", (int)length, text);
	*array_add(&options->owned) = copy;
	return copy;
}

/* These setters have the whole struct as their field. */
static int add_progress(const struct option *option, void *field, const char *text,
			struct error *error)
{
	(void)option;
	struct run_options *options = field;
	struct point_spec progress;
	if (point_spec_parse(text, &progress, error))
		return error->code;
	*array_add(&options->progress) = progress;
	return 0;
}

static bool cannot_time(const struct point_spec *spec)
{
	return spec->kind == &progress_sampled || spec->kind->counts_requests;
}

static int read_latency(const char *begin, const char *end, struct point_spec_pair *latency,
			struct error *error)
{
	if (point_spec_parse(begin, &latency->begin, error) ||
	    point_spec_parse(end, &latency->end, error))
		return error->code;
	if (!cannot_time(&latency->begin) && !cannot_time(&latency->end))
		return 0;
	return error_set(error, -EINVAL,
			 "a sampled point cannot begin or end a latency, since not every visit of "
			 "it is seen; nor can requests, which are whole units");
}

static int add_latency(const struct option *option, void *field, const char *text,
		       struct error *error)
{
	(void)option;
	struct run_options *options = field;
	struct point_spec_pair *latency;
	const char *comma = strchr(text, ',');
	if (!comma || strchr(comma + 1, ','))
		return error_set(error, -EINVAL,
				 "'%s' is not two points with a comma between, BEGIN,END", text);
	latency = array_add(&options->latency);
	*latency = (struct point_spec_pair){.text = text};
	return read_latency(keep(options, text, (size_t)(comma - text)), comma + 1, latency, error);
}

/* Separates "NAME:50%" into the name and the fraction; 1 if it has none. */
static int split_percent(struct run_options *options, const char *text,
			 struct session_named_target *named, struct error *error)
{
	const char *colon = strrchr(text, ':');
	size_t length = strlen(text);
	double percent = 100;

	*named = (struct session_named_target){.name = text, .level = 1};
	if (!colon || text[length - 1] != '%')
		return 0;
	AUTO(text)
	char *number = text_format("%.*s", (int)(length - 2 - (size_t)(colon - text)), colon + 1);
	if (colon == text || !text_to_double(number, &percent) || percent <= 0 || percent > 100)
		return error_set(error, -EINVAL,
				 "'%s' does not end in a percentage above 0, up to 100, like "
				 "main.c:42:50%%",
				 text);
	named->name = keep(options, text, (size_t)(colon - text));
	named->level = percent / 100;
	return 0;
}

static int read_named(struct run_options *options, const char *text,
		      struct session_named_target *named, struct error *error)
{
	if (split_percent(options, text, named, error))
		return error->code;
	named->name = target_name_of_function(named->name, error);
	return named->name ? 0 : error->code;
}

static int add_target(const struct option *option, void *field, const char *text,
		      struct error *error)
{
	struct run_options *options = field;
	struct session_named_target named;

	(void)option;
	if (read_named(options, text, &named, error))
		return error->code;
	*array_add(&options->targets) = named;
	return 0;
}

static int set_after(const struct option *option, void *field, const char *text,
		     struct error *error)
{
	struct run_options *options = field;
	double seconds;

	if (text_to_double(text, &seconds))
		return value_set_seconds(option, &options->after, text, error);
	point_spec_release(&options->after_point);
	int code = point_spec_parse(text, &options->after_point, error);
	if (!code && options->after_point.kind->counts_requests)
		return error_set(error, -EINVAL,
				 "--after takes no requests: without it, experiments begin with "
				 "the first request");
	return code;
}

/* Joins the set of the target before. */
static int add_member(const struct option *option, void *field, const char *text,
		      struct error *error)
{
	struct run_options *options = field;
	struct session_named_target named;

	(void)option;
	if (!options->targets.count)
		return error_set(error, -EINVAL, "it needs a --target before it");
	if (read_named(options, text, &named, error))
		return error->code;
	struct session_named_target *before = &options->targets.items[options->targets.count - 1];
	if (!before->set)
		before->set = ++options->sets;
	named.set = before->set;
	*array_add(&options->targets) = named;
	return 0;
}

static int add_assumed(const struct option *option, void *field, const char *text,
		       struct error *error)
{
	struct run_options *options = field;
	struct session_named_target named;

	(void)option;
	if (read_named(options, text, &named, error))
		return error->code;
	*array_add(&options->assumed) = named;
	return 0;
}

static int set_focus(const struct option *option, void *field, const char *text,
		     struct error *error)
{
	const char *function = target_name_of_function(text, error);

	return function ? value_set_text(option, field, function, error) : error->code;
}

static int add_scope(const struct option *option, void *field, const char *text,
		     struct error *error)
{
	struct run_options *options = field;
	const char *colon = strchr(text, ':');
	if (!*text || (colon && !colon[1]))
		return error_set(error, -EINVAL, "'%s' has no pattern", text);
	*array_add(&options->scopes) = (struct run_scope){text, !strcmp(option->name, "scope")};
	return 0;
}

static int compare_doubles(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;
	return (left > right) - (left < right);
}

/* Sorts, and drops repetitions. */
static void order_speedups(struct run_options *options)
{
	size_t kept = 0;
	qsort(options->speedups.items, options->speedups.count, sizeof(double), compare_doubles);
	for (size_t i = 0; i < options->speedups.count; i++)
		if (!kept || options->speedups.items[i] > options->speedups.items[kept - 1])
			options->speedups.items[kept++] = options->speedups.items[i];
	options->speedups.count = kept;
}

static int set_speedups(const struct option *option, void *field, const char *text,
			struct error *error)
{
	(void)option;
	struct run_options *options = field;
	AUTO(text) char *words = text_format("%s,", text);
	options->speedups.count = 0;
	*array_add(&options->speedups) = 0;
	for (char *word = words, *comma; (comma = strchr(word, ',')); word = comma + 1) {
		double percent;
		*comma = 0;
		if (comma > word && comma[-1] == '%')
			comma[-1] = 0;
		if (!text_to_double(word, &percent) || percent < 0 || percent > 100)
			return error_set(
				error, -EINVAL,
				"'%s' is not a list of percentages from 0 to 100, like 0,25,50",
				text);
		*array_add(&options->speedups) = percent / 100;
	}
	order_speedups(options);
	return 0;
}

static int set_classes(const struct option *option, void *field, const char *text,
		       struct error *error)
{
	static const char letters[] = "ILSB"; /* as enum sample_class, from CLASS_IO */
	uint32_t *classes = field;

	(void)option;
	for (const char *at = text; *at; at++) {
		const char *letter = strchr(letters, *at);
		if (letter && (!at[1] || (at[1] == ',' && at[2])))
			*classes |= CLASS_BIT(CLASS_IO + (letter - letters));
		else
			return error_set(
				error, -EINVAL,
				"'%s' is not a list of the classes I (I/O), L (locks), S (for a "
				"CPU), B (anything else), with commas",
				text);
		at += at[1] == ',';
	}
	return *text ? 0 :
		       error_set(error, -EINVAL, "the list of classes is empty; use I, L, S or B");
}

_Static_assert(CLASS_LOCK == CLASS_IO + 1 && CLASS_RUNNABLE == CLASS_IO + 2 &&
		       CLASS_OTHER == CLASS_IO + 3,
	       "order of classes");
static const char *const yes_or_no[] = {"yes", "no", NULL};
static const char *const engines[] = {"auto", "kernel", "runtime", NULL}; /* as enum run_engine */

#define FIELD(member) .offset = offsetof(struct run_options, member)
static const struct option run_table[] = {
	{"progress", 'p', "SPEC",
	 "a progress point, passed once per unit of work: FILE:LINE, FUNCTION, bin:GLOB:FUNCTION, "
	 "bin:GLOB:FILE:LINE, point:NAME (lever.h, coz.h), usdt:PROVIDER:NAME, "
	 "tracepoint:CATEGORY:NAME, requests[:PORT or :/PATH] (on accepted connections) or "
	 "sampled:FILE:LINE; may be repeated",
	 add_progress, 0, NULL},
	{"latency", 'l', "BEGIN,END",
	 "a latency point: the time from BEGIN to END, in the forms of --progress; may be repeated",
	 add_latency, 0, NULL},
	{"target", 't', "NAME",
	 "speed up only this FILE:LINE, FUNCTION, inclusive:FUNCTION (with all that it calls), "
	 "func:FUNCTION, kernel:FUNCTION, syscall:NAME, span:NAME or class:I, L, S or B; with * or "
	 "?, each that matches, like 'func:compress_*' or 'rocksdb::*'; may be repeated",
	 add_target, 0, NULL},
	{"with", 'w', "NAME",
	 "speed up NAME together with the --target before it, as one set; NAME:50% only half as "
	 "much; may be repeated",
	 add_member, 0, NULL},
	{"as-one", 0, NULL,
	 "speed up all targets together, as one set, with all that a pattern matches",
	 value_set_flag, FIELD(as_one), NULL},
	{"assume", 0, "NAME:PERCENT%",
	 "NAME is this much faster all the time, in the baseline too: what would then bring more? "
	 "May be repeated",
	 add_assumed, 0, NULL},
	{"roadmap", 0, "STEPS",
	 "the order of work: the best change, then the best one once that is made, up to 3; the "
	 "program runs once for each step",
	 value_set_count, FIELD(roadmap), NULL},
	{"class", 0, "LIST",
	 "speed up waits of the classes I, L, S or B, each by itself; with --target, its waits",
	 set_classes, FIELD(classes), NULL},
	{"granularity", 'g', "KIND",
	 "speed up a line, a function (without what is inlined in it), inclusive (a function with "
	 "all that it calls), a span of lever.h, a syscall, a process (all of one name), or all: "
	 "lines, inclusive functions, system calls, processes, and waits for locks and I/O (all; "
	 "line with --target, --class, --scope, --kernel, --end-to-end or the runtime engine)",
	 value_set_choice, FIELD(granularity), target_granularities},
	{"scope", 's', "GLOB",
	 "take targets only from these source files, binaries (bin:GLOB) or functions (func:GLOB); "
	 "may be repeated",
	 add_scope, 0, NULL},
	{"focus", 0, "FUNCTION",
	 "take targets only from what runs inside FUNCTION: it, and all that it calls, wherever "
	 "that stands; with * or ?, each that matches",
	 set_focus, FIELD(focus), NULL},
	{"kernel", 'k', NULL, "kernel functions are targets, too, with what they call",
	 value_set_flag, FIELD(kernel), NULL},
	{"vmlinux", 0, "FILE",
	 "the running kernel's vmlinux with debug information; kernel lines are targets",
	 value_set_text, FIELD(vmlinux), NULL},
	{"off-cpu", 0, "WHETHER",
	 "waits for I/O, timers, the network or other programs belong to the code that waits (yes)",
	 value_set_choice, FIELD(off_cpu), yes_or_no},
	{"exclude", 'x', "GLOB", "take no targets from there; patterns of --scope", add_scope, 0,
	 NULL},
	{"speedups", 0, "LIST",
	 "speedups to try, in percent, with commas (0 to 100 in steps of 5); 0 alone samples "
	 "without experiments",
	 set_speedups, 0, NULL},
	{"until", 'u', "POINTS",
	 "stop when the three best targets' intervals are within so many percentage points, like "
	 "2pp",
	 value_set_points, FIELD(until_points), NULL},
	{"after", 0, "SECONDS|POINT",
	 "let the program warm up so long, or until it visits a point in a form of --progress, "
	 "before the first experiment",
	 set_after, 0, NULL},
	{"then-stop", 0, NULL,
	 "end PROGRAM and all that it started when the experiments are over (--seconds, --until, "
	 "Ctrl-C)",
	 value_set_flag, FIELD(common.then_stop), NULL},
	{"max-slowdown", 0, "PERCENT",
	 "space experiments so that pauses and samples delay the program by at most this, like 10%",
	 value_set_percent, FIELD(slowdown_most), NULL},
	{"period", 0, "DURATION",
	 "the time between two samples of a core, like 250us (by the cost of an interrupt)",
	 value_set_duration, FIELD(period_ns), NULL},
	{"window", 0, "DURATION",
	 "the length of an experiment, like 100ms (by the rate of progress)", value_set_duration,
	 FIELD(window_ns), NULL},
	{"end-to-end", 0, NULL,
	 "measure whole runs instead of progress points: the program is run repeatedly",
	 value_set_flag, FIELD(end_to_end), NULL},
	{"runs", 0, "NUMBER", "with --end-to-end: the number of runs", value_set_count, FIELD(runs),
	 NULL},
	{"pid", 0, "PID",
	 "attach to running processes, their children and what they fork; with commas",
	 value_add_pids, FIELD(common.processes), NULL},
	{"system", 'a', NULL, "attach to all processes but lever and its ancestors", value_set_flag,
	 FIELD(common.is_system_wide), NULL},
	{"no-set-search", 0, NULL, "do not look for code that gains only together", value_set_flag,
	 FIELD(without_set_search), NULL},
	{"no-peers", 0, NULL,
	 "do not pause clients and servers of this machine that wait for the program's messages",
	 value_set_flag, FIELD(without_peers), NULL},
	{"serve", 0, NULL,
	 "show curves that grow on a page of this machine; its address is printed", value_set_flag,
	 FIELD(serve), NULL},
	{"tui", 0, NULL, "show a table that fills the terminal, with keys as htop has them",
	 value_set_flag, FIELD(tui), NULL},
	{"seed", 0, "NUMBER", "repeat the random choices of another run with this number",
	 value_set_number, FIELD(seed), NULL},
	{"engine", 'e', "ENGINE", "auto, kernel or runtime (auto)", value_set_choice, FIELD(engine),
	 engines},
};

static const struct option *const run_shared[] = {
	&option_output, &option_fresh,   &option_no_children, &option_port,
	&option_comm,   &option_cgroup,  &option_seconds,     &option_force,
	&option_quiet,  &option_verbose, &option_hosts,       &option_launch,
	NULL,
};

static const struct option_group run_groups[] = {
	{"The unit of work", " progress latency end-to-end runs "},
	{"What runs faster",
	 " target with as-one assume roadmap class granularity focus scope exclude kernel vmlinux "
	 "off-cpu "},
	{"Which processes", " pid port comm cgroup system no-children no-peers "},
	{"How long, how finely",
	 " seconds until after then-stop max-slowdown speedups window period "},
	{"Profile and messages", " output fresh engine seed force quiet verbose "},
	{NULL, NULL},
};

const struct command_page run_page = {
	.name = "run",
	.summary = "run a program and measure what speeding up its code would bring",
	.operands = "[--] [PROGRAM [ARGUMENT...]]",
	.manual = "lever-run",
	.purpose =
		"Runs PROGRAM, or attaches to running processes, and makes a causal profile: in "
		"short experiments, one line or function at a time runs virtually faster, and the "
		"effect on the program's progress is measured. The kernel engine needs root, or "
		"CAP_BPF and CAP_PERFMON (see lever check).",
	.options = run_table,
	.option_count = sizeof(run_table) / sizeof(run_table[0]),
	.shared = run_shared,
	.groups = run_groups,
	.runs_program = true,
};

void run_options_init(struct run_options *options)
{
	*options = (struct run_options){.granularity = -1};
	for (int percent = 0; percent <= 100; percent += 5)
		*array_add(&options->speedups) = percent / 100.0;
}

/* --as-one makes one set of all. */
static void join_targets(struct run_options *options)
{
	for (size_t i = 0; options->as_one && i < options->targets.count; i++)
		options->targets.items[i].set = 1;
	if (options->as_one && !options->sets)
		options->sets = 1;
}

static int check_named(const struct session_named_target *named, struct error *error)
{
	if (named->level < 1 && !named->set)
		return error_set(error, -EINVAL,
				 "--target %s:%g%% is no member of a set, which alone has "
				 "percentages; add --with, or give --speedups",
				 named->name, 100 * named->level);
	return 0;
}

static int check_targets(const struct run_options *options, struct error *error)
{
	int code = 0;

	if (options->as_one && !options->targets.count)
		return error_set(error, -EINVAL, "--as-one needs --target");
	if (options->sets && options->classes)
		return error_set(error, -EINVAL,
				 "--class and sets of targets exclude each other; name waits as a "
				 "member, like --with class:L");
	for (size_t i = 0; i < options->targets.count && !code; i++)
		code = check_named(&options->targets.items[i], error);
	for (size_t i = 0; i < options->assumed.count && !code; i++)
		if (target_pattern_is(options->assumed.items[i].name))
			code = error_set(error, -EINVAL,
					 "--assume takes no pattern; name each function");
	return code;
}

static int check_combination(const struct run_options *options, struct error *error)
{
	if (options->end_to_end && (options->progress.count || options->latency.count))
		return error_set(error, -EINVAL,
				 "--end-to-end excludes --progress and --latency: it measures "
				 "whole runs");
	if (options->runs && !options->end_to_end)
		return error_set(error, -EINVAL, "--runs needs --end-to-end");
	if (options->common.then_stop && options->end_to_end)
		return error_set(error, -EINVAL,
				 "--then-stop needs a PROGRAM that lever starts once");
	if (options->end_to_end && (options->after > 0 || options->after_point.kind))
		return error_set(error, -EINVAL,
				 "--end-to-end excludes --after: it measures whole runs");
	if (options->end_to_end && options->window_ns)
		return error_set(error, -EINVAL,
				 "--end-to-end excludes --window: an experiment lasts a whole run");
	if (options->end_to_end && options->slowdown_most > 0)
		return error_set(error, -EINVAL,
				 "--end-to-end excludes --max-slowdown: an experiment lasts a "
				 "whole run; choose lower --speedups");
	if (options->focus && (options->targets.count || options->classes || options->end_to_end))
		return error_set(error, -EINVAL,
				 "--focus excludes --target, --class and --end-to-end: it chooses "
				 "among sampled code");
	if (options->classes && options->off_cpu)
		return error_set(error, -EINVAL,
				 "--class and --off-cpu no exclude each other: --class speeds up "
				 "waits");
	return 0;
}

static int check_roadmap(const struct run_options *options, struct error *error)
{
	if (!options->roadmap)
		return 0;
	if (options->roadmap > ROADMAP_STEPS_MOST)
		return error_set(error, -EINVAL, "--roadmap: at most %d steps can be measured",
				 ROADMAP_STEPS_MOST);
	if (options->targets.count || options->assumed.count || options->end_to_end ||
	    options->common.hosts.count || !options->common.program)
		return error_set(error, -EINVAL,
				 "--roadmap chooses targets by itself, and starts PROGRAM once for "
				 "each step: it excludes --target, --assume, --end-to-end, --hosts "
				 "and running processes");
	return 0;
}

/* A pattern decides on the granularity. */
static int check_patterns(const struct run_options *options, struct error *error)
{
	const char *first = NULL;

	for (size_t i = 0; i < options->targets.count; i++) {
		const char *name = options->targets.items[i].name;
		if (!target_pattern_is(name))
			continue;
		if (options->classes)
			return error_set(error, -EINVAL,
					 "--class takes no pattern like '%s' as --target; name "
					 "the code whose waits are meant",
					 name);
		if (first && target_kind_of_name(first) != target_kind_of_name(name))
			return error_set(error, -EINVAL,
					 "'%s' and '%s' are patterns of two kinds of targets; "
					 "use one kind in a run",
					 first, name);
		first = name;
	}
	return 0;
}

static bool counts_requests(const struct run_options *options)
{
	bool does = false;

	for (size_t i = 0; i < options->progress.count; i++)
		does |= options->progress.items[i].kind->counts_requests;
	return does;
}

bool run_options_leave_kind_open(const struct run_options *options)
{
	return options->granularity < 0 && !options->roadmap && !options->targets.count &&
	       !options->assumed.count && !options->scopes.count && !options->classes &&
	       !options->kernel && !options->vmlinux && !options->end_to_end &&
	       options->off_cpu == 0 && options->speedups.count > 1;
}

bool run_options_need_kernel(const struct run_options *options)
{
	return !options->common.program || options->kernel || options->vmlinux ||
	       options->common.names.count || counts_requests(options) || options->focus ||
	       options->classes & CLASS_BIT(CLASS_RUNNABLE) ||
	       (options->granularity >= 0 &&
		target_granularity(options->granularity)->needs_kernel_engine);
}

static int check_processes(const struct run_options *options, struct error *error)
{
	const struct common_options *common = &options->common;
	int code = common_options_check_processes(common, PROGRAM_WITH_NAMES, error);

	if (!code && !common->program && options->end_to_end)
		return error_set(error, -EINVAL,
				 "--end-to-end needs a program, which it runs repeatedly");
	return code;
}

static int check_engine(const struct run_options *options, struct error *error)
{
	if (options->engine != RUN_ENGINE_RUNTIME)
		return 0;
	if (options->classes & CLASS_BIT(CLASS_RUNNABLE))
		return error_set(error, -EINVAL,
				 "--engine runtime cannot measure waits for a core (class S); use "
				 "--engine kernel");
	if (counts_requests(options))
		return error_set(error, -EINVAL,
				 "--engine runtime cannot count requests; use --engine kernel");
	if (options->focus)
		return error_set(error, -EINVAL,
				 "--engine runtime knows no call chains for --focus; use --engine "
				 "kernel");
	if (run_options_need_kernel(options))
		return error_set(error, -EINVAL,
				 "--engine runtime profiles only a program that it starts, and no "
				 "kernel code; use --engine kernel");
	return 0;
}

int run_options_check(struct common_options *common, struct error *error)
{
	struct run_options *options = (struct run_options *)common;

	join_targets(options);
	int code = check_combination(options, error);

	code = code ? code : check_roadmap(options, error);
	code = code ? code : check_patterns(options, error);
	code = code ? code : check_targets(options, error);

	code = code ? code : check_processes(options, error);
	code = code ? code : run_hosts_check(options, error);
	return code ? code : check_engine(options, error);
}

void run_options_free(struct run_options *options)
{
	for (size_t i = 0; i < options->owned.count; i++)
		free(options->owned.items[i]);
	array_free(&options->owned);
	for (size_t i = 0; i < options->progress.count; i++)
		point_spec_release(&options->progress.items[i]);
	for (size_t i = 0; i < options->latency.count; i++) {
		point_spec_release(&options->latency.items[i].begin);
		point_spec_release(&options->latency.items[i].end);
	}
	point_spec_release(&options->after_point);
	array_free(&options->progress);
	array_free(&options->latency);
	array_free(&options->targets);
	array_free(&options->assumed);
	array_free(&options->scopes);
	common_options_release(&options->common);
	array_free(&options->speedups);
}
