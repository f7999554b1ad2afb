/* SPDX-License-Identifier: BSD-2-Clause */
/* agent - one host's part of a run over several hosts. */
#include "collect/hosts/agent.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/memory.h"
#include "collect/collector_hosts.h"
#include "collect/engine.h"
#include "collect/hosts/agent_channel.h"
#include "collect/hosts/agent_files.h"
#include "collect/hosts/agent_record.h"
#include "collect/hosts/invitation.h"
#include "collect/hosts/join.h"
#include "collect/hosts/link.h"
#include "collect/hosts/messages.h"
#include "collect/process/program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define POLL_MS 10
#define GONE_NS 30000000000ull /* of silence, after which the run is over */
#define KILL_AFTER_NS 2000000000ull
#define ARGUMENTS_MOST 4096
#define SAMPLES_AT_ONCE 4096

struct agent {
	struct invitation invitation;
	struct link *link;
	struct collector *collector;
	struct agent_files *files;
	struct program program;
	int joiners; /* processes of a job come here; -1: the program is ours */
	size_t refused;
	bool has_program, is_started, has_ended, is_over, is_lifted;
	uint64_t heard_ns, reported_ns, ended_ns;
	uint32_t generation;
	uint64_t window, period_ns;
	struct wire_sample samples[SAMPLES_AT_ONCE];
	size_t sample_count;
	char *words; /* of the program */
	char *arguments[ARGUMENTS_MOST];
};

static void tell(struct agent *agent, uint32_t kind, const void *data, size_t size)
{
	link_send(agent->link, 0, &(struct link_content){.kind = kind, .data = data, .size = size});
}

static void trouble(struct agent *agent, const char *sentence)
{
	tell(agent, HOSTS_TROUBLE, sentence, strlen(sentence) + 1);
}

/* ---- events of the engine ---- */

static void send_samples(struct agent *agent)
{
	if (agent->sample_count)
		tell(agent, HOSTS_SAMPLES, agent->samples,
		     agent->sample_count * sizeof(agent->samples[0]));
	agent->sample_count = 0;
}

static void on_sample(void *context, const struct wire_sample *sample)
{
	struct agent *agent = context;

	if (agent->sample_count == SAMPLES_AT_ONCE)
		send_samples(agent);
	agent->samples[agent->sample_count++] = *sample;
}

static void on_object(void *context, const struct kernel_object_event *event)
{
	struct agent *agent = context;
	struct hosts_mapped mapped;
	AUTO(text) char *problem = agent_files_on_object(agent->files, event, &mapped);

	if (*mapped.path)
		tell(agent, HOSTS_MAPPED, &mapped, sizeof(mapped));
	if (problem)
		trouble(agent, problem);
}

static void on_process(void *context, const struct kernel_process_event *event)
{
	(void)context;
	(void)event;
}

static void drain(struct agent *agent)
{
	const struct collector_handler handler = {.context = agent,
						  .sample = on_sample,
						  .object = on_object,
						  .process = on_process};

	collector_drain(agent->collector, &handler);
	send_samples(agent);
}

/* ---- settings ---- */

/* What is the same on all hosts; the rest is this host's own. */
static void copy_settings(struct wire_settings *own, const struct wire_settings *theirs)
{
	own->target_bank = theirs->target_bank;
	own->scope_bank = theirs->scope_bank;
	own->spin_bank = theirs->spin_bank;
	own->enable_waits = theirs->enable_waits;
	own->enable_system_calls = theirs->enable_system_calls;
	own->enable_classes = theirs->enable_classes;
	own->classes_of_code = theirs->classes_of_code;
	own->classes = theirs->classes;
	own->class_levels = theirs->class_levels;
	own->code_levels = theirs->code_levels;
	own->target_levels = theirs->target_levels;
	own->inclusive_levels = theirs->inclusive_levels;
	own->has_processes = theirs->has_processes;
	memcpy(own->delay.speedups, theirs->delay.speedups, sizeof(own->delay.speedups));
	own->delay.grows_by_waits = theirs->delay.grows_by_waits;
	own->delay.external_speedup = theirs->delay.external_speedup;
	__atomic_store_n(&own->delay.speedup, theirs->delay.speedup, __ATOMIC_RELEASE);
	__atomic_store_n(&own->delay.is_disarmed, theirs->delay.is_disarmed, __ATOMIC_RELEASE);
}

static void follow_window(struct agent *agent, uint64_t window)
{
	if (agent->window == window)
		return;
	if (agent->window)
		collector_window_close(agent->collector);
	agent->window = window;
	if (window)
		collector_window_open(agent->collector);
}

