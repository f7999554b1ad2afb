/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * engine - the shared page: made, polled, read.
 *
 * The page is a memfd that the library opens as /proc/PID/fd/N, which any process of the same user
 * can. Nothing has a name in a file system, so nothing is left behind, whatever ends the engine.
 */
#include "collect/runtime/engine.h"

#include "base/cleanup.h"
#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/timerfd.h>

#define POLL_EVERY_NS 10000000
#define PAUSE_CAP_NS 200000000ull
#define HELD_SHARE_TOLD 0.1

static const char *const *environment(const struct collector *collector)
{
	return runtime_of(collector)->environment;
}

static int add_task(struct collector *collector, int pidfd, struct error *error)
{
	AUTO(text) char *path = text_format("/proc/self/fdinfo/%d", pidfd);
	AUTO(file) FILE *file = fopen(path, "re");
	AUTO(text) char *line = NULL;
	size_t room = 0;
	uint32_t pid = 0;

	while (file && !pid && getline(&line, &room, file) > 0)
		if (sscanf(line, "Pid: %" SCNu32, &pid) != 1)
			pid = 0;
	if (!pid)
		return error_set(error, -ESRCH, "cannot read %s: is /proc mounted?", path);
	runtime_of(collector)->main_pid = pid;
	runtime_of(collector)->has_seen_main = false;
	return 0;
}

static void start(struct collector *collector)
{
	runtime_of(collector)->started_ns = clock_now_ns();
}

static int check_target_kinds(const struct collector_target_kinds *target_kinds,
			      struct error *error)
{
	const char *kind = target_kinds->kernel ? "code of the kernel" :
			   target_kinds->calls  ? "system calls" :
			   target_kinds->classes & WAIT_CLASS_BIT(WAIT_CLASS_RUNNABLE) ?
						 "waits for a core" :
						 NULL;

	return kind ? error_set(error, -ENOTSUP,
				"the runtime engine cannot speed up %s; the kernel engine can, as "
				"root or with CAP_BPF and CAP_PERFMON",
				kind) :
		      0;
}

static int name_object(struct collector *collector, const struct wire_file *file, uint32_t object)
{
	struct runtime_engine *runtime = runtime_of(collector);
	struct runtime_file *known = runtime_file_of(runtime, file);

	if (object >= WIRE_OBJECTS_MOST)
		return -E2BIG;
	if (!known) {
		known = array_add(&runtime->files);
		known->file = *file;
	}
	known->object = object;
	return 0;
}

static void set_period(struct collector *collector, uint64_t period_ns)
{
	__atomic_store_n(&collector->settings->delay.period_ns, period_ns, __ATOMIC_RELEASE);
}

static void add_stripe(struct collector_counters *counters, const struct runtime_counters *stripe)
{
	counters->samples += stripe->samples;
	counters->sampled_ns += stripe->sampled_ns + stripe->waited_ns;
	counters->waited_ns += stripe->waited_ns;
	counters->target_samples += stripe->target_samples;
	counters->target_ns += stripe->target_ns;
	counters->hand_overs += stripe->hand_overs;
	counters->timed_waits += stripe->timed_waits;
	counters->lost += stripe->lost;
	counters->capped += stripe->capped;
	counters->displaced_ns += stripe->displaced_ns;
	counters->crowded_ns += stripe->crowded_ns;
	counters->unwound_badly += stripe->unwound_badly;
	counters->failed_lookups += stripe->failed_lookups;
	counters->ticks += stripe->samples;
	counters->spins += stripe->pauses;
	counters->spun_ns += stripe->paused_ns;
	counters->overshoot_ns += stripe->overshoot_ns;
	counters->tick_spins += stripe->sample_pauses;
	counters->wake_spins += stripe->wake_pauses;
	counters->switch_spins += stripe->wait_pauses;
	if (stripe->longest_pause_ns > counters->longest_spin_ns)
		counters->longest_spin_ns = stripe->longest_pause_ns;
}

