/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * runtime_engine - the shared page: made, armed, read.
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
#define CAP_NS 200000000ull
#define APPEAR_LIMIT_NS \
	2000000000ull /* a program that has not shown itself by then has not the library */

static struct runtime_engine *runtime_of(const struct collector *collector)
{
	return (struct runtime_engine *)(uintptr_t)collector;
}

static struct wire_settings *settings_of(const struct collector *collector)
{
	return &runtime_of(collector)->page->settings;
}

static void heartbeat(struct collector *collector)
{
	uint64_t now = clock_now_ns(), last = settings_of(collector)->delay.heartbeat_ns;

	if (last && now - last > DELAY_HEARTBEAT_LIMIT_NS - 100000000)
		runtime_of(collector)->missed_heartbeats++;
	__atomic_store_n(&settings_of(collector)->delay.heartbeat_ns, now, __ATOMIC_RELEASE);
}

static const struct collector_facts *facts(const struct collector *collector)
{
	return &runtime_of(collector)->facts;
}

static const char *const *environment(const struct collector *collector)
{
	return runtime_of(collector)->environment;
}

/* ---- the program ---- */

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

static int start(struct collector *collector, struct error *error)
{
	(void)error;
	heartbeat(collector);
	runtime_of(collector)->started_ns = clock_now_ns();
	return 0;
}

/* ---- code ---- */

/* Fills the bank that is not in use, then switches; samples in between still use the old one. */
static int fill_bank(struct collector *collector, unsigned first, uint32_t *selected,
		     const struct wire_range *ranges, size_t count)
{
	unsigned bank = first + !*selected;

	if (count > WIRE_RANGES_MOST)
		return -E2BIG;
	if (count)
		memcpy(runtime_of(collector)->page->ranges[bank], ranges, count * sizeof(*ranges));
	settings_of(collector)->counts[bank] = (uint32_t)count;
	__atomic_store_n(selected, bank - first, __ATOMIC_RELEASE);
	return 0;
}

static int enable(struct collector *collector, const struct collector_target_kinds *target_kinds,
		  struct error *error)
{
	struct wire_settings *settings = settings_of(collector);
	bool wants_runnable = target_kinds->classes & WAIT_CLASS_BIT(WAIT_CLASS_RUNNABLE);

	if (target_kinds->kernel || target_kinds->calls || wants_runnable)
		return error_set(
			error, -ENOTSUP,
			"the runtime engine cannot speed up %s; the kernel engine can, as root "
			"or with CAP_BPF and CAP_PERFMON",
			target_kinds->kernel ? "code of the kernel" :
			target_kinds->calls  ? "system calls" :
					       "waits for a core");
	settings->enable_spans = target_kinds->spans;
	settings->enable_classes = target_kinds->classes;
	settings->classes_of_code = target_kinds->classes_of_code;
	return 0;
}

static int set_target(struct collector *collector, const struct wire_range *ranges, size_t count,
		      uint32_t classes)
{
	settings_of(collector)->classes = classes;
	return fill_bank(collector, WIRE_BANK_TARGET, &settings_of(collector)->target_bank, ranges,
			 count);
}

static int set_scope(struct collector *collector, const struct wire_range *ranges, size_t count)
{
	return fill_bank(collector, WIRE_BANK_SCOPE, &settings_of(collector)->scope_bank, ranges,
			 count);
}

static int set_sampled(struct collector *collector, const struct wire_range *ranges, size_t count)
{
	struct wire_settings *settings = settings_of(collector);

	if (count > WIRE_RANGES_MOST)
		return -E2BIG;
	settings->counts[WIRE_BANK_SAMPLED] = 0;
	if (count)
		memcpy(runtime_of(collector)->page->ranges[WIRE_BANK_SAMPLED], ranges,
		       count * sizeof(*ranges));
	__atomic_store_n(&settings->counts[WIRE_BANK_SAMPLED], (uint32_t)count, __ATOMIC_RELEASE);
	return 0;
}

static int name_object(struct collector *collector, const struct wire_file *file, uint32_t object)
{
	struct runtime_engine *runtime = runtime_of(collector);
	struct runtime_file *known = runtime_file_of(runtime, file);

	if (!known) {
		known = array_add(&runtime->files);
		known->file = *file;
	}
	known->object = object;
	return 0;
}

