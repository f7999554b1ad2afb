/* SPDX-License-Identifier: BSD-2-Clause */
/* scale - runs the program on the cores that are asked for, and writes down how it used them. */
#include "scale/scale.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "collect/process/program.h"
#include "collect/scale/core_speed.h"
#include "collect/scale/thread_states.h"
#include "experiment/interruption.h"
#include "profile/profile.h"
#include "scale/level_writer.h"
#include "scale/recorded_run.h"
#include "scale/steal.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>

#define SNAPSHOT_EVERY_MS 20
#define SNAPSHOT_AT_LEAST_EVERY_MS 40
#define NOTIFY_EVERY_NS 500000000ull

struct scale {
	const struct scale_options *options;
	struct scale_result *result;
	struct profile *profile;
	char *path;        /* of the program */
	cpu_set_t machine; /* what lever may use */
	unsigned machine_cores;
	off_t input; /* where standard input stood; -1: it cannot be set back */
	int64_t session_id;
	unsigned done, runs; /* runs so far, and planned */
	struct threads {
		unsigned least, most;
	} at_once, made; /* in the profiled runs */
};

/* What a run is for. */
struct run_plan {
	unsigned cores;
	unsigned turn;    /* of so many cores: the first ones, those after them, ... */
	bool is_recorded; /* the scheduler's log, too */
	bool shows_cores; /* although there are fewer than the machine has */
};

/* One run of the program. */
struct program_run {
	struct scale *scale;
	const struct run_plan *plan;
	cpu_set_t cores;
	struct thread_states *thread_states;
	struct recorded_run *recorded; /* NULL: nothing is recorded */
	struct program program;
	struct recording_run run;
	struct recording_parallel parallel;
	struct recording_run_conditions conditions;
	struct time_series series;
	struct steal steal;
	uint64_t notified_ns;
};

void scale_prepare_signals(void)
{
	program_remember_signals();
}

unsigned scale_cores(void)
{
	cpu_set_t own;
	int count = sched_getaffinity(0, sizeof(own), &own) ? 1 : CPU_COUNT(&own);

	return count > SCALE_CPUS_MOST ? SCALE_CPUS_MOST : (unsigned)count;
}

/* Has nobody asked to end? */
static bool should_continue(void)
{
	return !interruption_count() && !interruption_terminations();
}

/* ---- before and after a run ---- */

/* So many of the machine's, in each turn others: not all are alike, nor have the same neighbours. */
static cpu_set_t choose_cores(const struct scale *scale, const struct run_plan *plan)
{
	unsigned first = plan->turn * plan->cores % scale->machine_cores, number = 0;
	cpu_set_t chosen;

	CPU_ZERO(&chosen);
	for (int cpu = 0; cpu < SCALE_CPUS_MOST && number < scale->machine_cores; cpu++) {
		if (!CPU_ISSET(cpu, &scale->machine))
			continue;
		if ((number + scale->machine_cores - first) % scale->machine_cores < plan->cores)
			CPU_SET(cpu, &chosen);
		number++;
	}
	return chosen;
}

static bool hides_cores(const struct program_run *series)
{
	return series->scale->options->cores_library && !series->plan->shows_cores &&
	       (unsigned)CPU_COUNT(&series->cores) < series->scale->machine_cores;
}

/* For liblever-cores.so: 16 hexadecimal digits for each 64 cores, core 0 in the first word. */
static char *mask_text(const cpu_set_t *machine)
{
	char *text = text_copy("LEVER_CORES=");

	for (unsigned first = 0; first < SCALE_CPUS_MOST; first += 64) {
		unsigned long long word = 0;
		for (unsigned i = 0; i < 64; i++)
			word |= (unsigned long long)!!CPU_ISSET(first + i, machine) << i;
		char *longer = text_format("%s%016llx", text, word);
		free(text);
		text = longer;
	}
	return text;
}

