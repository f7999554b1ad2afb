/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * engine - what an engine must be able to do: collector.h as a table of functions.
 *
 * collector.h says what each of them does. What an engine opens begins with a struct
 * engine_collector; the rest is its own affair.
 */
#pragma once

#include "collect/collector.h"
#include "wire/kernel.h"

/* The two speedups that settings know, of which one at most is above 0. */
static inline void engine_write_speedups(struct wire_settings *settings, double of_target,
					 double of_outside)
{
	__atomic_store_n(&settings->delay.speedup, (__u32)(of_target * DELAY_SPEEDUP_ONE + 0.5),
			 __ATOMIC_RELEASE);
	__atomic_store_n(&settings->delay.external_speedup,
			 (__u32)(of_outside * DELAY_SPEEDUP_ONE + 0.5), __ATOMIC_RELEASE);
}

struct engine {
	const char *name;
	void (*close)(struct collector *collector);
	const struct collector_facts *(*facts)(const struct collector *collector);
	/* 0, or why it cannot profile this executable; the function may be NULL. */
	int (*check_program)(const char *path, struct error *error);
	/* NAME=VALUE entries for the program, ended by NULL; the function may be NULL. */
	const char *const *(*environment)(const struct collector *collector);
	/* A sentence about what was found wanting in the program; NULL: none. */
	char *(*note)(const struct collector *collector);

	int (*add_point_uprobe)(struct collector *collector, const char *name, const char *path,
				uint64_t offset, uint64_t semaphore_offset, unsigned *index,
				struct error *error);
	int (*add_point_tracepoint)(struct collector *collector, const char *category,
				    const char *tracepoint, const char *name, unsigned *index,
				    struct error *error);
	int (*add_point_sampled)(struct collector *collector, const char *name, unsigned *index,
				 struct error *error);
	unsigned (*point_count)(const struct collector *collector);
	const struct wire_point *(*point)(const struct collector *collector, unsigned index);
	void (*each_visiting_process)(const struct collector *collector, unsigned index,
				      void (*found)(void *context, pid_t pid, const char *command,
						    uint64_t visits),
				      void *context); /* may be NULL */
	int (*set_pairs)(struct collector *collector, unsigned (*pairs)[2], unsigned count);
	double (*pair_average)(const struct collector *collector, unsigned pair);
	struct collector_lengths (*pair_lengths)(const struct collector *collector,
						 unsigned pair); /* may be NULL */

	int (*add_task)(struct collector *collector, int pidfd, struct error *error);
	/* Processes that run already, and choosing among them. NULL: only what it starts. */
	int (*add_process)(struct collector *collector, pid_t pid, struct error *error);
	int (*exclude_process)(struct collector *collector, pid_t pid, struct error *error);
	void (*follow_all)(struct collector *collector);
	int (*filter_name)(struct collector *collector, const char *name, bool is_wanted);
	void (*announce_names)(struct collector *collector);
	int (*enable)(struct collector *collector,
		      const struct collector_target_kinds *target_kinds, struct error *error);
	int (*start)(struct collector *collector, struct error *error);

	int (*set_target)(struct collector *collector, const struct wire_range *ranges,
			  size_t count, uint32_t classes);
	int (*set_scope)(struct collector *collector, const struct wire_range *ranges,
			 size_t count);
	int (*set_sampled)(struct collector *collector, const struct wire_range *ranges,
			   size_t count);
	int (*name_object)(struct collector *collector, const struct wire_file *file,
			   uint32_t object);
	int (*set_unwind)(struct collector *collector, uint32_t object,
			  const struct wire_unwind_row *rows, size_t count);

	void (*set_speedup)(struct collector *collector, double speedup);
	void (*speed_up_external)(struct collector *collector, double speedup);
	void (*clear_debts)(struct collector *collector);
	void (*set_period)(struct collector *collector, uint64_t period_ns);
	void (*charge_ticks)(struct collector *collector, bool are_charged); /* may be NULL */
	void (*window_open)(struct collector *collector);
	void (*window_close)(struct collector *collector);
	struct collector_visits (*window_visits)(const struct collector *collector, unsigned point);
	void (*disarm)(struct collector *collector);
	bool samples_when_disarmed; /* when disarmed, too */

	void (*want_callers)(struct collector *collector, bool want);
	int (*count_calls)(struct collector *collector, const char *path, uint64_t offset,
			   uint64_t slice_ns, uint64_t *calls, unsigned slices, uint64_t most);

	void (*counters)(struct collector *collector, struct collector_counters *counters);
	void (*heartbeat)(struct collector *collector);
	int (*drain)(struct collector *collector, const struct collector_handler *handler);
	int (*descriptor)(const struct collector *collector);
};

struct engine_collector {
	const struct engine *engine;
};

/* What set_pairs does, in the settings that either engine's other side reads; -E2BIG if there are too many. */
int engine_write_pairs(struct wire_settings *settings, unsigned (*pairs)[2], unsigned count);
