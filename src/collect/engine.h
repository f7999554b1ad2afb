/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * engine - what the two engines behind collector.h have in common: their state's first part, and
 * the table of what each of them does in its own way.
 *
 * Both engines write the same settings and code ranges into memory that their other side maps
 * (wire/kernel.h): the BPF programs, or the library in the program. control.c does that for both.
 */
#pragma once

#include "collect/collector.h"
#include "collect/python_table.h"
#include "collect/requests.h"
#include "collect/unwind_table.h"
#include "wire/kernel.h"

/* collector.h says what each function does. Those marked so may be NULL. */
struct engine {
	const char *name;
	bool samples_when_disarmed;
	bool sees_open_windows; /* window_visits tells while a window is open */
	void (*close)(struct collector *collector);
	/* May be NULL: every executable can be profiled. */
	int (*check_program)(const char *path, struct error *error);
	/* May be NULL: no entries. */
	const char *const *(*environment)(const struct collector *collector);
	/* May be NULL: no warnings. */
	char *(*note)(const struct collector *collector);

	int (*add_point_uprobe)(struct collector *collector, const char *name,
				const struct collector_code *code, unsigned *index,
				struct error *error);
	int (*add_point_tracepoint)(struct collector *collector, const char *category,
				    const char *tracepoint, const char *name, unsigned *index,
				    struct error *error);
	/* May be NULL, all together: requests cannot be counted. */
	int (*add_point_requests)(struct collector *collector, const char *name,
				  const struct collector_connections *connections, unsigned *index,
				  struct error *error);
	void (*add_listening_port)(struct collector *collector, uint16_t port);
	void (*service)(const struct collector *collector, struct collector_service *service);
	void (*each_peer)(const struct collector *collector,
			  void (*found)(void *context, const struct collector_peer *peer),
			  void *context);
	int (*add_peer)(struct collector *collector, pid_t pid, struct error *error);
	/* May be NULL: visits are not counted by process. */
	void (*each_visiting_process)(const struct collector *collector, unsigned index,
				      void (*found)(void *context, pid_t pid, const char *command,
						    uint64_t visits),
				      void *context);

	int (*add_task)(struct collector *collector, int pidfd, struct error *error);
	/* The next five may be NULL: the engine profiles only what it starts, and all of that. */
	int (*add_process)(struct collector *collector, pid_t pid, struct error *error);
	int (*exclude_process)(struct collector *collector, pid_t pid, struct error *error);
	void (*follow_all)(struct collector *collector);
	int (*filter_name)(struct collector *collector, const char *name, bool is_wanted);
	void (*announce_names)(struct collector *collector);
	/* May be NULL: the engine can enable every kind of target. */
	int (*check_target_kinds)(const struct collector_target_kinds *target_kinds,
				  struct error *error);
	void (*start)(struct collector *collector);

	int (*name_object)(struct collector *collector, const struct wire_file *file,
			   uint32_t object);
	/* Of several hosts; may be NULL: a file; rows of an object; settings have changed. */
	void (*describe_object)(struct collector *collector, uint32_t object, const char *path,
				const char *build_id);
	void (*send_unwind)(struct collector *collector, uint32_t object,
			    const struct wire_unwind_row *rows, size_t count);
	void (*publish)(struct collector *collector);
	/* Of one host; may be NULL: messages to and from other hosts, and those refused. */
	void (*host_messages)(const struct collector *collector, uint64_t *sent, uint64_t *received,
			      uint64_t *refused);
	void (*set_period)(struct collector *collector, uint64_t period_ns);

	/* Over all cores or threads, modulo 2^64: of each pair (begun - ended) x time; time. */
	void (*sum_pairs)(const struct collector *collector, uint64_t sums[WIRE_PAIRS_MOST],
			  uint64_t *weight_ns);
	/* May be NULL, all three together: the engine does not measure the lengths of spans. */
	void (*lengths_begin)(struct collector *collector);
	void (*lengths_end)(struct collector *collector);
	struct collector_lengths (*pair_lengths)(const struct collector *collector, unsigned pair);
	struct collector_visits (*window_visits)(const struct collector *collector, unsigned point);
	void (*count_calls)(struct collector *collector, struct collector_calls *counted,
			    size_t count, const struct collector_slices *slices);

	/* Fills in all but the time, G and what struct collector counts. */
	void (*counters)(const struct collector *collector, struct collector_counters *counters);
	int (*drain)(struct collector *collector, const struct collector_handler *handler);
	int (*descriptor)(const struct collector *collector);
};

/* The first member of each engine's own state. */
struct collector {
	const struct engine *engine;
	struct collector_facts facts;
	/* In the shared memory; the engine sets them when it opens. */
	struct wire_settings *settings;
	struct wire_range (*ranges)[WIRE_RANGES_MOST]; /* WIRE_BANKS of them */
	struct wire_point *points;                     /* WIRE_POINTS_MOST */
	const uint64_t *delay_ns;                      /* G */
	uint64_t *told_delay_ns; /* G as other hosts have told it; NULL: one host */
	struct unwind_table unwind;
	struct python_table pythons;
	const char *const *host_names; /* of several; the first is this one */
	size_t host_count;
	struct collector_level levels[DELAY_LEVELS]; /* of the target */
	uint32_t tick_overhead_ns; /* of a tick, beside the part that measures itself */
	unsigned points_made;      /* for unique hashes */
	uint64_t missed_heartbeats;
	uint64_t heartbeat_early_ns; /* pausing ends so much sooner than DELAY_HEARTBEAT_LIMIT_NS */
	uint64_t windows;            /* opened so far: the number of the last one */
	uint64_t window_opened_ns, window_lasted_ns;
	uint64_t pair_start_ns[WIRE_PAIRS_MOST], weight_start_ns;
	double pair_averages[WIRE_PAIRS_MOST];
};

int kernel_engine_open(const struct collector_options *options, struct collector **collector,
		       struct error *error);
/* G with what other hosts have told so far. */
uint64_t engine_delay(const struct collector *collector);
/* G becomes at least this large, at the program's next tick; G of hosts merge by maximum. */
void engine_merge_delay(struct collector *collector, uint64_t delay_ns);
void engine_host_messages(const struct collector *collector, uint64_t *sent, uint64_t *received,
			  uint64_t *refused);

int hosts_engine_open(const struct collector_options *options, struct collector **collector,
		      struct error *error);
/* `is_fallback`: the kernel engine was refused. */
int runtime_engine_open(const struct collector_options *options, bool is_fallback,
			struct collector **collector, struct error *error);

/*
 * Takes the entry of the point with this name and kind, or a free one. The program's own points
 * take free entries at the same time: by hash, atomically. -E2BIG if there is none.
 */
int engine_take_point(struct collector *collector, const char *name, uint32_t kind, unsigned *index,
		      struct error *error);