static int start_program(struct agent *agent)
{
	struct error error = {0};
	int code = program_start(&agent->program, agent->arguments[0], &error);

	if (code)
		trouble(agent, error.text);
	agent->has_ended = code;
	return code;
}

static void on_state(struct agent *agent, const struct hosts_state *state)
{
	struct collector *collector = agent->collector;
	uint32_t generation = state->settings.delay.generation;

	engine_merge_delay(collector, state->delay_ns);
	if (state->period_ns && state->period_ns != agent->period_ns)
		collector_set_period(collector, state->period_ns);
	agent->period_ns = state->period_ns;
	collector_charge_ticks(collector, state->charges_ticks);
	if (generation != agent->generation)
		collector_clear_debts(collector);
	agent->generation = generation;
	copy_settings(collector->settings, &state->settings);
	collector_heartbeat(collector);
	follow_window(agent, state->settings.window);
	if (state->is_started && agent->has_program && !agent->is_started) {
		agent->is_started = true;
		start_program(agent);
	}
}

static int by_start(const void *a, const void *b)
{
	const struct wire_range *left = a, *right = b;

	if (left->object != right->object)
		return left->object < right->object ? -1 : 1;
	return left->start < right->start ? -1 : left->start > right->start;
}

/* This host's ranges: those of other hosts' processes are left out. Returns how many. */
static uint32_t ranges_here(const struct agent *agent, struct wire_range *ranges, uint32_t count)
{
	uint32_t own = COLLECTOR_PROCESSES_OF(agent->invitation.index), kept = 0;

	for (uint32_t i = 0; i < count; i++) {
		struct wire_range range = ranges[i];
		if (range.object == WIRE_OBJECT_PROCESSES && COLLECTOR_PROCESSES_HERE(&range))
			continue;
		if (range.object == own)
			range.object = WIRE_OBJECT_PROCESSES;
		ranges[kept++] = range;
	}
	if (kept)
		qsort(ranges, kept, sizeof(*ranges), by_start);
	return kept;
}

static void on_bank(struct agent *agent, struct hosts_bank *bank, size_t size)
{
	struct collector *collector = agent->collector;
	size_t bytes = (size_t)bank->count * sizeof(struct wire_range);

	if (bank->bank >= WIRE_BANKS || bank->count > WIRE_RANGES_MOST ||
	    size != sizeof(*bank) + bytes)
		return;
	if (bank->bank < WIRE_BANK_SCOPE)
		bank->count = ranges_here(agent, (struct wire_range *)(bank + 1), bank->count);
	memcpy(collector->ranges[bank->bank], bank + 1, bank->count * sizeof(struct wire_range));
	__atomic_store_n(&collector->settings->counts[bank->bank], bank->count, __ATOMIC_RELEASE);
}

static void on_unwind(struct agent *agent, const struct hosts_unwind *unwind, size_t size)
{
	if (unwind->object < WIRE_OBJECTS_MOST &&
	    size == sizeof(*unwind) + (size_t)unwind->count * sizeof(struct wire_unwind_row))
		collector_set_unwind(agent->collector, unwind->object,
				     (const struct wire_unwind_row *)(unwind + 1), unwind->count);
}

static void on_point(struct agent *agent, struct hosts_point *point)
{
	struct error error = {0};
	unsigned index;

	point->name[sizeof(point->name) - 1] = point->path[sizeof(point->path) - 1] = 0;
	AUTO(fd) int file = agent_files_open(point->path);
	const struct collector_code code = {.path = point->path,
					    .offset = point->offset,
					    .semaphore_offset = point->semaphore_offset,
					    .fd = file};
	if (collector_add_point_uprobe(agent->collector, point->name, &code, &index, &error))
		trouble(agent, error.text);
}

/* ---- the program ---- */

static int prepare_program(struct agent *agent, struct error *error)
{
	AUTO(text) char *name = text_format("LEVER_HOST=%s", agent->invitation.name);
	AUTO(text) char *index = text_format("LEVER_HOST_INDEX=%u", agent->invitation.index);
	const char *const environment[] = {"LEVER_LISTEN=1", name, index, NULL};
	int code = program_prepare(&agent->program, agent->arguments, environment, error);

	code = code ? code : collector_add_task(agent->collector, agent->program.pidfd, error);
	if (!code)
		collector_start(agent->collector);
	return code;
}

static void on_program(struct agent *agent, const char *texts, size_t size)
{
	struct error error = {0};
	size_t count = 0;

	if (agent->has_program || !size || texts[size - 1])
		return;
	agent->words = memory_new(1, size);
	memcpy(agent->words, texts, size);
	if (chdir(agent->words)) {
		AUTO(text)
		char *sentence = text_format("cannot change to the directory %s: %s", agent->words,
					     strerror(errno));
		trouble(agent, sentence);
	}
	for (char *word = agent->words + strlen(agent->words) + 1;
	     word < agent->words + size && count + 1 < ARGUMENTS_MOST; word += strlen(word) + 1)
		agent->arguments[count++] = word;
	agent->has_program = true;
	if (!count || prepare_program(agent, &error)) {
		trouble(agent, error.text);
		agent->is_over = true;
		return;
	}
	tell(agent, HOSTS_READY, NULL, 0);
}

