/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * engine - several hosts as one collector: the kernel engine here, and an agent on each of the
 * others.
 *
 * Settings, ranges, points and G are those of the engine here, so that control.c writes them as
 * ever; what it has written is sent to the agents (publish). Counters are sums. A point's visits
 * are those of all hosts, each by its own clock and its own copy of G.
 */
#include "collect/engine.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/memory.h"
#include "collect/hosts/group.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define ANSWER_NS 300000000ull    /* to a question at the ends of a window */
#define ASK_EVERY_NS 100000000ull /* between windows, for new points and visits */

struct hosts_engine {
	struct collector collector; /* first */
	struct collector *here;
	struct group *group;
	const struct collector_group *options;
	const char *environment[2];
	struct hosts_state state;
	struct wire_range *sent[WIRE_BANKS];
	uint32_t sent_counts[WIRE_BANKS];
	bool described[WIRE_OBJECTS_MOST];
	uint64_t asked_ns;
	size_t passed_files; /* of those that other hosts have mapped */
	/* Of each peer's points: the index here + 1, and visits that are in the total here. */
	struct {
		unsigned index[WIRE_POINTS_MOST];
		uint64_t counted[WIRE_POINTS_MOST];
	} * points;
	char *note;
	const char **names; /* of the hosts */
	char own_name[256];
};

static struct hosts_engine *hosts_of(const struct collector *collector)
{
	return (struct hosts_engine *)(uintptr_t)collector;
}

/* The engine here, with what control.c keeps in the struct itself. */
static struct collector *here(const struct collector *collector)
{
	struct hosts_engine *hosts = hosts_of(collector);

	hosts->here->windows = collector->windows;
	hosts->here->window_opened_ns = collector->window_opened_ns;
	hosts->here->window_lasted_ns = collector->window_lasted_ns;
	return hosts->here;
}

/* ---- hooks of the group's thread ---- */

static bool is_alive(void *context)
{
	const struct hosts_engine *hosts = context;
	uint64_t last =
		__atomic_load_n(&hosts->here->settings->delay.heartbeat_ns, __ATOMIC_ACQUIRE);

	return clock_now_ns() - last < DELAY_HEARTBEAT_LIMIT_NS;
}

static uint64_t delay_here(void *context)
{
	const struct hosts_engine *hosts = context;

	return engine_delay(hosts->here);
}

static void merge(void *context, uint64_t delay_ns)
{
	struct hosts_engine *hosts = context;

	if (hosts->here)
		engine_merge_delay(hosts->here, delay_ns);
}

static int join(void *context, int pidfd, struct error *error)
{
	struct hosts_engine *hosts = context;

	if (!hosts->here)
		return error_set(error, -EAGAIN, "the engine is not open yet");
	return hosts->here->engine->add_task(hosts->here, pidfd, error);
}

/* ---- what is sent ---- */

static void send_banks(struct hosts_engine *hosts)
{
	const struct collector *collector = &hosts->collector;

	for (uint32_t bank = 0; bank < WIRE_BANKS; bank++) {
		uint32_t count = collector->settings->counts[bank];
		size_t bytes = count * sizeof(struct wire_range);
		struct hosts_bank head = {.bank = bank, .count = count};
		/* Sampled points have other numbers on other hosts. */
		if (bank == WIRE_BANK_SAMPLED ||
		    (count == hosts->sent_counts[bank] &&
		     (!count || !memcmp(hosts->sent[bank], collector->ranges[bank], bytes))))
			continue;
		hosts->sent[bank] =
			memory_resize(hosts->sent[bank], count + 1, sizeof(struct wire_range));
		if (count)
			memcpy(hosts->sent[bank], collector->ranges[bank], bytes);
		hosts->sent_counts[bank] = count;
		group_send(hosts->group, GROUP_ALL,
			   &(struct link_content){.kind = HOSTS_BANK,
						  .data = &head,
						  .size = sizeof(head),
						  .more = hosts->sent[bank],
						  .more_size = bytes});
	}
}

static void hosts_publish(struct collector *collector)
{
	struct hosts_engine *hosts = hosts_of(collector);

	send_banks(hosts);
	hosts->state.settings = *collector->settings;
	hosts->state.delay_ns = delay_here(hosts);
	hosts->state.charges_ticks = collector->settings->delay.tick_overhead_ns > 0;
	group_set_state(hosts->group, &hosts->state);
}

