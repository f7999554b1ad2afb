// SPDX-License-Identifier: BSD-2-Clause
/* hosts - several simulated machines whose programs send each other messages. */
#include "hosts.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#define WAY_MOST 65536 /* messages that are on their way */
#define COORDINATOR HOSTS_MOST
#define NEVER UINT64_MAX

enum letter_kind { LETTER_PROGRAM, LETTER_REPORT, LETTER_MERGED, LETTER_SPEEDUP };

struct letter {
	uint64_t time_ns; /* of its arrival */
	uint64_t number;  /* orders those of one moment */
	uint8_t kind, object;
	uint16_t to;
	double speedup;
	struct engine_message message;
};

struct hosts {
	struct hosts_settings settings;
	struct random random;
	uint64_t now_ns, letters_sent, reports;
	uint64_t next_report_ns[HOSTS_MOST + 1];
	uint64_t reported_ns[HOSTS_MOST + 1];  /* G when it was sent last */
	uint64_t last_arrival_ns[HOSTS_MOST];  /* reports do not overtake each other */
	struct engine_heard heard[HOSTS_MOST]; /* by the coordinator */
	double clock_factor[HOSTS_MOST];
	uint64_t clock_offset_ns[HOSTS_MOST];
	uint32_t letter_count;
	struct letter letters[WAY_MOST]; /* a heap by time */
	struct machine *machines;
};

/* ---- messages on their way ---- */

static bool is_sooner(const struct letter *a, const struct letter *b)
{
	return a->time_ns < b->time_ns || (a->time_ns == b->time_ns && a->number < b->number);
}