static void counters(const struct collector *collector, struct collector_counters *sums)
{
	const struct runtime_engine *runtime = runtime_of(collector);
	const struct runtime_page *page = runtime->page;

	for (unsigned i = 0; i < RUNTIME_STRIPES; i++)
		add_stripe(sums, &page->counters[i]);
	sums->lost += runtime->lost_records;
	sums->dropped_points = page->dropped_points + page->dropped_in_program;
	sums->untracked_tasks = page->untracked;
}

static int drain(struct collector *collector, const struct collector_handler *handler)
{
	struct runtime_engine *runtime = runtime_of(collector);
	uint64_t expirations;

	ssize_t got = read(runtime->timer, &expirations, sizeof(expirations));
	(void)got;
	runtime_processes_poll(runtime, handler);
	return runtime_samples_read(runtime, handler);
}

static int descriptor(const struct collector *collector)
{
	return runtime_of(collector)->timer;
}

/* NULL: threads hardly ever outnumbered cores. */
static char *contention_note(const struct runtime_engine *runtime)
{
	uint64_t paused = 0, held = 0;

	for (unsigned i = 0; i < RUNTIME_STRIPES; i++) {
		paused += runtime->page->counters[i].paused_ns;
		held += runtime->page->counters[i].held_ns;
	}
	if (!held || held > paused || (double)held < HELD_SHARE_TOLD * (double)paused)
		return NULL;
	return text_format("predictions may be off by 10 points, since threads outnumbered cores "
			   "in %.0f %% of the time of pauses; run on more cores, or use --engine "
			   "kernel as root",
			   100 * (double)held / (double)paused);
}

static char *note(const struct collector *collector)
{
	const struct runtime_engine *runtime = runtime_of(collector);
	char *text = NULL;

	if (runtime->is_fallback)
		text_add_line(&text, text_copy("measured by the runtime engine, since the kernel "
					       "engine was refused"));
	if (runtime->has_seen_timers)
		text_add_line(&text, text_format("perf_event_open is refused here (%s): samples "
						 "come from timers of CPU time, which are coarser; "
						 "answers take longer",
						 strerror((int)runtime->refused)));
	if (!runtime->has_seen_main)
		text_add_line(&text, text_copy("the program did not load Lever's library, so "
					       "nothing was measured in it (statically linked, "
					       "setuid, or ended at once?); use --engine kernel "
					       "as root"));
	text_add_line(&text, runtime_points_warning(runtime));
	text_add_line(&text, contention_note(runtime));
	if (runtime->has_cut_mappings)
		text_add_line(&text, text_format("a process has more than %d mappings with code: "
						 "samples in the others have no name; use --engine "
						 "kernel as root",
						 RUNTIME_MAPPINGS_MOST));
	if (runtime->page->untracked)
		text_add_line(&text, text_format("%llu threads or processes were not sampled: too "
						 "many at once; profile fewer processes",
						 (unsigned long long)runtime->page->untracked));
	if (runtime->page->unfollowed_setuid)
		text_add_line(&text, text_format("setuid programs were started (%u times) and not "
						 "profiled: they load no library of their user's",
						 runtime->page->unfollowed_setuid));
	return text;
}

static void close_engine(struct collector *collector)
{
	struct runtime_engine *runtime = runtime_of(collector);

	if (runtime->page)
		collector_disarm(collector);
	runtime_processes_close(runtime);
	while (runtime->code_point_count)
		runtime_code_points_remove_last(runtime);
	if (runtime->page)
		munmap(runtime->page, sizeof(*runtime->page));
	if (runtime->memory >= 0)
		close(runtime->memory);
	if (runtime->timer >= 0)
		close(runtime->timer);
	array_free(&runtime->files);
	free(runtime->preload);
	free(runtime->variable);
	free(runtime);
}

static const struct engine runtime_table = {
	.name = "runtime",
	.close = close_engine,
	.check_program = runtime_preload_check,
	.environment = environment,
	.note = note,
	.add_point_uprobe = runtime_add_point_code,
	.add_point_tracepoint = runtime_add_point_tracepoint,
	.add_task = add_task,
	.check_target_kinds = check_target_kinds,
	.start = start,
	.name_object = name_object,
	.set_period = set_period,
	.sum_pairs = runtime_sum_pairs,
	.sees_open_windows = true,
	.window_visits = runtime_window_visits,
	.count_calls = runtime_count_calls,
	.counters = counters,
	.drain = drain,
	.descriptor = descriptor,
};

