/* SPDX-License-Identifier: BSD-2-Clause */
/* scale - the driver's steps of one run on chosen cores, and the sequence of such runs. */
#include "scale/scale.h"

#include "base/cleanup.h"
#include "collect/scale/core_speed.h"
#include "collect/scale/thread_states.h"
#include "driver/interruption.h"
#include "driver/start_gate.h"
#include "scale/level_writer.h"
#include "scale/recorded_run.h"
#include "scale/steal.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/stat.h>

#define SNAPSHOT_EVERY_MS 20
#define SNAPSHOT_AT_LEAST_EVERY_MS 40

struct run_plan {
	unsigned cores;
	unsigned turn;    /* which cores: the first ones, the next ones, ... */
	bool is_recorded; /* with the scheduler's log */
	bool shows_cores; /* although there are fewer than the machine has */
};

/* One run of the program. */
struct program_run {
	const struct run_plan *plan;
	cpu_set_t cores;
	struct thread_states *thread_states;
	struct recorded_run *recorded; /* NULL: nothing is recorded */
	struct recording_parallel parallel;
	struct recording_run_conditions conditions;
	struct time_series series;
	struct steal steal;
	unsigned active, running; /* threads at the last snapshot */
};

struct scale {
	struct driver driver;
	const struct scale_options *options;
	cpu_set_t machine; /* cores that lever may use */
	unsigned machine_cores;
	off_t input; /* the initial offset of standard input; -1: it cannot be rewound */
	int64_t session_id;
	unsigned done, runs; /* runs so far, and planned */
	struct threads {
		unsigned least, most;
	} at_once, made;        /* in the profiled runs */
	struct program_run run; /* the current one */
};

static struct scale *scale_of(struct driver *driver)
{
	return (struct scale *)driver;
}

static unsigned usable_cores(void)
{
	cpu_set_t own;
	int count = sched_getaffinity(0, sizeof(own), &own) ? 1 : CPU_COUNT(&own);

	return count > SCALE_CPUS_MOST ? SCALE_CPUS_MOST : (unsigned)count;
}

/* ---- before a run ---- */

/* Other cores in each turn: cores differ, and so do their neighbours. */
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