static void signal_program(struct agent *agent, int signal)
{
	if (agent->is_started && !agent->has_ended && agent->program.pidfd >= 0)
		syscall(SYS_pidfd_send_signal, agent->program.pidfd, signal, NULL, 0);
}

static void poll_program(struct agent *agent)
{
	struct hosts_ended ended = {0};

	if (!agent->is_started || agent->has_ended || !program_poll(&agent->program))
		return;
	agent->has_ended = true;
	ended.status = agent->program.status;
	tell(agent, HOSTS_ENDED, &ended, sizeof(ended));
}

/* ---- processes of a job ---- */

static void on_job(struct agent *agent, const char *job, size_t size)
{
	struct error error = {0};

	if (agent->joiners >= 0 || !size || job[size - 1])
		return;
	agent->joiners = join_listen(job, &error);
	if (agent->joiners < 0) {
		trouble(agent, error.text);
		agent->is_over = true;
		return;
	}
	collector_start(agent->collector);
	tell(agent, HOSTS_READY, NULL, 0);
}

static int add_process(void *context, int pidfd, struct error *error)
{
	struct agent *agent = context;
	return collector_add_task(agent->collector, pidfd, error);
}

static void take_in_processes(struct agent *agent)
{
	const struct join_host host = {.name = agent->invitation.name,
				       .index = agent->invitation.index,
				       .add = add_process,
				       .context = agent};
	size_t before = agent->refused;

	if (agent->joiners < 0)
		return;
	join_serve(agent->joiners, &host, &agent->refused);
	if (!before && agent->refused)
		trouble(agent, "processes of the job could not be followed; they are missing in "
			       "the results");
}

/* ---- answers ---- */

static void answer(struct agent *agent, const struct hosts_query *query)
{
	struct hosts_visits visits[WIRE_POINTS_MOST] = {0};
	struct collector_counters counters;
	struct hosts_answer head = {.number = query->number};

	collector_counters(agent->collector, &counters);
	head.delay_ns = counters.delay_ns;
	head.samples = counters.samples;
	head.sampled_ns = counters.sampled_ns;
	head.target_samples = counters.target_samples;
	head.target_ns = counters.target_ns;
	head.waited_ns = counters.waited_ns;
	head.cpu_ns = counters.cpu_ns;
	head.hand_overs = counters.hand_overs;
	head.timed_waits = counters.timed_waits;
	head.short_naps = counters.short_naps;
	head.short_naps_ns = counters.short_naps_ns;
	head.lost = counters.lost;
	head.capped = counters.capped;
	head.displaced_ns = counters.displaced_ns;
	head.missed_heartbeats = counters.missed_heartbeats;
	head.spun_ns = counters.spun_ns;
	head.longest_spin_ns = counters.longest_spin_ns;
	engine_host_messages(agent->collector, &head.sent, &head.received, &head.refused);
	head.count = collector_point_count(agent->collector);
	for (unsigned i = 0; i < head.count; i++) {
		const struct wire_point *point = collector_point(agent->collector, i);
		struct collector_visits seen = collector_window_visits(agent->collector, i);
		visits[i] = (struct hosts_visits){.hash = point->hash,
						  .total = point->total,
						  .kind = point->kind,
						  .visits = seen.visits,
						  .duration_ns = seen.duration_ns,
						  .delay_ns = seen.delay_ns};
		memcpy(visits[i].name, point->name, sizeof(visits[i].name));
	}
	link_send(agent->link, 0,
		  &(struct link_content){.kind = HOSTS_ANSWER,
					 .data = &head,
					 .size = sizeof(head),
					 .more = visits,
					 .more_size = head.count * sizeof(visits[0])});
}

/* ---- the loop ---- */