static int make_page(struct runtime_engine *runtime, struct error *error)
{
	size_t size = sizeof(*runtime->page);

	runtime->memory = memfd_create("lever-runtime", MFD_CLOEXEC);
	if (runtime->memory < 0 || ftruncate(runtime->memory, (off_t)size))
		return error_set(error, errno,
				 "cannot make the page that is shared with the program: %s",
				 strerror(errno));
	void *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, runtime->memory, 0);
	if (page == MAP_FAILED)
		return error_set(error, errno,
				 "cannot map the page that is shared with the program: %s",
				 strerror(errno));
	runtime->page = page;
	runtime->collector.settings = &runtime->page->settings;
	runtime->collector.ranges = runtime->page->ranges;
	runtime->collector.points = runtime->page->points;
	runtime->collector.delay_ns = (const uint64_t *)&runtime->page->delay_ns;
	runtime->collector.unwind = (struct unwind_table){.rows = runtime->page->unwind_rows,
							  .objects = runtime->page->unwind_objects};
	return 0;
}

static int make_timer(struct runtime_engine *runtime, struct error *error)
{
	const struct itimerspec every = {.it_interval.tv_nsec = POLL_EVERY_NS,
					 .it_value.tv_nsec = POLL_EVERY_NS};

	runtime->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (runtime->timer < 0 || timerfd_settime(runtime->timer, 0, &every, NULL))
		return error_set(error, errno, "cannot make a timer: %s", strerror(errno));
	return 0;
}

static void fill_page(struct runtime_engine *runtime, const struct collector_options *options)
{
	struct runtime_page *page = runtime->page;

	page->size_bytes = sizeof(*page);
	page->engine_pid = (uint32_t)getpid();
	page->cpus = runtime->collector.facts.cpus;
	page->settings.delay.cap_ns = PAUSE_CAP_NS;
	page->settings.delay.generation =
		1; /* 0: a thread that waits for nothing (thread.joined_generation) */
	page->settings.enable_waits = options->counts_waits;
	page->settings.delay.period_ns = runtime->collector.facts.period_ns;
	page->version = RUNTIME_VERSION;
	__atomic_store_n(&page->magic, RUNTIME_MAGIC, __ATOMIC_RELEASE);
}

static void fill_environment(struct runtime_engine *runtime, const char *library)
{
	const char *old = getenv("LD_PRELOAD");

	runtime->preload =
		text_format("LD_PRELOAD=%s%s%s", library, old && *old ? ":" : "", old ? old : "");
	runtime->variable =
		text_format("%s=/proc/%d/fd/%d", RUNTIME_VARIABLE, getpid(), runtime->memory);
	runtime->environment[0] = runtime->preload;
	runtime->environment[1] = runtime->variable;
}

static int set_up(struct runtime_engine *runtime, const struct collector_options *options,
		  struct error *error)
{
	int code = make_page(runtime, error);

	code = code ? code : make_timer(runtime, error);
	if (code)
		return code;
	runtime_clock_choose(runtime, options->period_ns);
	fill_page(runtime, options);
	fill_environment(runtime, options->runtime_library);
	collector_heartbeat(&runtime->collector);
	return 0;
}

int runtime_engine_open(const struct collector_options *options, bool is_fallback,
			struct collector **collector, struct error *error)
{
	if (!options->runtime_library)
		return error_set(error, -ENOENT,
				 "liblever-runtime.so is not beside this lever: install it whole, "
				 "or run it from its build folder");
	struct runtime_engine *runtime = memory_new(1, sizeof(*runtime));
	runtime->collector.engine = &runtime_table;
	runtime->collector.facts.cpus = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
	runtime->memory = runtime->timer = -1;
	runtime->is_fallback = is_fallback;
	for (unsigned i = 0; i < RUNTIME_PROCESSES_MOST; i++)
		runtime->states[i].pidfd = -1;
	int code = set_up(runtime, options, error);
	if (code) {
		close_engine(&runtime->collector);
		return code;
	}
	*collector = &runtime->collector;
	return 0;
}