static int begin_run(struct program_run *series, struct error *error)
{
	static struct utsname host; /* borrowed by the run until its end */
	struct scale *scale = series->scale;
	struct recording_run *run = &series->run;
	struct recording_parallel *parallel = &series->parallel;

	uname(&host);
	run->kind = RUN_SCALE;
	run->command = recording_command(scale->options->arguments);
	run->engine = (char *)"kernel";
	run->host = host.nodename;
	run->kernel = host.release;
	run->version = (char *)(uintptr_t)scale->options->version;
	run->started_s = time(NULL);
	run->exit_status = -1;
	int code = profile_add_run(scale->profile, run, error);
	if (code)
		return code;
	if (!scale->session_id && scale->options->what_if) {
		struct recording_what_if what_if = *scale->options->what_if;
		what_if.session_id = run->id;
		code = profile_set_what_if(scale->profile, &what_if, error);
	}
	scale->session_id = scale->session_id ? scale->session_id : run->id;
	parallel->run_id = run->id;
	parallel->session_id = scale->session_id;
	parallel->asked = (char *)(uintptr_t)scale->options->asked;
	parallel->cores = (unsigned)CPU_COUNT(&series->cores);
	parallel->machine_cores = scale->machine_cores;
	parallel->hides_cores = hides_cores(series);
	code = code ? code : profile_set_parallel(scale->profile, parallel, error);
	return code ? code : profile_commit(scale->profile, error);
}

/* Without the log the run still counts. */
static void open_recorded_run(struct program_run *series)
{
	const struct scale_options *options = series->scale->options;
	struct recorded_run_options recorded = {.what_if = options->what_if,
						.program = series->scale->path,
						.verbose = options->verbose};
	struct error error = {0};

	if (!series->plan->is_recorded || !recorded_run_open(&recorded, &series->recorded, &error))
		return;
	AUTO(text) char *sentence = text_format("no replay: %s", error.text);
	options->say(options->context, sentence);
}

static int prepare(struct program_run *series, struct error *error)
{
	struct scale *scale = series->scale;
	AUTO(text) char *preload = NULL;
	AUTO(text) char *mask = NULL;
	const char *environment[5] = {NULL};
	size_t count = 0;

	if (hides_cores(series)) {
		const char *old = getenv("LD_PRELOAD");
		environment[count++] = preload =
			text_format("LD_PRELOAD=%s%s%s", scale->options->cores_library,
				    old && *old ? ":" : "", old && *old ? old : "");
		environment[count++] = mask = mask_text(&scale->machine);
	}
	if (series->recorded) {
		environment[count++] = "LEVER_LISTEN=2";
		environment[count] = recorded_run_environment(series->recorded);
	}
	return program_prepare(&series->program, scale->options->arguments, environment, error);
}

static int set_up(struct program_run *series, struct error *error)
{
	struct thread_states_options thread_states = {.cores = &series->cores,
						      .looks = series->plan->is_recorded,
						      .verbose = series->scale->options->verbose};

	open_recorded_run(series);
	int code = thread_states_open(&thread_states, &series->thread_states, error);
	code = code ? code : prepare(series, error);
	if (code)
		return code;
	if (sched_setaffinity(series->program.pid, sizeof(series->cores), &series->cores))
		return error_set(error, errno, "the program cannot be held on %d cores: %s",
				 CPU_COUNT(&series->cores), strerror(errno));
	code = thread_states_start(series->thread_states, series->program.pid, error);
	code = code ? code : begin_run(series, error);
	if (!code && series->recorded)
		code = recorded_run_begin(series->recorded, series->scale->profile, series->run.id,
					  series->program.pid, error);
	return code;
}

/* ---- a run ---- */

static void notify(struct program_run *series, const struct scale_totals *totals)
{
	struct scale *scale = series->scale;
	uint64_t now = clock_now_ns();

	if (now - series->notified_ns < NOTIFY_EVERY_NS)
		return;
	series->notified_ns = now;
	struct scale_status status = {
		.run = scale->done + 1,
		.runs = scale->runs,
		.cores = series->parallel.cores,
		.elapsed_seconds = (double)(now - series->program.started_ns) / 1e9,
		.active = totals->counts[SCALE_RUNNING] + totals->counts[SCALE_RUNNABLE],
		.running = totals->counts[SCALE_RUNNING],
	};
	scale->options->notify(scale->options->context, &status);
}

