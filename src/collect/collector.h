/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * collector - samples, progress and virtual speedups of a running program.
 *
 * Life: collector_open (everything is loaded, nothing runs yet), collector_add_point_*,
 * collector_add_task for the program's first task before it runs, collector_start; then windows:
 * collector_set_target, collector_window_open, collector_window_close; collector_close. It holds no
 * names of code and makes no decisions. One thread uses it.
 *
 * Two engines implement it (engine.h): collect/kernel and collect/runtime. Pausing stops without a
 * heartbeat in half a second; collector_heartbeat gives one, and most other calls do, too.
 */
#pragma once

#include "base/error.h"
#include "collect/call_counts.h"
#include "collect/collector_target.h"
#include "wire/kernel.h"
#include "wire/points.h"
#include "wire/python.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct collector;
struct collector_far_file;

enum collector_engine {
	COLLECTOR_AUTO, /* the kernel engine, or where that is refused the runtime engine */
	COLLECTOR_KERNEL,
	COLLECTOR_RUNTIME,
};

struct collector_options {
	enum collector_engine engine;
	const char *runtime_library; /* liblever-runtime.so; NULL: there is no runtime engine */
	uint64_t period_ns; /* 0: the shortest that takes COLLECTOR_OVERHEAD_AIM of a core */
	bool counts_waits;  /* time off CPU belongs to the code that waits */
	const struct collector_hosts *hosts; /* collector_hosts.h; NULL: this host only */
	const struct collector_group *group; /* likewise */
	bool verbose; /* libbpf writes its warnings and the verifier's log to stderr */
};
#define COLLECTOR_OVERHEAD_AIM 0.02
#define COLLECTOR_OVERHEAD_MOST 0.15

struct collector_facts {
	uint64_t period_ns;
	uint64_t shortest_period_ns; /* takes COLLECTOR_OVERHEAD_MOST; period_ns if that is given */
	uint64_t tick_ns;            /* what one sampling interrupt takes (measured at start) */
	double interrupt_share;      /* tick_ns / period_ns */
	unsigned cpus;
};

/* Cumulative counters, all cores. */
struct collector_counters {
	uint64_t time_ns, delay_ns; /* now, G */
	uint64_t samples, sampled_ns, target_samples, target_ns;
	uint64_t waited_ns, cpu_ns; /* off CPU: a part of sampled_ns; exact, with clients */
	uint64_t hand_overs, timed_waits, short_naps, short_naps_ns; /* as in kernel_cpu */
	struct delay_spin_repeats spin_repeats;
	uint64_t lost, lost_events, capped, displaced_ns, unwound_badly, failed_lookups;
	uint64_t dropped_points, untracked_tasks, crowded_ns, unused_ns; /* as in recording_run */
	uint64_t ticks, spins, spun_ns, overshoot_ns, longest_spin_ns;
	uint64_t tick_spins, wake_spins, switch_spins;
	uint64_t missed_heartbeats; /* times when pausing may have stopped */
};

/* One point in one window; no visits if fewer than two fell into it. */
struct collector_visits {
	uint64_t visits, duration_ns, delay_ns;
};

struct collector_handler {
	void *context;
	void (*sample)(void *context, const struct wire_sample *sample);
	void (*object)(void *context, const struct kernel_object_event *event);
	/* A Python code object, in `bytes`; may be NULL. */
	void (*python_code)(void *context, const struct wire_python_code *code, size_t bytes);
	void (*process)(void *context, const struct kernel_process_event *event);
	void (*callers)(void *context, const struct kernel_callers *callers);   /* may be NULL */
	void (*name)(void *context, const struct kernel_name_event *event);     /* may be NULL */
	void (*far_file)(void *context, const struct collector_far_file *file); /* may be NULL */
};

int collector_open(const struct collector_options *options, struct collector **collector,
		   struct error *error);
void collector_close(struct collector *collector);
const char *collector_engine(const struct collector *collector); /* "kernel" or "runtime" */
/* -ENOTSUP if this engine cannot profile the executable. */
int collector_check_program(const struct collector *collector, const char *path,
			    struct error *error);
/* Further NAME=VALUE entries that the program must be started with, ended by NULL. Borrowed. */
const char *const *collector_environment(const struct collector *collector);
/* The engine's own warnings, a line each; to be freed; NULL: none. */
char *collector_note(const struct collector *collector);
const struct collector_facts *collector_facts(const struct collector *collector);

/* Points. `index` is the point's number in this collector. */
int collector_add_point_uprobe(struct collector *collector, const char *name,
			       const struct collector_code *code, unsigned *index,
			       struct error *error);
int collector_add_point_tracepoint(struct collector *collector, const char *category,
				   const char *tracepoint, const char *name, unsigned *index,
				   struct error *error);
int collector_add_point_sampled(struct collector *collector, const char *name, unsigned *index,
				struct error *error);
unsigned collector_point_count(const struct collector *collector);
const struct wire_point *collector_point(const struct collector *collector, unsigned index);
/* For each process that has visited the point; the runtime engine knows none. */
void collector_each_visiting_process(const struct collector *collector, unsigned index,
				     void (*found)(void *context, pid_t pid, const char *command,
						   uint64_t visits),
				     void *context);