static bool hides_cores(const struct scale *scale)
{
	return scale->options->cores_library && !scale->run.plan->shows_cores &&
	       (unsigned)CPU_COUNT(&scale->run.cores) < scale->machine_cores;
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

/* Without the log the run still counts. */
static void open_recorded_run(struct scale *scale)
{
	struct recorded_run_options recorded = {.what_if = scale->options->what_if,
						.program = scale->driver.program_path,
						.wants_messages = scale->options->logs_messages,
						.verbose = scale->driver.options->verbose};
	struct error error = {0};

	if (!scale->run.plan->is_recorded ||
	    !recorded_run_open(&recorded, &scale->run.recorded, &error))
		return;
	AUTO(text) char *sentence = text_format("no replay: %s", error.text);
	driver_message(&scale->driver, sentence);
}

static int begin_others(struct scale *scale, struct error *error)
{
	const struct scale_others *others = scale->options->others;
	const struct run_plan *plan = scale->run.plan;
	bool all = plan->cores == scale->machine_cores && !scale->options->on;
	const struct scale_other_run run = {.cores = all ? 0 : plan->cores,
					    .is_recorded = plan->is_recorded,
					    .shows_cores = plan->shows_cores};

	return others ? others->begin(others->context, &run, error) : 0;
}

static int prepare(struct driver *driver, struct error *error)
{
	struct scale *scale = scale_of(driver);
	struct thread_states_options thread_states = {.cores = &scale->run.cores,
						      .samples = scale->run.plan->is_recorded,
						      .verbose = driver->options->verbose};

	open_recorded_run(scale);
	int code = thread_states_open(&thread_states, &scale->run.thread_states, error);
	return code ? code : begin_others(scale, error);
}

static void describe(struct driver *driver)
{
	driver->run.engine = (char *)"kernel";
}

static int begin(struct driver *driver, struct error *error)
{
	struct scale *scale = scale_of(driver);
	struct recording_parallel *parallel = &scale->run.parallel;
	int code = 0;

	if (!scale->session_id && scale->options->what_if) {
		struct recording_what_if what_if = *scale->options->what_if;
		what_if.session_id = driver->run.id;
		code = profile_set_what_if(driver->profile, &what_if, error);
	}
	scale->session_id = scale->session_id ? scale->session_id : driver->run.id;
	parallel->run_id = driver->run.id;
	parallel->session_id = scale->session_id;
	parallel->asked = (char *)(uintptr_t)scale->options->asked;
	parallel->cores = (unsigned)CPU_COUNT(&scale->run.cores);
	parallel->machine_cores = scale->machine_cores;
	parallel->hides_cores = hides_cores(scale);
	return code ? code : profile_set_parallel(driver->profile, parallel, error);
}

static void set_environment(struct driver *driver, struct environment *environment)
{
	struct scale *scale = scale_of(driver);

	if (hides_cores(scale)) {
		AUTO(text) char *mask = mask_text(&scale->machine);
		environment_preload(environment, scale->options->cores_library);
		environment_add(environment, mask);
	}
	if (scale->run.recorded) {
		environment_add(environment, "LEVER_LISTEN=2");
		environment_add(environment, recorded_run_environment(scale->run.recorded));
	}
}

static int add_program(struct driver *driver, struct error *error)
{
	struct program_run *run = &scale_of(driver)->run;
	pid_t pid = driver->program.pid;

	if (sched_setaffinity(pid, sizeof(run->cores), &run->cores))
		return error_set(error, errno, "the program cannot be held on %d cores: %s",
				 CPU_COUNT(&run->cores), strerror(errno));
	int code = thread_states_start(run->thread_states, pid, error);
	if (!code && run->recorded)
		code = recorded_run_begin(run->recorded, driver->profile, driver->run.id, pid,
					  error);
	return code;
}

/*
 * Between snapshots lever sleeps, and so it shares the program's cores: waking another core for
 * each snapshot costs the program more (docs/decisions.md, "Scale: lever on the program's cores").
 */
static int start(struct driver *driver, struct error *error)
{
	struct scale *scale = scale_of(driver);
	struct program_run *run = &scale->run;

	(void)error;
	steal_begin(&run->steal, &run->cores);
	if (!run->recorded)
		sched_setaffinity(0, sizeof(run->cores), &run->cores);
	if (scale->input >= 0)
		lseek(STDIN_FILENO, scale->input, SEEK_SET);
	return 0;
}

/* ---- a run ---- */

static int take_snapshot(struct program_run *run, struct snapshot *snapshot, struct error *error)
{
	const struct scale_totals *totals = &snapshot->totals;
	uint64_t running_ns = 0;
	int code = thread_states_read(run->thread_states, &snapshot->totals, error);

	if (code)
		return code;
	for (unsigned i = 0; i < SCALE_LEVELS; i++)
		running_ns += totals->levels[i].running_ns;
	steal_update(&run->steal, running_ns);
	snapshot->stolen_ns = run->steal.own_ns;
	run->running = totals->counts[SCALE_RUNNING];
	run->active = run->running + totals->counts[SCALE_RUNNABLE];
	return 0;
}

/* More snapshots than the time series keeps are of no use. */
static int snapshot_interval_ms(const struct program_run *run)
{
	uint64_t every = run->series.every_ns / 1000000;

	if (run->recorded || every < SNAPSHOT_EVERY_MS)
		return SNAPSHOT_EVERY_MS;
	return every < SNAPSHOT_AT_LEAST_EVERY_MS ? (int)every : SNAPSHOT_AT_LEAST_EVERY_MS;
}

static int poll_states(struct driver *driver, struct error *error)
{
	struct program_run *run = &scale_of(driver)->run;
	struct snapshot snapshot;
	int code = take_snapshot(run, &snapshot, error);

	if (!code && run->recorded)
		code = recorded_run_drain(run->recorded, error);
	if (code)
		return code;
	time_series_add(&run->series, &snapshot);
	driver->poll_ms = snapshot_interval_ms(run);
	return 0;
}

static void notify(struct driver *driver, uint64_t now_ns)
{
	struct scale *scale = scale_of(driver);
	struct scale_status status = {
		.run = scale->done + 1,
		.runs = scale->runs,
		.cores = scale->run.parallel.cores,
		.elapsed_seconds = driver_elapsed_seconds(driver, now_ns),
		.active = scale->run.active,
		.running = scale->run.running,
	};

	scale->options->notify(scale->options->context, &status);
}

static int stop(struct driver *driver, struct error *error)
{
	struct program_run *run = &scale_of(driver)->run;
	struct snapshot snapshot;
	int code = driver->code ? 0 : take_snapshot(run, &snapshot, error);

	if (!driver->code && !code)
		time_series_end(&run->series, &snapshot);
	thread_states_overhead(run->thread_states, &driver->overhead);
	return code;
}

/* ---- after a run ---- */

static int write_conditions(struct driver *driver, const struct scale_counts *counts,
			    struct error *error)
{
	struct program_run *run = &scale_of(driver)->run;
	struct recording_run_conditions *conditions = &run->conditions;
	struct recorded_run_totals totals = {0};
	int code = run->recorded ? recorded_run_end(run->recorded, &totals, error) : 0;

	conditions->run_id = driver->run.id;
	conditions->is_recorded = run->recorded != NULL;
	conditions->is_cut = totals.is_cut;
	conditions->inspections = counts->samples;
	conditions->spinning = counts->spinning;
	driver->run.samples = totals.events;
	driver->run.lost = totals.lost;
	return code ? code : profile_set_run_conditions(driver->profile, conditions, error);
}

static void fill_parallel(struct program_run *run, const struct scale_counts *counts,
			  const struct scale_totals *last)
{
	struct recording_parallel *parallel = &run->parallel;

	parallel->stolen_ns = run->steal.stolen_ns;
	if (!last)
		return;
	parallel->threads = last->threads;
	parallel->processes = last->processes;
	parallel->most_threads = last->most_threads;
	parallel->switches = counts->switches;
	parallel->wakes = counts->wakes;
	parallel->yields = counts->yields;
	parallel->escapes = counts->escapes;
	parallel->overwritten = last->overwritten;
}

static void add_others(struct driver *driver)
{
	struct scale *scale = scale_of(driver);
	const struct scale_others *others = scale->options->others;

	if (others)
		driver->run.note = others->add(others->context, driver->profile, driver->run.id,
					       scale->session_id);
}

static int finish(struct driver *driver, struct error *error)
{
	struct program_run *run = &scale_of(driver)->run;
	size_t count = run->series.snapshots.count;
	const struct scale_totals *last =
		count ? &run->series.snapshots.items[count - 1].totals : NULL;
	struct scale_counts counts;

	thread_states_counters(run->thread_states, &counts);
	fill_parallel(run, &counts, last);
	driver->run.wall_ns = last ? last->last_ns - last->begin_ns : 0;
	driver->run.finished =
		last && last->end_ns && (!interruption_any() || start_gate_is_there());
	int code = level_writer_write(driver->profile, driver->run.id, &run->series, error);
	code = code ? code : write_conditions(driver, &counts, error);
	add_others(driver);
	return code ? code : profile_set_parallel(driver->profile, &run->parallel, error);
}

static void end(struct driver *driver)
{
	struct scale *scale = scale_of(driver);
	struct program_run *run = &scale->run;

	sched_setaffinity(0, sizeof(scale->machine), &scale->machine);
	steal_end(&run->steal);
	thread_states_close(run->thread_states);
	recorded_run_close(run->recorded);
	time_series_clear(&run->series);
}

/* ---- the sequence of runs ---- */

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

/* `seen`: the run's row; NULL: it is one of the profiled runs. */
static int run_on(struct scale *scale, const struct run_plan *plan, struct recording_parallel *seen,
		  struct error *error)
{
	struct core_speed speed = core_speed_measure(&scale->machine);

	scale->run = (struct program_run){
		.plan = plan,
		.cores = choose_cores(scale, plan),
		.conditions = {.alone_speed = speed.alone, .together_speed = speed.together},
		.steal.stat = -1,
	};
	scale->driver.poll_ms = SNAPSHOT_EVERY_MS;
	int code = driver_record(&scale->driver, error);
	scale->done += !code && scale->driver.run.finished;
	if (seen) {
		*seen = scale->run.parallel;
	} else if (!code) {
		widen(&scale->at_once, scale->run.parallel.most_threads);
		widen(&scale->made, scale->run.parallel.threads);
	}
	return code;
}

/*
 * On fewer cores than the machine has, the program sees them in this run. If it then makes other
 * threads and has other numbers of them at once, their number depends on the cores. The run is
 * repeated without showing the cores, so that it compares with the others.
 */
static int run_with_visible_cores(struct scale *scale, struct run_plan plan, struct error *error)
{
	struct recording_parallel seen = {0};

	plan.shows_cores = plan.cores < scale->machine_cores;
	int code = run_on(scale, &plan, &seen, error);
	if (code || interruption_any() || !plan.shows_cores || !scale->options->cores_library ||
	    !is_outside(&scale->at_once, seen.most_threads) ||
	    !is_outside(&scale->made, seen.threads))
		return code;
	plan.shows_cores = false;
	scale->runs++;
	return run_on(scale, &plan, &seen, error);
}

/* Half of the cores if all are profiled, else all; 0 on one core. */
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

/* With enough runs, one on the other cores comes early, as the machine's speed changes in time. */
static bool compares_twice(unsigned runs)
{
	return runs >= 3;
}

static int run_in_turn(struct scale *scale, const struct schedule *schedule, struct error *error)
{
	struct run_plan plan = {.cores = schedule->on}, compare = {.cores = schedule->compare};
	int code = 0;

	for (; plan.turn < schedule->runs && !code && !interruption_any(); plan.turn++) {
		code = run_on(scale, &plan, NULL, error);
		if (code || plan.turn || !compare.cores || !compares_twice(schedule->runs) ||
		    interruption_any())
			continue;
		struct recording_parallel unused;
		code = run_on(scale, &compare, &unused, error);
		compare.turn++;
	}
	if (compare.cores && !code && !interruption_any())
		code = run_with_visible_cores(scale, compare, error);
	plan.is_recorded = true;
	if (schedule->replays && !code && !interruption_any())
		code = run_with_visible_cores(scale, plan, error);
	return code;
}

static int run_all(struct driver *driver, struct error *error)
{
	struct scale *scale = scale_of(driver);
	const struct scale_options *options = scale->options;
	unsigned on = options->on ? options->on : scale->machine_cores, runs = options->runs;
	unsigned compare = options->picks_compare ? pick_compare(scale, on) : options->compare;
	bool replays = options->replays;

	interruption_catch();
	scale->input = lseek(STDIN_FILENO, 0, SEEK_CUR);
	scale->runs = 1;
	if (options->only_recorded)
		return run_on(scale, &(struct run_plan){.cores = on, .is_recorded = true}, NULL,
			      error);
	if (runs + replays + (compare != 0) > 1 && !can_read_again()) {
		driver_message(
			driver,
			"standard input can be read only once, so there is one run; give the "
			"program a file for more");
		runs = 1;
		replays = false;
		compare = 0;
	}
	scale->runs = runs + replays + (compare != 0) * (1 + compares_twice(runs));
	return run_in_turn(scale, &(struct schedule){on, runs, compare, replays}, error);
}

static int check(struct driver *driver, struct error *error)
{
	struct scale *scale = scale_of(driver);
	const struct scale_options *options = scale->options;
	unsigned most = options->on > options->compare ? options->on : options->compare;

	if (sched_getaffinity(0, sizeof(scale->machine), &scale->machine))
		return error_set(error, errno, "cannot read the affinity of lever: %s",
				 strerror(errno));
	scale->machine_cores = usable_cores();
	if (most <= scale->machine_cores)
		return 0;
	return error_set(error, -EINVAL, "lever may use %u core%s here, not %u",
			 scale->machine_cores, scale->machine_cores == 1 ? "" : "s", most);
}

static bool has_answer(const struct driver *driver)
{
	return ((const struct scale *)driver)->done;
}

static const struct driver_verb scale_verb = {
	.kind = RUN_SCALE,
	.lasts_to_program_end = true,
	.check = check,
	.sequence = run_all,
	.prepare = prepare,
	.describe = describe,
	.begin = begin,
	.environment = set_environment,
	.add_program = add_program,
	.start = start,
	.poll = poll_states,
	.notify = notify,
	.stop = stop,
	.finish = finish,
	.end = end,
	.has_answer = has_answer,
};

void scale_run(const struct scale_options *options, const struct driver_options *driver,
	       struct driver_result *result, struct error *error)
{
	struct scale scale = {.options = options};

	driver_run(&scale.driver, &scale_verb, driver, result, error);
}
