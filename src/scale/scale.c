/* SPDX-License-Identifier: BSD-2-Clause */
/* scale - runs the program on the cores that are asked for, and writes down how it used them. */
#include "scale/scale.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/own.h"
#include "collect/census.h"
#include "collect/program.h"
#include "experiment/interruption.h"
#include "profile/profile.h"
#include "scale/course.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>

#define LOOK_EVERY_MS 20
#define NOTIFY_EVERY_NS 500000000ull

struct scale {
	const struct scale_options *options;
	struct scale_result *result;
	struct profile *profile;
	cpu_set_t machine; /* what lever may use */
	unsigned machine_cores;
	off_t input; /* where standard input stood; -1: it cannot be set back */
	int64_t session_id;
	unsigned done, runs; /* runs so far, and planned */
};

/* One run of the program. */
struct course_of_run {
	struct scale *scale;
	cpu_set_t cores;
	struct census *census;
	struct program program;
	struct recording_run run;
	struct recording_parallel parallel;
	struct course course;
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

/* The first so many of the machine's. */
static cpu_set_t choose_cores(const struct scale *scale, unsigned count)
{
	cpu_set_t chosen;
	unsigned so_far = 0;

	CPU_ZERO(&chosen);
	for (int cpu = 0; cpu < SCALE_CPUS_MOST && so_far < count; cpu++) {
		if (!CPU_ISSET(cpu, &scale->machine))
			continue;
		CPU_SET(cpu, &chosen);
		so_far++;
	}
	return chosen;
}

/* Time that the hypervisor took from these cores since the machine started. 0 if unknown. */
static uint64_t stolen_ns(const cpu_set_t *cores)
{
	AUTO(text) char *stat = file_read("/proc/stat", NULL, NULL);
	uint64_t ticks = 0;
	char *rest = stat;

	for (char *line; stat && (line = strsep(&rest, "\n"));) {
		int cpu;
		unsigned long long steal;
		if (sscanf(line, "cpu%d %*u %*u %*u %*u %*u %*u %*u %llu", &cpu, &steal) == 2 &&
		    cpu >= 0 && cpu < CPU_SETSIZE && CPU_ISSET(cpu, cores))
			ticks += steal;
	}
	return ticks * (1000000000u / (uint64_t)sysconf(_SC_CLK_TCK));
}

static bool hides_cores(const struct course_of_run *course)
{
	return course->scale->options->cores_library &&
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
	scale->session_id = scale->session_id ? scale->session_id : run->id;
	parallel->run_id = run->id;
	parallel->session_id = scale->session_id;
	parallel->asked = (char *)(uintptr_t)scale->options->asked;
	parallel->cores = (unsigned)CPU_COUNT(&course->cores);
	parallel->machine_cores = scale->machine_cores;
	parallel->hides_cores = hides_cores(course);
	code = profile_set_parallel(scale->profile, parallel, error);
	return code ? code : profile_commit(scale->profile, error);
}

static int set_up(struct course_of_run *course, struct error *error)
{
	struct scale *scale = course->scale;
	struct census_options census = {.cores = &course->cores,
					.verbose = scale->options->verbose};
	AUTO(text) char *preload = NULL;
	AUTO(text) char *mask = NULL;
	const char *environment[3] = {NULL};

	if (hides_cores(course)) {
		const char *old = getenv("LD_PRELOAD");
		environment[0] = preload =
			text_format("LD_PRELOAD=%s%s%s", scale->options->cores_library,
				    old && *old ? ":" : "", old && *old ? old : "");
		environment[1] = mask = mask_text(&scale->machine);
	}
	int code = census_open(&census, &course->census, error);
	code = code ? code :
		      program_prepare(&course->program, scale->options->arguments, environment,
				      error);
	if (code)
		return code;
	if (sched_setaffinity(course->program.pid, sizeof(course->cores), &course->cores))
		return error_set(error, errno, "the program cannot be held on %d cores: %s",
				 CPU_COUNT(&course->cores), strerror(errno));
	code = census_start(course->census, course->program.pid, error);
	return code ? code : begin_run(course, error);
}

/* ---- levels ---- */

static int write_level(struct course_of_run *course, unsigned slice, uint64_t begin_ns,
		       unsigned threads, const struct scale_level *level, struct error *error)
{
	const __u64 *waiting = level->waiting_ns;
	struct recording_level row = {
		.run_id = course->run.id,
		.slice = slice,
		.threads = threads,
		.begin_ns = begin_ns,
		.wall_ns = level->wall_ns,
		.running_ns = level->running_ns,
		.displaced_ns = level->displaced_ns,
		.lock_ns = waiting[SCALE_LOCK - SCALE_LOCK],
		.io_ns = waiting[SCALE_IO - SCALE_LOCK],
		.timer_ns = waiting[SCALE_TIMER - SCALE_LOCK],
		.condition_ns = waiting[SCALE_CONDITION - SCALE_LOCK],
		.other_ns = waiting[SCALE_OTHER - SCALE_LOCK],
	};
	return profile_set_level(course->scale->profile, &row, error);
}

static struct scale_level level_between(const struct scale_level *from,
					const struct scale_level *to)
{
	struct scale_level between = {
		.wall_ns = to->wall_ns - from->wall_ns,
		.running_ns = to->running_ns - from->running_ns,
		.displaced_ns = to->displaced_ns - from->displaced_ns,
	};
	for (size_t i = 0; i < SCALE_WAITS; i++)
		between.waiting_ns[i] = to->waiting_ns[i] - from->waiting_ns[i];
	return between;
}

/* What happened between two moments: slice 0 from the start to the end. */
static int write_slice(struct course_of_run *course, unsigned slice,
		       const struct scale_totals *from, const struct scale_totals *to,
		       struct error *error)
{
	int code = 0;