static void on_message(struct agent *agent, const struct link_message *message)
{
	/* Copied, as what ZeroMQ gives is not aligned. */
	void *data = memory_new(1, message->size + 1);
	size_t size = message->size;

	memcpy(data, message->data, size);
	agent->heard_ns = clock_now_ns();
	if (message->kind == HOSTS_STATE && size == sizeof(struct hosts_state))
		on_state(agent, data);
	else if (message->kind == HOSTS_BANK && size >= sizeof(struct hosts_bank))
		on_bank(agent, data, size);
	else if (message->kind == HOSTS_UNWIND && size >= sizeof(struct hosts_unwind))
		on_unwind(agent, data, size);
	else if (message->kind == HOSTS_OBJECT && size == sizeof(struct hosts_object))
		agent_files_add(agent->files, data);
	else if (message->kind == HOSTS_POINT && size == sizeof(struct hosts_point))
		on_point(agent, data);
	else if (message->kind == HOSTS_PROGRAM)
		on_program(agent, data, size);
	else if (message->kind == HOSTS_JOB)
		on_job(agent, data, size);
	else if (message->kind == HOSTS_QUERY && size == sizeof(struct hosts_query))
		answer(agent, data);
	else if (message->kind == HOSTS_END)
		agent->is_over = true;
	free(data);
}

/* The kernel side also ends all pauses by itself when the heartbeat is that old. */
static void watch_coordinator(struct agent *agent, uint64_t now)
{
	bool is_silent = now - agent->heard_ns > HOSTS_SILENCE_NS;

	if (is_silent && !agent->is_lifted)
		__atomic_store_n(&agent->collector->settings->delay.is_disarmed, 1,
				 __ATOMIC_RELEASE);
	agent->is_lifted = is_silent;
	agent->is_over |= now - agent->heard_ns > GONE_NS;
}

static void report(struct agent *agent, uint64_t now)
{
	struct hosts_report report = {.delay_ns = engine_delay(agent->collector)};

	if (now - agent->reported_ns < HOSTS_STATE_EVERY_NS)
		return;
	agent->reported_ns = now;
	tell(agent, HOSTS_REPORT, &report, sizeof(report));
	drain(agent);
	poll_program(agent);
}

static void follow(struct agent *agent, int input)
{
	struct link_message message;

	while (!agent->is_over) {
		if (link_receive(agent->link, &message, POLL_MS, agent->joiners))
			on_message(agent, &message);
		take_in_processes(agent);
		uint64_t now = clock_now_ns();
		watch_coordinator(agent, now);
		report(agent, now);
		agent->is_over |= agent_input_has_ended(input);
	}
}

static void end_program(struct agent *agent)
{
	uint64_t began = clock_now_ns();

	collector_disarm(agent->collector);
	signal_program(agent, SIGTERM);
	while (agent->is_started && !agent->has_ended && !program_poll(&agent->program)) {
		if (clock_now_ns() - began > KILL_AFTER_NS)
			signal_program(agent, SIGKILL);
		poll(NULL, 0, POLL_MS);
	}
}

static int open_all(struct agent *agent, struct error *error)
{
	const struct invitation *invitation = &agent->invitation;
	const struct collector_hosts hosts = {.addresses = invitation->addresses,
					      .count = invitation->address_count,
					      .tag = invitation->tag};
	const struct collector_options options = {.engine = COLLECTOR_KERNEL,
						  .counts_waits = true,
						  .hosts = &hosts};
	int code = collector_open(&options, &agent->collector, error);

	if (code)
		return code;
	agent->collector->heartbeat_early_ns = DELAY_HEARTBEAT_LIMIT_NS - HOSTS_SILENCE_NS;
	agent->collector->settings->delay.is_disarmed = 1;
	agent->files = agent_files_new(agent->collector);
	return link_connect(invitation->endpoint, &invitation->keys, invitation->coordinator,
			    invitation->index - 1, &agent->link, error);
}

/* The program there reads nothing, and does not keep the launcher's channel open. */
static int take_input(int input)
{
	AUTO(fd) int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
	int own = fcntl(input, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);

	if (own < 0 || nothing < 0)
		return input;
	dup2(nothing, input);
	return own;
}

/* Takes part in experiments. */
static int run(const struct invitation *invitation, int input, struct error *error)
{
	struct agent *agent = memory_new(1, sizeof(*agent));

	agent->invitation = *invitation;
	agent->program = (struct program){.go = -1, .failure = -1, .pidfd = -1};
	agent->joiners = -1;
	int code = open_all(agent, error);
	if (!code) {
		agent->heard_ns = clock_now_ns();
		agent_say_hello(agent->link);
		follow(agent, input);
		end_program(agent);
		drain(agent);
	}
	program_release(&agent->program);
	if (agent->joiners >= 0)
		close(agent->joiners);
	link_close(agent->link);
	agent_files_free(agent->files);
	collector_close(agent->collector);
	free(agent->words);
	free(agent);
	return code;
}

int agent_run(int input, const char *version, struct error *error)
{
	struct invitation invitation;

	input = take_input(input);
	int code = invitation_read(input, version, &invitation, error);
	if (code)
		return code;
	return strcmp(invitation.verb, "record") ? run(&invitation, input, error) :
						   agent_record_run(&invitation, input, error);
}