/* Latency pairs to integrate over windows. */
int collector_set_pairs(struct collector *collector, unsigned (*pairs)[2], unsigned count);
/* Over the window closed last: the time average of (begun - ended) of a pair, and its spans. */
double collector_pair_average(const struct collector *collector, unsigned pair);
struct collector_lengths {
	const struct wire_span_lengths *measured; /* NULL: the engine measures none */
	uint64_t ended;      /* in all, those too short to be measured included */
	uint64_t settled_ns; /* from collector_clear_debts to when the window opened */
	uint64_t window_ns;
};
struct collector_lengths collector_pair_lengths(const struct collector *collector, unsigned pair);

/* The program: the task of `pidfd`, and the threads and children that it makes later. */
int collector_add_task(struct collector *collector, int pidfd, struct error *error);
/* A process that runs already, with all its threads, unless it is followed. -ESRCH: it has gone. */
int collector_add_process(struct collector *collector, pid_t pid, struct error *error);
/* From now on every process is the program's but those excluded, which never are. */
void collector_follow_all(struct collector *collector);
int collector_exclude_process(struct collector *collector, pid_t pid, struct error *error);
/*
 * Whether processes with this name (comm) are the program's; the first decision stands. Other names
 * are; after collector_announce_names they are announced, and are not until it is decided.
 */
int collector_filter_name(struct collector *collector, const char *name, bool is_wanted);
void collector_announce_names(struct collector *collector);
/* What may be the target besides the program's code; set once, before collector_start. */
struct collector_target_kinds {
	bool kernel;      /* kernel code (WIRE_OBJECT_KERNEL); samples in it are kernel_chains */
	bool spans;       /* open spans of lever.h (WIRE_OBJECT_SPANS); samples have theirs */
	bool callers;     /* ranges of WIRE_TARGET_INCLUSIVE; one of some samples has callers */
	bool calls;       /* system calls (WIRE_OBJECT_SYSTEM_CALLS); samples have theirs */
	uint32_t classes; /* waits of these (WAIT_CLASS_BIT) */
	bool classes_of_code; /* those of the target's code only */
};
/* -ENOTSUP if the engine cannot. */
int collector_enable(struct collector *collector, const struct collector_target_kinds *target_kinds,
		     struct error *error);
void collector_start(struct collector *collector);

/* Code. Ranges sorted by (object, start); more than WIRE_RANGES_MOST: -E2BIG, nothing changes. */
int collector_set_target(struct collector *collector, const struct collector_target *target);
/* Other ranges of the target that was set last, at its levels; the speedup goes on. */
int collector_move_target(struct collector *collector, const struct wire_range *, size_t count);
int collector_set_scope(struct collector *collector, const struct wire_range *ranges, size_t count);
int collector_set_spins(struct collector *collector, const struct wire_range *, size_t count);
int collector_set_sampled(struct collector *collector, const struct wire_range *, size_t count);
int collector_name_object(struct collector *collector, const struct wire_file *file,
			  uint32_t object);
void collector_describe_object(struct collector *collector, uint32_t object, const char *path,
			       const char *build_id);
/* How to unwind the object's frames (x86-64); -E2BIG: too many rows in all objects. */
int collector_set_unwind(struct collector *collector, uint32_t object,
			 const struct wire_unwind_row *rows, size_t count);
/* Its frames are read from now on; -E2BIG: too many interpreters; -ENOTSUP: not by this engine. */
int collector_set_python(struct collector *collector, uint32_t object,
			 const struct wire_python *python);

/* Experiments. */
/* 0..1; at 0 nothing pauses, but for what stands. */
void collector_set_speedup(struct collector *collector, double speedup);
/* Of all that is not the program's: devices, timers, clients. One of the two is above 0 at most. */
void collector_speed_up_external(struct collector *collector, double speedup);
/* What tasks owe from earlier windows is forgiven. */
void collector_clear_debts(struct collector *collector);
/* From now on; drawn anew for each window: docs/decisions.md, "Sampling periods are drawn". */
void collector_set_period(struct collector *collector, uint64_t period_ns);
/* Whether what a tick takes counts as a pause of its core, so that effective time is free of it. */
void collector_charge_ticks(struct collector *collector, bool are_charged);
void collector_window_open(struct collector *collector);
void collector_window_close(struct collector *collector);
struct collector_visits collector_window_visits(const struct collector *collector, unsigned point);
bool collector_sees_open_windows(const struct collector *collector); /* those so far */
void collector_disarm(struct collector *collector);                  /* no more pauses, for good */
bool collector_samples_when_disarmed(const struct collector *collector); /* after that, too */
/* With one of so many samples its callers, too, before it; each takes a stack walk. 0: none. */
void collector_want_callers(struct collector *collector, unsigned one_of);
/* Counts calls of COLLECTOR_CALLS_MOST places (call_counts.h) at most, all at once. */
void collector_count_calls(struct collector *collector, struct collector_calls *counted,
			   size_t count, const struct collector_slices *slices);

void collector_counters(struct collector *collector, struct collector_counters *counters);
void collector_heartbeat(struct collector *collector);
/* Hands on everything that has arrived; returns how much. */
int collector_drain(struct collector *collector, const struct collector_handler *handler);
int collector_descriptor(const struct collector *collector); /* readable: not only samples came */