static void hosts_describe_object(struct collector *collector, uint32_t object, const char *path,
				  const char *build_id)
{
	struct hosts_engine *hosts = hosts_of(collector);
	struct hosts_object sent = {.object = object};

	if (object >= WIRE_OBJECTS_MOST || hosts->described[object] || *path != '/' ||
	    strlen(path) >= sizeof(sent.path) || strlen(build_id) >= sizeof(sent.build_id))
		return;
	hosts->described[object] = true;
	strcpy(sent.path, path);
	strcpy(sent.build_id, build_id);
	group_send(hosts->group, GROUP_ALL,
		   &(struct link_content){.kind = HOSTS_OBJECT,
					  .data = &sent,
					  .size = sizeof(sent)});
}

static void hosts_send_unwind(struct collector *collector, uint32_t object,
			      const struct wire_unwind_row *rows, size_t count)
{
	struct hosts_unwind head = {.object = object, .count = (uint32_t)count};

	group_send(hosts_of(collector)->group, GROUP_ALL,
		   &(struct link_content){.kind = HOSTS_UNWIND,
					  .data = &head,
					  .size = sizeof(head),
					  .more = rows,
					  .more_size = count * sizeof(*rows)});
}

static int hosts_name_object(struct collector *collector, const struct wire_file *file,
			     uint32_t object)
{
	return here(collector)->engine->name_object(here(collector), file, object);
}

static void hosts_set_period(struct collector *collector, uint64_t period_ns)
{
	here(collector)->engine->set_period(here(collector), period_ns);
	hosts_of(collector)->state.period_ns = period_ns;
	hosts_publish(collector);
}

/* ---- points ---- */

static int hosts_add_point_uprobe(struct collector *collector, const char *name,
				  const struct collector_code *code, unsigned *index,
				  struct error *error)
{
	struct hosts_point point = {.offset = code->offset,
				    .semaphore_offset = code->semaphore_offset};
	int failed = here(collector)->engine->add_point_uprobe(here(collector), name, code, index,
							       error);

	if (failed)
		return failed;
	strncpy(point.name, name, sizeof(point.name) - 1);
	strncpy(point.path, code->path, sizeof(point.path) - 1);
	group_send(hosts_of(collector)->group, GROUP_ALL,
		   &(struct link_content){.kind = HOSTS_POINT,
					  .data = &point,
					  .size = sizeof(point)});
	return 0;
}

static int hosts_add_point_tracepoint(struct collector *collector, const char *category,
				      const char *tracepoint, const char *name, unsigned *index,
				      struct error *error)
{
	(void)collector, (void)category, (void)name, (void)index;
	return error_set(error, -ENOTSUP,
			 "the tracepoint %s cannot be a progress point over several hosts; name a "
			 "function, or use LEVER_PROGRESS",
			 tracepoint);
}