static int set_unwind(struct collector *collector, uint32_t object,
		      const struct wire_unwind_row *rows, size_t count)
{
	return unwind_table_add(&runtime_of(collector)->unwind, object, rows, count);
}

/* ---- experiments ---- */

static void set_speedup(struct collector *collector, double speedup)
{
	heartbeat(collector);
	engine_write_speedups(settings_of(collector), speedup, 0);
}

static void speed_up_external(struct collector *collector, double speedup)
{
	heartbeat(collector);
	engine_write_speedups(settings_of(collector), 0, speedup);
}

static void clear_debts(struct collector *collector)
{
	struct wire_settings *settings = settings_of(collector);

	settings->delay.generation_delay_ns =
		__atomic_load_n(&runtime_of(collector)->page->delay_ns, __ATOMIC_ACQUIRE);
	settings->delay.generation_ns = clock_now_ns();
	__atomic_add_fetch(&settings->delay.generation, 1, __ATOMIC_RELEASE);
}

static void set_period(struct collector *collector, uint64_t period_ns)
{
	__atomic_store_n(&settings_of(collector)->delay.period_ns, period_ns, __ATOMIC_RELEASE);
}

static void disarm(struct collector *collector)
{
	set_speedup(collector, 0);
	__atomic_store_n(&settings_of(collector)->delay.is_disarmed, 1, __ATOMIC_RELEASE);
}

/* Unsigned: what a program writes into its page may be anything, and only differences count. */
static void sum_pairs(const struct runtime_engine *runtime, uint64_t *sums, uint64_t *weight)
{
	memset(sums, 0, WIRE_PAIRS_MOST * sizeof(*sums));
	*weight = 0;
	for (unsigned i = 0; i < RUNTIME_STRIPES; i++) {
		const struct runtime_counters *stripe = &runtime->page->counters[i];
		*weight += (uint64_t)stripe->pair_weight_ns;
		for (int pair = 0; pair < WIRE_PAIRS_MOST; pair++)
			sums[pair] += (uint64_t)stripe->pair_ns[pair];
	}
}

static void window_open(struct collector *collector)
{
	struct runtime_engine *runtime = runtime_of(collector);

	heartbeat(collector);
	sum_pairs(runtime, runtime->pair_start_ns, &runtime->pair_weight_start_ns);
	runtime->window = ++runtime->windows;
	__atomic_store_n(&settings_of(collector)->window, runtime->window, __ATOMIC_RELEASE);
}

static void window_close(struct collector *collector)
{
	struct runtime_engine *runtime = runtime_of(collector);
	uint64_t sums[WIRE_PAIRS_MOST], end_ns;

	__atomic_store_n(&settings_of(collector)->window, 0, __ATOMIC_RELEASE);
	sum_pairs(runtime, sums, &end_ns);
	int64_t weight = (int64_t)(end_ns - runtime->pair_weight_start_ns);
	for (int pair = 0; pair < WIRE_PAIRS_MOST; pair++) {
		int64_t grown = (int64_t)(sums[pair] - runtime->pair_start_ns[pair]);
		runtime->pair_averages[pair] = weight > 0 ? (double)grown / (double)weight : 0;
	}
}

/* A copy that nobody wrote to meanwhile; false if it is not of this window. */
static bool read_edge(const struct runtime_edge *edge, uint64_t window, struct runtime_edge *copy)
{
	for (int i = 0; i < 100; i++) {
		uint64_t sequence = __atomic_load_n(&edge->sequence, __ATOMIC_ACQUIRE);
		*copy = *edge;
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (!(sequence & 1) &&
		    __atomic_load_n(&edge->sequence, __ATOMIC_RELAXED) == sequence)
			return copy->window == window;
	}
	return false; /* its process was ended in the middle */
}

/* First edge of all processes to last edge of all processes. */
static struct collector_visits window_visits(const struct collector *collector, unsigned index)
{
	const struct runtime_engine *runtime = runtime_of(collector);
	struct runtime_edge first = {0}, last = {0}, edge;
	bool is_found = false;

