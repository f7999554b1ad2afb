/* SPDX-License-Identifier: BSD-2-Clause */
/* scale - runs the program on the cores that are asked for, and writes down how it used them. */
#include "scale/scale.h"

#include "base/clock.h"
#include "base/own.h"
#include "collect/census.h"
#include "collect/program.h"
#include "collect/speed.h"
#include "experiment/interruption.h"
#include "profile/profile.h"
#include "scale/rows.h"
#include "scale/steal.h"
#include "scale/witness.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>

#define LOOK_EVERY_MS 20
#define LOOK_AT_LEAST_MS 40
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
struct plan {
	unsigned cores;
	unsigned turn;    /* of so many cores: the first ones, those after them, ... */
	bool is_recorded; /* the scheduler's log, too */
	bool shows_cores; /* although there are fewer than the machine has */
};

/* One run of the program. */
struct course_of_run {
	struct scale *scale;
	const struct plan *plan;
	cpu_set_t cores;
	struct census *census;
	struct witness *witness; /* NULL: nothing is recorded */
	struct program program;
	struct recording_run run;
	struct recording_parallel parallel;
	struct recording_circumstance circumstance;
	struct course course;
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
static bool goes_on(void)
{
	return !interruption_count() && !interruption_terminations();
}

/* ---- before and after a run ---- */

/* So many of the machine's, in each turn others: not all are alike, nor have the same neighbours. */
static cpu_set_t choose_cores(const struct scale *scale, const struct plan *plan)
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

static bool hides_cores(const struct course_of_run *course)
{
	return course->scale->options->cores_library && !course->plan->shows_cores &&
	       (unsigned)CPU_COUNT(&course->cores) < course->scale->machine_cores;
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

static int begin_run(struct course_of_run *course, struct error *error)
{
	static struct utsname host; /* borrowed by the run until its end */
	struct scale *scale = course->scale;
	struct recording_run *run = &course->run;
	struct recording_parallel *parallel = &course->parallel;

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
	if (!scale->session_id && scale->options->question) {
		struct recording_question question = *scale->options->question;
		question.session_id = run->id;
		code = profile_set_question(scale->profile, &question, error);
	}
	scale->session_id = scale->session_id ? scale->session_id : run->id;
	parallel->run_id = run->id;
	parallel->session_id = scale->session_id;
	parallel->asked = (char *)(uintptr_t)scale->options->asked;
	parallel->cores = (unsigned)CPU_COUNT(&course->cores);
	parallel->machine_cores = scale->machine_cores;
	parallel->hides_cores = hides_cores(course);
	code = code ? code : profile_set_parallel(scale->profile, parallel, error);
	return code ? code : profile_commit(scale->profile, error);
}

/* Without the log the run still counts. */
static void open_witness(struct course_of_run *course)
{
	const struct scale_options *options = course->scale->options;
	struct witness_options witness = {.question = options->question,
					  .program = course->scale->path,
					  .verbose = options->verbose};
	struct error error = {0};

	if (!course->plan->is_recorded || !witness_open(&witness, &course->witness, &error))
		return;
	AUTO(text) char *sentence = text_format("no replay: %s", error.text);
	options->say(options->context, sentence);
}

static int prepare(struct course_of_run *course, struct error *error)
{
	struct scale *scale = course->scale;
	AUTO(text) char *preload = NULL;
	AUTO(text) char *mask = NULL;
	const char *environment[5] = {NULL};
	size_t count = 0;

	if (hides_cores(course)) {
		const char *old = getenv("LD_PRELOAD");
		environment[count++] = preload =
			text_format("LD_PRELOAD=%s%s%s", scale->options->cores_library,
				    old && *old ? ":" : "", old && *old ? old : "");
		environment[count++] = mask = mask_text(&scale->machine);
	}
	if (course->witness) {
		environment[count++] = "LEVER_LISTEN=2";
		environment[count] = witness_environment(course->witness);
	}
	return program_prepare(&course->program, scale->options->arguments, environment, error);
}

static int set_up(struct course_of_run *course, struct error *error)
{
	struct census_options census = {.cores = &course->cores,
					.looks = course->plan->is_recorded,
					.verbose = course->scale->options->verbose};

	open_witness(course);
	int code = census_open(&census, &course->census, error);
	code = code ? code : prepare(course, error);
	if (code)
		return code;
	if (sched_setaffinity(course->program.pid, sizeof(course->cores), &course->cores))
		return error_set(error, errno, "the program cannot be held on %d cores: %s",
				 CPU_COUNT(&course->cores), strerror(errno));
	code = census_start(course->census, course->program.pid, error);
	code = code ? code : begin_run(course, error);
	if (!code && course->witness)
		code = witness_begin(course->witness, course->scale->profile, course->run.id,
				     course->program.pid, error);
	return code;
}

/* ---- a run ---- */

static void notify(struct course_of_run *course, const struct scale_totals *totals)
{
	struct scale *scale = course->scale;
	uint64_t now = clock_now_ns();

	if (now - course->notified_ns < NOTIFY_EVERY_NS)
		return;
	course->notified_ns = now;
	struct scale_status status = {
		.run = scale->done + 1,
		.runs = scale->runs,
		.cores = course->parallel.cores,
		.elapsed_seconds = (double)(now - course->program.started_ns) / 1e9,
		.active = totals->counts[SCALE_RUNNING] + totals->counts[SCALE_RUNNABLE],
		.running = totals->counts[SCALE_RUNNING],
	};
	scale->options->notify(scale->options->context, &status);
}

/* How it stands now. */
static int look(struct course_of_run *course, struct moment *moment, struct error *error)
{
	uint64_t running = 0;
	int code = census_read(course->census, &moment->totals, error);

	for (unsigned i = 0; i < SCALE_LEVELS && !code; i++)
		running += moment->totals.levels[i].running_ns;
	steal_look(&course->steal, running);
	moment->stolen_ns = course->steal.own_ns;
	return code;
}

/*
 * While it only looks now and then, lever takes its place on the program's cores. To wake another
 * core for each look would slow the program's down for far longer than a look takes: a program that
 * did nothing but switch between threads took 5 % longer beside a core that woke each 20 ms.
 */
static void move_in(const struct course_of_run *course)
{
	if (!course->witness)
		sched_setaffinity(0, sizeof(course->cores), &course->cores);
}

static void move_out(const struct course_of_run *course)
{
	sched_setaffinity(0, sizeof(course->scale->machine), &course->scale->machine);
}

/* Until the next look. More of them than the course keeps are of no use. */
static int pause_ms(const struct course_of_run *course)
{
	uint64_t every = course->course.every_ns / 1000000;

	if (course->witness || every < LOOK_EVERY_MS)
		return LOOK_EVERY_MS;
	return every < LOOK_AT_LEAST_MS ? (int)every : LOOK_AT_LEAST_MS;
}

/* Until the program has ended. Ctrl-C is the program's, too; a second one leaves it alone. */
static int watch(struct course_of_run *course, struct error *error)
{
	struct moment moment;
	bool has_forwarded = false;
	int code = 0;

	while (!code && !program_poll(&course->program) && interruption_count() < 2) {
		struct pollfd wake = {.fd = course->program.pidfd, .events = POLLIN};
		poll(&wake, 1, pause_ms(course));
		if (interruption_terminations() && !has_forwarded)
			syscall(SYS_pidfd_send_signal, course->program.pidfd, SIGTERM, NULL, 0);
		has_forwarded = interruption_terminations();
		code = look(course, &moment, error);
		if (!code && course->witness)
			code = witness_look(course->witness, error);
		if (code)
			return code;
		course_add(&course->course, &moment);
		notify(course, &moment.totals);
	}
	code = look(course, &moment, error);
	if (!code)
		course_end(&course->course, &moment);
	return code;
}

/* How it was while the program ran. */
static int close_circumstance(struct course_of_run *course, const struct scale_counts *counts,
			      struct error *error)
{
	struct recording_circumstance *circumstance = &course->circumstance;
	struct witness_sums sums = {0};
	int code = course->witness ? witness_end(course->witness, &sums, error) : 0;

	circumstance->run_id = course->run.id;
	circumstance->is_recorded = course->witness != NULL;
	circumstance->is_cut = sums.is_cut;
	circumstance->looks = counts->looks;
	circumstance->spinning = counts->spinning;
	course->run.samples = sums.events;
	course->run.lost = sums.lost;
	return code ? code : profile_set_circumstance(course->scale->profile, circumstance, error);
}

static int close_run(struct course_of_run *course, struct error *error)
{
	struct recording_run *run = &course->run;
	struct recording_parallel *parallel = &course->parallel;
	struct profile *profile = course->scale->profile;
	size_t count = course->course.moments.count;
	struct scale_counts counts;

	census_counts(course->census, &counts);
	parallel->stolen_ns = course->steal.stolen_ns;
	if (count) {
		const struct scale_totals *last = &course->course.moments.items[count - 1].totals;
		parallel->threads = last->threads;
		parallel->processes = last->processes;
		parallel->most_threads = last->most_threads;
		parallel->switches = counts.switches;
		parallel->wakes = counts.wakes;
		parallel->yields = counts.yields;
		parallel->escapes = counts.escapes;
		parallel->overwritten = last->overwritten;
		run->wall_ns = last->last_ns - last->begin_ns;
		run->finished = last->end_ns && goes_on();
	}
	run->exit_status = course->program.has_ended ? course->program.status : -1;
	course->scale->result->status = run->exit_status;
	int code = rows_write_course(profile, run->id, &course->course, error);
	code = code ? code : close_circumstance(course, &counts, error);
	struct recording_cost cost = {0};
	census_cost(course->census, &cost);
	cost.run_id = run->id;
	code = code ? code : profile_set_cost(profile, &cost, error);
	code = code ? code : profile_set_parallel(profile, parallel, error);
	code = code ? code : profile_update_run(profile, run, error);
	return code ? code : profile_commit(profile, error);
}

static int start(struct course_of_run *course, struct error *error)
{
	struct scale *scale = course->scale;
	int code;

	if (scale->input >= 0)
		lseek(STDIN_FILENO, scale->input, SEEK_SET);
	code = program_start(&course->program, scale->options->arguments[0], error);
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
static int run_on(struct scale *scale, const struct plan *plan, struct recording_parallel *seen,
		  struct error *error)
{
	struct course_of_run course = {.scale = scale,
				       .plan = plan,
				       .cores = choose_cores(scale, plan)};
	struct speed speed = speed_measure(&scale->machine);

	course.circumstance.alone_speed = speed.alone;
	course.circumstance.together_speed = speed.together;
	course.program.go = course.program.failure = course.program.pidfd = -1;
	int code = set_up(&course, error);
	steal_begin(&course.steal, &course.cores);
	move_in(&course);
	code = code ? code : start(&course, error);
	if (!code) {
		code = watch(&course, error);
		int failed = close_run(&course, code ? NULL : error);
		code = code ? code : failed;
	}
	move_out(&course);
	scale->done += !code && course.run.finished;
	if (seen) {
		*seen = course.parallel;
	} else if (!code) {
		widen(&scale->at_once, course.parallel.most_threads);
		widen(&scale->made, course.parallel.threads);
	}
	program_release(&course.program);
	steal_end(&course.steal);
	census_close(course.census);
	witness_close(course.witness);
	course_clear(&course.course);
	free(course.run.command);
	return code;
}

/*
 * Where it has fewer cores than the machine, the program sees them this time: if it makes other
 * threads then, it follows the cores. So as to be comparable it is run again, without seeing them. How
 * many live at once alone may be chance.
 */
static int run_seeing(struct scale *scale, struct plan plan, struct error *error)
{
	struct recording_parallel seen = {0};

	plan.shows_cores = plan.cores < scale->machine_cores;
	int code = run_on(scale, &plan, &seen, error);
	if (code || !goes_on() || !plan.shows_cores || !scale->options->cores_library ||
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
	struct plan plan = {.cores = schedule->on}, compare = {.cores = schedule->compare};
	int code = 0;

	for (; plan.turn < schedule->runs && !code && goes_on(); plan.turn++) {
		code = run_on(scale, &plan, NULL, error);
		if (code || plan.turn || !compare.cores || !compares_twice(schedule->runs) ||
		    !goes_on())
			continue;
		struct recording_parallel unused;
		code = run_on(scale, &compare, &unused, error);
		compare.turn++;
	}
	if (compare.cores && !code && goes_on())
		code = run_seeing(scale, compare, error);
	plan.is_recorded = true;
	if (schedule->replays && !code && goes_on())
		code = run_seeing(scale, plan, error);
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