static void letter_put(struct hosts *hosts, struct letter letter)
{
	uint32_t at = hosts->letter_count++;

	if (hosts->letter_count >= WAY_MOST)
		abort();
	letter.number = hosts->letters_sent++;
	while (at && is_sooner(&letter, &hosts->letters[(at - 1) / 2])) {
		hosts->letters[at] = hosts->letters[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	hosts->letters[at] = letter;
}

static struct letter letter_take(struct hosts *hosts)
{
	struct letter first = hosts->letters[0];
	struct letter last = hosts->letters[--hosts->letter_count];
	uint32_t at = 0;

	for (;;) {
		uint32_t child = 2 * at + 1;
		if (child >= hosts->letter_count)
			break;
		if (child + 1 < hosts->letter_count &&
		    is_sooner(&hosts->letters[child + 1], &hosts->letters[child]))
			child++;
		if (!is_sooner(&hosts->letters[child], &last))
			break;
		hosts->letters[at] = hosts->letters[child];
		at = child;
	}
	hosts->letters[at] = last;
	return first;
}

static uint64_t way_ns(struct hosts *hosts)
{
	uint64_t delay = hosts->settings.delay_ns;

	return delay + random_below(&hosts->random, delay / 4 + 1);
}

static bool is_lost(struct hosts *hosts)
{
	return hosts->settings.loss > 0 && random_uniform(&hosts->random) < hosts->settings.loss;
}

static uint64_t clock_of(const struct hosts *hosts, uint32_t host)
{
	return (uint64_t)((double)hosts->now_ns * hosts->clock_factor[host]) +
	       hosts->clock_offset_ns[host];
}

/* What the receiver believes the time to be on the host of the sender: half a round trip ago. */
static uint64_t clock_guess(struct hosts *hosts, uint32_t host)
{
	return clock_of(hosts, host) + random_below(&hosts->random, hosts->settings.delay_ns / 4);
}

static void send_message(struct machine *machine, const struct operation *operation,
			 struct task *sender)
{
	struct hosts *hosts = machine->hosts;
	struct letter letter = {
		.kind = LETTER_PROGRAM,
		.object = operation->object,
		.to = operation->host,
		.time_ns = machine->now_ns + way_ns(hosts),
		.message = {.from = machine->host,
			    .sent_ns = clock_guess(hosts, machine->host),
			    .stamp_ns = engine_stamp(machine, &machine->cores[sender->core])},
	};

	if (is_lost(hosts))
		letter.time_ns += hosts->settings.repeat_ns;
	letter_put(hosts, letter);
}

/* ---- reports of G ---- */

static void report(struct hosts *hosts, uint32_t host)
{
	uint64_t delay = engine_delay(&hosts->machines[host]);
	struct letter letter = {
		.kind = LETTER_REPORT,
		.to = (uint16_t)host,
		.time_ns = hosts->now_ns + way_ns(hosts) + hosts->settings.handling_ns,
		.message = {.from = host, .sent_ns = clock_of(hosts, host), .stamp_ns = delay},
	};

	hosts->next_report_ns[host] = hosts->now_ns + hosts->settings.report_ns;
	if (delay == hosts->reported_ns[host])
		return;
	hosts->reported_ns[host] = delay;
	hosts->reports++;
	if (!is_lost(hosts))
		letter_put(hosts, letter);
}

static uint64_t merged(const struct hosts *hosts)
{
	uint64_t most = 0;

	for (uint32_t i = 0; i < hosts->settings.count; i++)
		most = hosts->heard[i].delay_ns > most ? hosts->heard[i].delay_ns : most;
	return most;
}

static void tell_all(struct hosts *hosts)
{
	uint64_t delay = merged(hosts);

	hosts->next_report_ns[COORDINATOR] = hosts->now_ns + hosts->settings.report_ns;
	if (delay == hosts->reported_ns[COORDINATOR])
		return;
	hosts->reported_ns[COORDINATOR] = delay;
	for (uint32_t i = 0; i < hosts->settings.count; i++) {
		struct letter letter = {
			.kind = LETTER_MERGED,
			.to = (uint16_t)i,
			.time_ns = hosts->now_ns + way_ns(hosts) + hosts->settings.handling_ns,
			.message = {.stamp_ns = delay},
		};
		hosts->reports++;
		if (!is_lost(hosts))
			letter_put(hosts, letter);
	}
}

/* ---- events ---- */

static void deliver(struct hosts *hosts, struct letter *letter)
{
	struct machine *machine = &hosts->machines[letter->to];
	uint64_t again;

	switch (letter->kind) {
	case LETTER_PROGRAM:
		again = machine_receive(machine, letter->object, &letter->message);
		if (again) {
			letter->time_ns = again;
			letter_put(hosts, *letter);
		}
		break;
	case LETTER_REPORT:
		hosts->heard[letter->to] =
			(struct engine_heard){.time_ns = letter->message.sent_ns,
					      .delay_ns = letter->message.stamp_ns};
		break;
	case LETTER_MERGED:
		if (hosts->settings.engine.arrival == ARRIVAL_TOLD)
			for (uint32_t i = 0; i < hosts->settings.count; i++)
				if (i != letter->to)
					engine_hear(machine, i, &hosts->heard[i]);
		engine_merge(machine, letter->message.stamp_ns);
		break;
	case LETTER_SPEEDUP:
		engine_set_speedup(machine, letter->speedup);
	}
}

/* The host with the first event. */
static uint32_t first_host(const struct hosts *hosts, uint64_t *time)
{
	uint32_t first = 0;

	*time = NEVER;
	for (uint32_t i = 0; i < hosts->settings.count; i++) {
		const struct events *events = &hosts->machines[i].events;
		if (events->count && events_first(events).time_ns < *time) {
			*time = events_first(events).time_ns;
			first = i;
		}
	}
	return first;
}

static uint32_t first_report(const struct hosts *hosts, uint64_t *time)
{
	uint32_t first = COORDINATOR;

	*time = hosts->next_report_ns[COORDINATOR];
	for (uint32_t i = 0; i < hosts->settings.count; i++)
		if (hosts->next_report_ns[i] < *time)
			*time = hosts->next_report_ns[first = i];
	return first;
}

static void set_time(struct hosts *hosts, uint64_t time)
{
	hosts->now_ns = time;
	for (uint32_t i = 0; i < hosts->settings.count; i++)
		hosts->machines[i].now_ns = time;
}

void hosts_run(struct hosts *hosts, uint64_t length_ns)
{
	uint64_t end = hosts->now_ns + length_ns;

	for (;;) {
		uint64_t event, report_time;
		uint32_t host = first_host(hosts, &event);
		uint32_t reporter = first_report(hosts, &report_time);
		uint64_t letter = hosts->letter_count ? hosts->letters[0].time_ns : NEVER;

		if (event > end && report_time > end && letter > end)
			break;
		if (letter <= event && letter <= report_time) {
			struct letter taken = letter_take(hosts);
			set_time(hosts, letter);
			deliver(hosts, &taken);
		} else if (event <= report_time) {
			machine_run(&hosts->machines[host], event);
		} else {
			set_time(hosts, report_time);
			if (reporter == COORDINATOR)
				tell_all(hosts);
			else
				report(hosts, reporter);
		}
	}
	set_time(hosts, end);
}

/* ---- the whole ---- */

struct hosts *hosts_new(void)
{
	struct hosts *hosts = memory_new(1, sizeof(*hosts));

	hosts->machines = memory_new(HOSTS_MOST, sizeof(*hosts->machines));
	return hosts;
}

void hosts_free(struct hosts *hosts)
{
	free(hosts->machines);
	free(hosts);
}

void hosts_start(struct hosts *hosts, const struct hosts_settings *settings, const struct job *job)
{
	bool has_engine = settings->engine.kind != ENGINE_NONE;

	hosts->settings = *settings;
	hosts->settings.count = job->count;
	hosts->random = random_seeded(settings->seed * 7919 + 3);
	hosts->letter_count = 0;
	hosts->letters_sent = hosts->reports = 0;
	memset(hosts->heard, 0, sizeof(hosts->heard));
	memset(hosts->reported_ns, 0, sizeof(hosts->reported_ns));
	for (uint32_t i = 0; i < job->count; i++) {
		struct machine *machine = &hosts->machines[i];
		struct machine_settings own = settings->machine;

		own.seed = settings->seed * 131 + i;
		machine_start(machine, &own, &settings->engine, &job->programs[i]);
		machine->send = send_message;
		machine->hosts = hosts;
		machine->host = i;
		hosts->clock_factor[i] =
			1 + settings->clock_drift * (2 * random_uniform(&hosts->random) - 1);
		hosts->clock_offset_ns[i] =
			random_below(&hosts->random, settings->clock_apart_ns + 1);
		hosts->now_ns = machine->now_ns;
		hosts->next_report_ns[i] =
			has_engine ?
				hosts->now_ns + random_below(&hosts->random, settings->report_ns) :
				NEVER;
	}
	hosts->next_report_ns[COORDINATOR] = has_engine ? hosts->now_ns : NEVER;
}

uint64_t hosts_now(const struct hosts *hosts)
{
	return hosts->now_ns;
}

struct machine *hosts_machine(struct hosts *hosts, uint32_t host)
{
	return &hosts->machines[host];
}

void hosts_set_speedup(struct hosts *hosts, double speedup)
{
	for (uint32_t i = 0; i < hosts->settings.count; i++)
		letter_put(hosts, (struct letter){.kind = LETTER_SPEEDUP,
						  .to = (uint16_t)i,
						  .time_ns = hosts->now_ns + way_ns(hosts),
						  .speedup = speedup});
}

uint64_t hosts_lag(struct hosts *hosts)
{
	uint64_t least = UINT64_MAX, most = 0;

	for (uint32_t i = 0; i < hosts->settings.count; i++) {
		uint64_t delay = engine_delay(&hosts->machines[i]);
		least = delay < least ? delay : least;
		most = delay > most ? delay : most;
	}
	return most - least;
}

uint64_t hosts_reports(const struct hosts *hosts)
{
	return hosts->reports;
}