/* Points of lever.h have the same hash on all hosts; those of the engine have their name. */
static unsigned index_of(struct collector *collector, const struct hosts_visits *visits)
{
	for (unsigned i = 0; i < WIRE_POINTS_MOST; i++) {
		struct wire_point *point = &collector->points[i];
		uint64_t expected = 0;
		bool is_engine = visits->kind == WIRE_POINT_ENGINE;
		if (is_engine ? point->kind == visits->kind && !strcmp(point->name, visits->name) :
				point->hash == visits->hash)
			return i + 1;
		if (is_engine || point->hash ||
		    !__atomic_compare_exchange_n(&point->hash, &expected, visits->hash, false,
						 __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			continue;
		memcpy(point->name, visits->name, sizeof(point->name));
		__atomic_store_n(&point->kind, visits->kind, __ATOMIC_RELEASE);
		return i + 1;
	}
	return 0;
}

static bool is_countable(const struct hosts_visits *visits)
{
	return visits->kind == WIRE_POINT_ENGINE || visits->kind == POINTS_PROGRESS ||
	       visits->kind == POINTS_BEGIN || visits->kind == POINTS_END;
}

/* Totals grow between windows only: in one, the cores here take differences. */
static void take_points(struct hosts_engine *hosts)
{
	struct collector *collector = &hosts->collector;
	bool may_count = !collector->settings->window;

	for (unsigned i = 0; i < group_count(hosts->group); i++) {
		const struct group_peer *peer = group_peer(hosts->group, i);
		for (unsigned k = 0; k < peer->answer.count; k++) {
			const struct hosts_visits *visits = &peer->visits[k];
			unsigned *index = &hosts->points[i].index[k];
			if (!is_countable(visits))
				continue;
			*index = *index ? *index : index_of(collector, visits);
			if (!*index || !may_count)
				continue;
			__atomic_add_fetch(&collector->points[*index - 1].total,
					   visits->total - hosts->points[i].counted[k],
					   __ATOMIC_RELAXED);
			hosts->points[i].counted[k] = visits->total;
		}
	}
}

/* Rates add up: of visits by effective time. */
static void add_visits(struct collector_visits *sum, const struct hosts_visits *more)
{
	double time = (double)sum->duration_ns - (double)sum->delay_ns;
	double more_time = (double)more->duration_ns - (double)more->delay_ns;

	if (!more->visits || more_time <= 0)
		return;
	if (!sum->visits || time <= 0) {
		*sum = (struct collector_visits){.visits = more->visits,
						 .duration_ns = more->duration_ns,
						 .delay_ns = more->delay_ns};
		return;
	}
	double rate = (double)sum->visits / time + (double)more->visits / more_time;
	sum->visits += more->visits;
	sum->duration_ns =
		sum->duration_ns > more->duration_ns ? sum->duration_ns : more->duration_ns;
	double effective = (double)sum->visits / rate;
	if (effective > (double)sum->duration_ns)
		sum->duration_ns = (uint64_t)effective;
	sum->delay_ns = sum->duration_ns - (uint64_t)effective;
}

static struct collector_visits hosts_window_visits(const struct collector *collector,
						   unsigned point)
{
	struct hosts_engine *hosts = hosts_of(collector);
	struct collector_visits sum = hosts->here->engine->window_visits(here(collector), point);

	for (unsigned i = 0; i < group_count(hosts->group); i++) {
		const struct group_peer *peer = group_peer(hosts->group, i);
		for (unsigned k = 0; k < peer->answer.count && !peer->is_lost; k++)
			if (hosts->points[i].index[k] == point + 1)
				add_visits(&sum, &peer->visits[k]);
	}
	return sum;
}

/* ---- counters ---- */

static void add_counters(struct collector_counters *counters, const struct hosts_answer *more)
{
	counters->samples += more->samples;
	counters->sampled_ns += more->sampled_ns;
	counters->target_samples += more->target_samples;
	counters->target_ns += more->target_ns;
	counters->waited_ns += more->waited_ns;
	counters->cpu_ns += more->cpu_ns;
	counters->hand_overs += more->hand_overs;
	counters->timed_waits += more->timed_waits;
	counters->short_naps += more->short_naps;
	counters->short_naps_ns += more->short_naps_ns;
	counters->lost += more->lost;
	counters->capped += more->capped;
	counters->missed_heartbeats += more->missed_heartbeats;
	counters->spun_ns += more->spun_ns;
	if (more->longest_spin_ns > counters->longest_spin_ns)
		counters->longest_spin_ns = more->longest_spin_ns;
}

static void hosts_counters(const struct collector *collector, struct collector_counters *counters)
{
	struct hosts_engine *hosts = hosts_of(collector);

	if (!group_ask(hosts->group, ANSWER_NS)) {
		hosts->collector.missed_heartbeats++;
		counters->missed_heartbeats++;
	}
	take_points(hosts);
	counters->time_ns = clock_now_ns();
	counters->delay_ns = delay_here(hosts);
	hosts->here->engine->counters(here(collector), counters);
	for (unsigned i = 0; i < group_count(hosts->group); i++)
		add_counters(counters, &group_peer(hosts->group, i)->answer);
}

/* Kernel addresses and code without a file differ between hosts. */
static void clean(struct wire_sample *sample)
{
	if (sample->leaf_object == WIRE_OBJECT_NO_FILE || sample->leaf_object == WIRE_OBJECT_KERNEL)
		sample->leaf_object = WIRE_OBJECT_UNKNOWN;
	if (sample->scope_object == WIRE_OBJECT_NO_FILE ||
	    sample->scope_object == WIRE_OBJECT_KERNEL)
		sample->scope_object = WIRE_OBJECT_UNKNOWN;
	sample->flags &= ~(WIRE_SAMPLE_CHAIN | WIRE_SAMPLE_CALLERS);
	sample->span = WIRE_SPAN_NONE;
}

static void pass_files(struct hosts_engine *hosts, const struct collector_handler *handler)
{
	struct hosts_mapped mapped;

	while (handler->far_file && group_mapped(hosts->group, hosts->passed_files, &mapped)) {
		const struct collector_far_file file = {.path = mapped.path,
							.build_id = mapped.build_id,
							.is_main = mapped.is_main};
		hosts->passed_files++;
		handler->far_file(handler->context, &file);
	}
}

static int hosts_drain(struct collector *collector, const struct collector_handler *handler)
{
	struct hosts_engine *hosts = hosts_of(collector);
	uint64_t now = clock_now_ns();
	size_t count;

	if (!collector->settings->window && now - hosts->asked_ns > ASK_EVERY_NS) {
		hosts->asked_ns = now;
		group_ask_later(hosts->group);
		take_points(hosts);
	}
	pass_files(hosts, handler);
	struct wire_sample *samples = group_take_samples(hosts->group, &count);
	for (size_t i = 0; i < count; i++) {
		clean(&samples[i]);
		handler->sample(handler->context, &samples[i]);
	}
	free(samples);
	int drained = hosts->here->engine->drain(here(collector), handler);
	return drained < 0 ? drained : drained + (int)count;
}

/* ---- the program ---- */

static const char *const *hosts_environment(const struct collector *collector)
{
	return hosts_of(collector)->environment;
}

static void send_program(struct hosts_engine *hosts)
{
	const char *job = hosts->options->job;

	if (job)
		group_send(hosts->group, GROUP_ALL,
			   &(struct link_content){.kind = HOSTS_JOB,
						  .data = job,
						  .size = strlen(job) + 1});
	else
		group_send_program(hosts->group, hosts->options->arguments);
}

static int hosts_add_task(struct collector *collector, int pidfd, struct error *error)
{
	struct hosts_engine *hosts = hosts_of(collector);
	int code = hosts->here->engine->add_task(here(collector), pidfd, error);

	if (code)
		return code;
	hosts_publish(collector);
	send_program(hosts);
	return group_await_ready(hosts->group, error);
}

static void hosts_start(struct collector *collector)
{
	struct hosts_engine *hosts = hosts_of(collector);

	hosts->here->engine->start(here(collector));
	hosts->state.is_started = 1;
	hosts_publish(collector);
}

static int hosts_check_target_kinds(const struct collector_target_kinds *kinds, struct error *error)
{
	if (kinds->kernel)
		return error_set(error, -ENOTSUP,
				 "kernel code cannot be a target over several hosts");
	if (kinds->spans)
		return error_set(error, -ENOTSUP, "spans cannot be targets over several hosts");
	return 0;
}

/* ---- passed on ---- */

static int hosts_exclude_process(struct collector *collector, pid_t pid, struct error *error)
{
	return here(collector)->engine->exclude_process(here(collector), pid, error);
}

static int hosts_filter_name(struct collector *collector, const char *name, bool is_wanted)
{
	return here(collector)->engine->filter_name(here(collector), name, is_wanted);
}

static void hosts_announce_names(struct collector *collector)
{
	here(collector)->engine->announce_names(here(collector));
}

static void hosts_each_visiting_process(const struct collector *collector, unsigned index,
					void (*found)(void *context, pid_t pid, const char *command,
						      uint64_t visits),
					void *context)
{
	here(collector)->engine->each_visiting_process(here(collector), index, found, context);
}

static void hosts_sum_pairs(const struct collector *collector, uint64_t sums[WIRE_PAIRS_MOST],
			    uint64_t *weight_ns)
{
	here(collector)->engine->sum_pairs(here(collector), sums, weight_ns);
}

static void hosts_count_calls(struct collector *collector, struct collector_calls *counted,
			      size_t count, const struct collector_slices *slices)
{
	here(collector)->engine->count_calls(here(collector), counted, count, slices);
}

static int hosts_descriptor(const struct collector *collector)
{
	return here(collector)->engine->descriptor(here(collector));
}

/* ---- the whole ---- */

static char *hosts_note(const struct collector *collector)
{
	struct hosts_engine *hosts = hosts_of(collector);
	char *note = hosts->here->engine->note(here(collector));
	uint64_t sent, received, refused;

	if (hosts->group)
		text_add_line(&note, group_troubles(hosts->group));
	engine_host_messages(hosts->here, &sent, &received, &refused);
	if (hosts->state.is_started && !received)
		text_add_line(&note, text_copy("no message came from another host by TCP "
					       "on a connection made in the run: the hosts are in "
					       "step to 20 ms only, so gains of code that "
					       "another host waits for may be wrong"));
	return note;
}

static void hosts_close(struct collector *collector)
{
	struct hosts_engine *hosts = hosts_of(collector);

	if (collector->settings)
		collector_disarm(collector);
	group_close(hosts->group);
	if (hosts->here)
		hosts->here->engine->close(hosts->here);
	for (int i = 0; i < WIRE_BANKS; i++)
		free(hosts->sent[i]);
	free(hosts->points);
	free(hosts->names);
	free(hosts);
}

static const struct engine hosts_table = {
	.name = "kernel",
	.samples_when_disarmed = true,
	.close = hosts_close,
	.environment = hosts_environment,
	.note = hosts_note,
	.add_point_uprobe = hosts_add_point_uprobe,
	.add_point_tracepoint = hosts_add_point_tracepoint,
	.each_visiting_process = hosts_each_visiting_process,
	.add_task = hosts_add_task,
	.exclude_process = hosts_exclude_process,
	.filter_name = hosts_filter_name,
	.announce_names = hosts_announce_names,
	.check_target_kinds = hosts_check_target_kinds,
	.start = hosts_start,
	.name_object = hosts_name_object,
	.describe_object = hosts_describe_object,
	.send_unwind = hosts_send_unwind,
	.publish = hosts_publish,
	.set_period = hosts_set_period,
	.sum_pairs = hosts_sum_pairs,
	.window_visits = hosts_window_visits,
	.count_calls = hosts_count_calls,
	.counters = hosts_counters,
	.drain = hosts_drain,
	.descriptor = hosts_descriptor,
};

static void name_hosts(struct hosts_engine *hosts)
{
	unsigned count = group_count(hosts->group);

	gethostname(hosts->own_name, sizeof(hosts->own_name) - 1);
	hosts->names = memory_new(count + 1, sizeof(*hosts->names));
	hosts->names[0] = hosts->own_name;
	for (unsigned i = 0; i < count; i++)
		hosts->names[i + 1] = group_peer(hosts->group, i)->name;
	hosts->collector.host_names = hosts->names;
	hosts->collector.host_count = count + 1;
}

static int open_here(struct hosts_engine *hosts, const struct collector_options *options,
		     struct error *error)
{
	struct collector_options own = *options;
	struct collector_hosts others = group_hosts(hosts->group);

	own.group = NULL;
	own.hosts = &others;
	return kernel_engine_open(&own, &hosts->here, error);
}

int hosts_engine_open(const struct collector_options *options, struct collector **collector,
		      struct error *error)
{
	struct hosts_engine *hosts = memory_new(1, sizeof(*hosts));
	const struct group_hooks hooks = {.context = hosts,
					  .is_alive = is_alive,
					  .delay = delay_here,
					  .merge = merge,
					  .join = join};

	hosts->options = options->group;
	hosts->points = memory_new(options->group->count, sizeof(*hosts->points));
	hosts->environment[0] = "LEVER_HOST_INDEX=0";
	int code = group_open(options->group, &hooks, &hosts->group, error);
	code = code ? code : open_here(hosts, options, error);
	if (code) {
		hosts->collector.settings = NULL;
		hosts_close(&hosts->collector);
		return code;
	}
	hosts->collector = *hosts->here;
	hosts->collector.engine = &hosts_table;
	name_hosts(hosts);
	hosts->state.period_ns = hosts->collector.facts.period_ns;
	*collector = &hosts->collector;
	return 0;
}