/* How it stands now. */
static int take_snapshot(struct program_run *series, struct snapshot *snapshot, struct error *error)
{
	uint64_t running = 0;
	int code = thread_states_read(series->thread_states, &snapshot->totals, error);

	for (unsigned i = 0; i < SCALE_LEVELS && !code; i++)
		running += snapshot->totals.levels[i].running_ns;
	steal_update(&series->steal, running);
	snapshot->stolen_ns = series->steal.own_ns;
	return code;
}

/*
 * While it only looks now and then, lever takes its place on the program's cores. To wake another
 * core for each take_snapshot would slow the program's down for far longer than a take_snapshot takes: a program that
 * did nothing but switch between threads took 5 % longer beside a core that woke each 20 ms.
 */
static void share_cores(const struct program_run *series)
{
	if (!series->recorded)
		sched_setaffinity(0, sizeof(series->cores), &series->cores);
}

static void leave_cores(const struct program_run *series)
{
	sched_setaffinity(0, sizeof(series->scale->machine), &series->scale->machine);
}

/* Until the next take_snapshot. More of them than the time_series keeps are of no use. */
static int snapshot_interval_ms(const struct program_run *series)
{
	uint64_t every = series->series.every_ns / 1000000;

	if (series->recorded || every < SNAPSHOT_EVERY_MS)
		return SNAPSHOT_EVERY_MS;
	return every < SNAPSHOT_AT_LEAST_EVERY_MS ? (int)every : SNAPSHOT_AT_LEAST_EVERY_MS;
}

/* Until the program has ended. Ctrl-C is the program's, too; a second one leaves it alone. */
static int watch(struct program_run *series, struct error *error)
{
	struct snapshot snapshot;
	bool has_forwarded = false;
	int code = 0;

	while (!code && !program_poll(&series->program) && interruption_count() < 2) {
		struct pollfd wake = {.fd = series->program.pidfd, .events = POLLIN};
		poll(&wake, 1, snapshot_interval_ms(series));
		if (interruption_terminations() && !has_forwarded)
			syscall(SYS_pidfd_send_signal, series->program.pidfd, SIGTERM, NULL, 0);
		has_forwarded = interruption_terminations();
		code = take_snapshot(series, &snapshot, error);
		if (!code && series->recorded)
			code = recorded_run_drain(series->recorded, error);
		if (code)
			return code;
		time_series_add(&series->series, &snapshot);
		notify(series, &snapshot.totals);
	}
	code = take_snapshot(series, &snapshot, error);
	if (!code)
		time_series_end(&series->series, &snapshot);
	return code;
}

/* How it was while the program ran. */
static int write_conditions(struct program_run *series, const struct scale_counts *counts,
			    struct error *error)
{
	struct recording_run_conditions *conditions = &series->conditions;
	struct recorded_run_totals sums = {0};
	int code = series->recorded ? recorded_run_end(series->recorded, &sums, error) : 0;

	conditions->run_id = series->run.id;
	conditions->is_recorded = series->recorded != NULL;
	conditions->is_cut = sums.is_cut;
	conditions->looks = counts->samples;
	conditions->spinning = counts->spinning;
	series->run.samples = sums.events;
	series->run.lost = sums.lost;
	return code ? code : profile_set_run_conditions(series->scale->profile, conditions, error);
}