	if (index >= WIRE_POINTS_MOST)
		return (struct collector_visits){0};
	for (unsigned i = 0; i < runtime_processes_used(runtime); i++) {
		const struct runtime_process *process = &runtime->page->processes[i];
		if (!process->pid || !read_edge(&process->edges[index], runtime->window, &edge))
			continue;
		if (!is_found || edge.first_ns < first.first_ns)
			first = edge;
		if (!is_found || edge.last_ns > last.last_ns)
			last = edge;
		is_found = true;
	}
	if (!is_found || last.last_total <= first.first_total || last.last_ns <= first.first_ns ||
	    last.last_delay_ns < first.first_delay_ns)
		return (struct collector_visits){0};
	return (struct collector_visits){
		.visits = last.last_total - first.first_total,
		.duration_ns = last.last_ns - first.first_ns,
		.delay_ns = last.last_delay_ns - first.first_delay_ns,
	};
}

static void want_callers(struct collector *collector, bool want)
{
	__atomic_store_n(&settings_of(collector)->enable_callers, want, __ATOMIC_RELEASE);
}

/* ---- reading ---- */

static void add_stripe(struct collector_counters *counters, const struct runtime_counters *stripe)
{
	counters->samples += stripe->samples;
	counters->sampled_ns += stripe->sampled_ns + stripe->waited_ns;
	counters->waited_ns += stripe->waited_ns;
	counters->target_samples += stripe->target_samples;
	counters->target_ns += stripe->target_ns;
	counters->waits += stripe->waits;
	counters->task_wakeups += stripe->task_wakeups;
	counters->lost += stripe->lost;
	counters->capped += stripe->capped;
	counters->displaced_ns += stripe->displaced_ns;
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

static void counters(struct collector *collector, struct collector_counters *sums)
{
	const struct runtime_engine *runtime = runtime_of(collector);
	const struct runtime_page *page = runtime->page;

	memset(sums, 0, sizeof(*sums));
	heartbeat(collector);
	sums->time_ns = clock_now_ns();
	sums->delay_ns = __atomic_load_n(&page->delay_ns, __ATOMIC_ACQUIRE);
	for (unsigned i = 0; i < RUNTIME_STRIPES; i++)
		add_stripe(sums, &page->counters[i]);
	sums->lost += runtime->lost_records;
	sums->missed_heartbeats = runtime->missed_heartbeats;
	sums->dropped_points = page->dropped_points + page->dropped_in_program;
	sums->untracked_tasks = page->untracked;
}

static int drain(struct collector *collector, const struct collector_handler *handler)
{
	struct runtime_engine *runtime = runtime_of(collector);
	uint64_t expirations;

	heartbeat(collector);
	ssize_t got = read(runtime->timer, &expirations, sizeof(expirations));
	(void)got;
	runtime_processes_poll(runtime, handler);
	return runtime_samples_read(runtime, handler);
}

static int descriptor(const struct collector *collector)
{
	return runtime_of(collector)->timer;
}

static void add_sentence(char **text, char *sentence)
{
	if (!sentence)
		return;
	char *longer = *text ? text_format("%s\n%s", *text, sentence) : text_copy(sentence);

	free(*text);
	free(sentence);
	*text = longer;
}

static char *note(const struct collector *collector)
{
	const struct runtime_engine *runtime = runtime_of(collector);
	char *text = NULL;

	if (runtime->why)
		add_sentence(&text, text_copy(runtime->why));
	if (runtime->has_seen_timers)
		add_sentence(&text,
			     text_format("perf_event_open is refused here (%s): samples come from "
					 "timers of CPU time, which are coarser; answers take "
					 "longer",
					 strerror((int)runtime->refused)));
	if (!runtime->has_seen_main)
		add_sentence(&text,
			     text_copy("the program did not load Lever's library, so nothing was "
				       "measured in it (statically linked, setuid, or ended at "
				       "once?); use --engine kernel as root"));
	add_sentence(&text, runtime_points_note(runtime));
	if (runtime->page->unfollowed_setuid)
		add_sentence(&text, text_format("setuid programs were started (%u times) and not "
						"profiled: they load no library of their user's",
						runtime->page->unfollowed_setuid));
	if (runtime->page->untracked)
		add_sentence(&text,
			     text_format("%llu threads or processes were not sampled: too many "
					 "at once",
					 (unsigned long long)runtime->page->untracked));
	return text;
}

static void close_engine(struct collector *collector)
{
	struct runtime_engine *runtime = runtime_of(collector);

	if (runtime->page)
		disarm(collector);
	runtime_processes_close(runtime);
	if (runtime->page)
		munmap(runtime->page, sizeof(*runtime->page));
	if (runtime->memory >= 0)
		close(runtime->memory);
	if (runtime->timer >= 0)
		close(runtime->timer);
	array_free(&runtime->files);
	runtime_points_close(runtime);
	free(runtime->preload);
	free(runtime->variable);
	free(runtime->why);
	free(runtime);
}

static const struct engine runtime_table = {
	.name = "runtime",
	.close = close_engine,
	.facts = facts,
	.check_program = runtime_preload_check,
	.environment = environment,
	.note = note,
	.add_point_uprobe = runtime_add_point_code,
	.add_point_tracepoint = runtime_add_point_tracepoint,
	.add_point_sampled = runtime_add_point_sampled,
	.point_count = runtime_point_count,
	.point = runtime_point,
	.set_pairs = runtime_set_pairs,
	.pair_average = runtime_pair_average,
	.add_task = add_task,
	.start = start,
	.enable = enable,
	.set_target = set_target,
	.set_scope = set_scope,
	.set_sampled = set_sampled,
	.name_object = name_object,
	.set_unwind = set_unwind,
	.set_speedup = set_speedup,
	.speed_up_external = speed_up_external,
	.clear_debts = clear_debts,
	.set_period = set_period,
	.charge_ticks = runtime_charge_ticks,
	.window_open = window_open,
	.window_close = window_close,
	.window_visits = window_visits,
	.disarm = disarm,
	.want_callers = want_callers,
	.count_calls = runtime_count_calls,
	.counters = counters,
	.heartbeat = heartbeat,
	.drain = drain,
	.descriptor = descriptor,
};

static int make_page(struct runtime_engine *runtime, struct error *error)
{
	size_t size = sizeof(*runtime->page);

	runtime->memory = memfd_create("lever-runtime", MFD_CLOEXEC);
	if (runtime->memory < 0 || ftruncate(runtime->memory, (off_t)size))
		return error_set(error, errno,
				 "cannot make the page that is shared with the "
				 "program: %s",
				 strerror(errno));
	void *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, runtime->memory, 0);
	if (page == MAP_FAILED)
		return error_set(error, errno,
				 "cannot map the page that is shared with the "
				 "program: %s",
				 strerror(errno));
	runtime->page = page;
	runtime->unwind = (struct unwind_table){.rows = runtime->page->unwind_rows,
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
	page->cpus = runtime->facts.cpus;
	page->settings.delay.cap_ns = CAP_NS;
	page->settings.delay.generation =
		1; /* 0: a thread that waits for nothing (thread.joined_generation) */
	page->settings.enable_waits = options->counts_waits;
	page->settings.delay.period_ns = runtime->facts.period_ns;
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

int runtime_engine_open(const struct collector_options *options, const struct error *refused,
			struct collector **collector, struct error *error)
{
	if (!options->runtime_library)
		return error_set(
			error, -ENOENT,
			"liblever-runtime.so is not beside this lever: install it whole, or "
			"run it from its build folder");
	struct runtime_engine *runtime = memory_new(1, sizeof(*runtime));
	runtime->engine.engine = &runtime_table;
	runtime->memory = runtime->timer = -1;
	runtime->facts.cpus = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
	for (unsigned i = 0; i < RUNTIME_PROCESSES_MOST; i++)
		runtime->states[i].pidfd = -1;
	int code = make_page(runtime, error);
	code = code ? code : make_timer(runtime, error);
	if (code) {
		close_engine((struct collector *)runtime);
		return code;
	}
	if (refused)
		runtime->why =
			text_format("measured by the runtime engine, since the kernel engine "
				    "was refused");
	runtime_clock_choose(runtime, options->period_ns);
	fill_page(runtime, options);
	fill_environment(runtime, options->runtime_library);
	heartbeat((struct collector *)runtime);
	*collector = (struct collector *)runtime;
	return 0;
}