	for (unsigned i = 0; i < SCALE_LEVELS && !code; i++) {
		struct scale_level level = level_between(&from->levels[i], &to->levels[i]);
		if (level.wall_ns)
			code = write_level(course, slice, from->last_ns - to->begin_ns, i, &level,
					   error);
	}
	return code;
}

static int write_course(struct course_of_run *course, struct error *error)
{
	size_t count = course->course.moments.count;
	const struct scale_totals *moments = course->course.moments.items;

	if (!count)
		return 0;
	struct scale_totals start = {.last_ns = moments[0].begin_ns};
	int code = write_slice(course, 0, &start, &moments[count - 1], error);
	for (size_t i = 0; i < count && !code; i++)
		code = write_slice(course, (unsigned)i + 1, i ? &moments[i - 1] : &start,
				   &moments[i], error);
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

/* Until the program has ended. Ctrl-C is the program's, too; a second one leaves it alone. */
static int watch(struct course_of_run *course, struct error *error)
{
	struct scale_totals totals;
	bool has_forwarded = false;
	int code = 0;

	while (!code && !program_poll(&course->program) && interruption_count() < 2) {
		struct pollfd wake = {.fd = course->program.pidfd, .events = POLLIN};
		poll(&wake, 1, LOOK_EVERY_MS);
		if (interruption_terminations() && !has_forwarded)
			syscall(SYS_pidfd_send_signal, course->program.pidfd, SIGTERM, NULL, 0);
		has_forwarded = interruption_terminations();
		code = census_read(course->census, &totals, error);
		if (code)
			return code;
		course_add(&course->course, &totals);
		notify(course, &totals);
	}
	code = census_read(course->census, &totals, error);
	if (!code)
		course_end(&course->course, &totals);
	return code;
}

static int close_run(struct course_of_run *course, uint64_t stolen_before, struct error *error)
{
	struct recording_run *run = &course->run;
	struct recording_parallel *parallel = &course->parallel;
	struct profile *profile = course->scale->profile;
	size_t count = course->course.moments.count;
	uint64_t stolen = stolen_ns(&course->cores);

	parallel->stolen_ns = stolen > stolen_before ? stolen - stolen_before : 0;
	if (count) {
		const struct scale_totals *last = &course->course.moments.items[count - 1];
		parallel->threads = last->threads;
		parallel->processes = last->processes;
		parallel->most_threads = last->most_threads;
		parallel->switches = last->switches;
		parallel->wakes = last->wakes;
		parallel->yields = last->yields;
		parallel->escapes = last->escapes;
		parallel->overwritten = last->overwritten;
		run->wall_ns = last->last_ns - last->begin_ns;
		run->finished = last->end_ns && goes_on();
	}
	run->exit_status = course->program.has_ended ? course->program.status : -1;
	course->scale->result->status = run->exit_status;
	int code = write_course(course, error);
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

static int run_on(struct scale *scale, unsigned cores, struct error *error)
{
	struct course_of_run course = {.scale = scale, .cores = choose_cores(scale, cores)};

	course.program.go = course.program.failure = course.program.pidfd = -1;
	int code = set_up(&course, error);
	uint64_t stolen = stolen_ns(&course.cores);
	code = code ? code : start(&course, error);
	if (!code) {
		code = watch(&course, error);
		int failed = close_run(&course, stolen, code ? NULL : error);
		code = code ? code : failed;
	}
	scale->done += !code && course.run.finished;
	program_release(&course.program);
	census_close(course.census);
	course_clear(&course.course);
	free(course.run.command);
	return code;
}

/* ---- all runs ---- */

/* Half of the cores where the profile is of all, all where it is of fewer; 0 if there is one core. */
static unsigned pick_compare(const struct scale *scale, unsigned on)
{
	if (on < scale->machine_cores)
		return scale->machine_cores;
	return on > 1 ? (on + 1) / 2 : 0;
}

static int run_all(struct scale *scale, struct error *error)
{
	const struct scale_options *options = scale->options;
	unsigned on = options->on ? options->on : scale->machine_cores, runs = options->runs;
	unsigned compare = options->picks_compare ? pick_compare(scale, on) : options->compare;
	struct stat input;

	scale->input = lseek(STDIN_FILENO, 0, SEEK_CUR);
	bool is_used_up = !fstat(STDIN_FILENO, &input) &&
			  (S_ISFIFO(input.st_mode) || S_ISSOCK(input.st_mode));
	if (is_used_up && runs + (compare != 0) > 1) {
		options->say(options->context,
			     "standard input can be read only once, so there is one run; give the "
			     "program a file for more");
		runs = 1;
		compare = 0;
	}
	scale->runs = runs + (compare != 0);
	int code = 0;
	for (unsigned i = 0; i < runs && !code && goes_on(); i++)
		code = run_on(scale, on, error);
	if (compare && !code && goes_on())
		code = run_on(scale, compare, error);
	return code;
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
static int find_program(const struct scale_options *options, struct scale_result *result,
			struct error *error)
{
	int code = 0;
	AUTO(text) char *path = program_find(options->arguments[0], &code, error);

	if (path)
		return 0;
	result->end = SCALE_NOT_STARTED;
	result->exit_code = program_exec_status(code);
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
	code = code ? code : find_program(options, result, error);
	code = code ? code : profile_create(options->output, options->fresh, &scale.profile, error);
	if (!code) {
		interruption_catch();
		code = run_all(&scale, error);
	}
	if (!code)
		result->end = scale.done ? SCALE_DONE : SCALE_NOTHING;
	profile_close(scale.profile);
}