static int close_run(struct program_run *series, struct error *error)
{
	struct recording_run *run = &series->run;
	struct recording_parallel *parallel = &series->parallel;
	struct profile *profile = series->scale->profile;
	size_t count = series->series.snapshots.count;
	struct scale_counts counts;

	thread_states_counters(series->thread_states, &counts);
	parallel->stolen_ns = series->steal.stolen_ns;
	if (count) {
		const struct scale_totals *last = &series->series.snapshots.items[count - 1].totals;
		parallel->threads = last->threads;
		parallel->processes = last->processes;
		parallel->most_threads = last->most_threads;
		parallel->switches = counts.switches;
		parallel->wakes = counts.wakes;
		parallel->yields = counts.yields;
		parallel->escapes = counts.escapes;
		parallel->overwritten = last->overwritten;
		run->wall_ns = last->last_ns - last->begin_ns;
		run->finished = last->end_ns && should_continue();
	}
	run->exit_status = series->program.has_ended ? series->program.status : -1;
	series->scale->result->status = run->exit_status;
	int code = level_writer_write(profile, run->id, &series->series, error);
	code = code ? code : write_conditions(series, &counts, error);
	struct recording_overhead cost = {0};
	thread_states_overhead(series->thread_states, &cost);
	cost.run_id = run->id;
	code = code ? code : profile_set_overhead(profile, &cost, error);
	code = code ? code : profile_set_parallel(profile, parallel, error);
	code = code ? code : profile_update_run(profile, run, error);
	return code ? code : profile_commit(profile, error);
}

static int start(struct program_run *series, struct error *error)
{
	struct scale *scale = series->scale;
	int code;

	if (scale->input >= 0)
		lseek(STDIN_FILENO, scale->input, SEEK_SET);
	code = program_start(&series->program, scale->options->arguments[0], error);
	if (code) {
		scale->result->end = SCALE_NOT_STARTED;
		scale->result->exit_code = program_exec_status(code);
	}
	return code;
}

static void widen(struct threads *range, unsigned threads)
{
	if (!range->least || threads < range->least)
		range->least = threads;
	if (threads > range->most)
		range->most = threads;
}

static bool is_outside(const struct threads *range, unsigned threads)
{
	return threads < range->least || threads > range->most;
}

/* `seen`: how it went; may be NULL. */
static int run_on(struct scale *scale, const struct run_plan *plan, struct recording_parallel *seen,
		  struct error *error)
{
	struct program_run series = {.scale = scale,
				     .plan = plan,
				     .cores = choose_cores(scale, plan)};
	struct core_speed speed = core_speed_measure(&scale->machine);

	series.conditions.alone_speed = speed.alone;
	series.conditions.together_speed = speed.together;
	series.program.go = series.program.failure = series.program.pidfd = -1;
	int code = set_up(&series, error);
	steal_begin(&series.steal, &series.cores);
	share_cores(&series);
	code = code ? code : start(&series, error);
	if (!code) {
		code = watch(&series, error);
		int failed = close_run(&series, code ? NULL : error);
		code = code ? code : failed;
	}
	leave_cores(&series);
	scale->done += !code && series.run.finished;
	if (seen) {
		*seen = series.parallel;
	} else if (!code) {
		widen(&scale->at_once, series.parallel.most_threads);
		widen(&scale->made, series.parallel.threads);
	}
	program_release(&series.program);
	steal_end(&series.steal);
	thread_states_close(series.thread_states);
	recorded_run_close(series.recorded);
	time_series_clear(&series.series);
	free(series.run.command);
	return code;
}

/*
 * Where it has fewer cores than the machine, the program sees them this time: if it makes other
 * threads then, it follows the cores. So as to be comparable it is run again, without seeing them. How
 * many live at once alone may be chance.
 */
static int run_with_visible_cores(struct scale *scale, struct run_plan plan, struct error *error)
{
	struct recording_parallel seen = {0};

	plan.shows_cores = plan.cores < scale->machine_cores;
	int code = run_on(scale, &plan, &seen, error);
	if (code || !should_continue() || !plan.shows_cores || !scale->options->cores_library ||
	    !is_outside(&scale->at_once, seen.most_threads) ||
	    !is_outside(&scale->made, seen.threads))
		return code;
	plan.shows_cores = false;
	scale->runs++;
	return run_on(scale, &plan, &seen, error);
}

/* ---- all runs ---- */

/* Half of the cores where the profile is of all, all where it is of fewer; 0 if there is one core. */
static unsigned pick_compare(const struct scale *scale, unsigned on)
{
	if (on < scale->machine_cores)
		return scale->machine_cores;
	return on > 1 ? (on + 1) / 2 : 0;
}

static bool can_read_again(void)
{
	struct stat input;

	return fstat(STDIN_FILENO, &input) ||
	       (!S_ISFIFO(input.st_mode) && !S_ISSOCK(input.st_mode));
}

struct schedule {
	unsigned on, runs, compare;
	bool replays;
};

/* Where there are runs enough, one on the other cores stands among them, too: a machine changes. */
static bool compares_twice(unsigned runs)
{
	return runs >= 3;
}

static int run_in_turn(struct scale *scale, const struct schedule *schedule, struct error *error)
{
	struct run_plan plan = {.cores = schedule->on}, compare = {.cores = schedule->compare};
	int code = 0;

	for (; plan.turn < schedule->runs && !code && should_continue(); plan.turn++) {
		code = run_on(scale, &plan, NULL, error);
		if (code || plan.turn || !compare.cores || !compares_twice(schedule->runs) ||
		    !should_continue())
			continue;
		struct recording_parallel unused;
		code = run_on(scale, &compare, &unused, error);
		compare.turn++;
	}
	if (compare.cores && !code && should_continue())
		code = run_with_visible_cores(scale, compare, error);
	plan.is_recorded = true;
	if (schedule->replays && !code && should_continue())
		code = run_with_visible_cores(scale, plan, error);
	return code;
}

static int run_all(struct scale *scale, struct error *error)
{
	const struct scale_options *options = scale->options;
	unsigned on = options->on ? options->on : scale->machine_cores, runs = options->runs;
	unsigned compare = options->picks_compare ? pick_compare(scale, on) : options->compare;
	bool replays = options->replays;

	scale->input = lseek(STDIN_FILENO, 0, SEEK_CUR);
	if (runs + replays + (compare != 0) > 1 && !can_read_again()) {
		options->say(options->context,
			     "standard input can be read only once, so there is one run; give the "
			     "program a file for more");
		runs = 1;
		replays = false;
		compare = 0;
	}
	scale->runs = runs + replays + (compare != 0) * (1 + compares_twice(runs));
	return run_in_turn(scale, &(struct schedule){on, runs, compare, replays}, error);
}

static int check_cores(const struct scale *scale, struct error *error)
{
	const struct scale_options *options = scale->options;
	unsigned most = options->on > options->compare ? options->on : options->compare;

	if (most <= scale->machine_cores)
		return 0;
	scale->result->end = SCALE_WRONG_USAGE;
	return error_set(error, -EINVAL, "lever may use %u core%s here, not %u",
			 scale->machine_cores, scale->machine_cores == 1 ? "" : "s", most);
}

/* What cannot be executed is said before anything is made. */
static int find_program(struct scale *scale, struct error *error)
{
	int code = 0;

	scale->path = program_find(scale->options->arguments[0], &code, error);
	if (scale->path)
		return 0;
	scale->result->end = SCALE_NOT_STARTED;
	scale->result->exit_code = program_exec_status(code);
	return code;
}

void scale_run(const struct scale_options *options, struct scale_result *result,
	       struct error *error)
{
	struct scale scale = {.options = options, .result = result};

	*result = (struct scale_result){.end = SCALE_FAILED, .status = -1};
	if (sched_getaffinity(0, sizeof(scale.machine), &scale.machine)) {
		error_set(error, errno, "cannot tell which cores there are: %s", strerror(errno));
		return;
	}
	scale.machine_cores = scale_cores();
	int code = check_cores(&scale, error);
	code = code ? code : find_program(&scale, error);
	code = code ? code : profile_create(options->output, options->fresh, &scale.profile, error);
	if (!code) {
		interruption_catch();
		code = run_all(&scale, error);
	}
	if (!code)
		result->end = scale.done ? SCALE_DONE : SCALE_NOTHING;
	profile_close(scale.profile);
	free(scale.path);
}
