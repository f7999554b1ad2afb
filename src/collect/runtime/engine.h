/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * runtime_engine - profiling without rights: a library in the program samples, pauses and counts
 * (runtime/), and this side of a shared page tells it what and reads what came of it.
 *
 * Here the state that its few files (runtime_*.c) share, and nobody else.
 */
#pragma once

#include "base/memory.h"
#include "collect/bpf/loader.h"
#include "collect/engine.h"
#include "wire/runtime.h"

/* What is known of an entry in the page. */
struct runtime_process_state {
	uint32_t pid; /* 0: none */
	int pidfd;    /* -1: could not be opened */
	bool has_ended;
	uint64_t mapped_ns;   /* its mappings were last read */
	unsigned code_points; /* of the engine's code_points, those that it has been told */
};

struct runtime_file {
	struct wire_file file;
	uint32_t object; /* WIRE_OBJECT_UNKNOWN: was announced, nobody could open it */
	uint64_t announced_ns;
};

/* Code at which visits of a point are counted by breakpoints. */
struct runtime_code_point {
	char *path;
	struct wire_file file;
	uint64_t offset, semaphore_offset; /* in the file; 0: no semaphore */
	uint32_t point;
};

struct runtime_engine {
	struct engine_collector engine; /* first: collector.c takes it for that */
	struct runtime_page *page;
	int memory; /* the page's memfd */
	int timer;  /* becomes readable when it is time to mapped_code into the page */
	uint32_t main_pid;
	struct collector_facts facts;
	uint32_t tick_rest_ns; /* of a tick, what is not in the library's handler */
	struct unwind_table unwind;
	ARRAY(struct runtime_file) files;
	struct runtime_process_state states[RUNTIME_PROCESSES_MOST];
	bool has_seen_main, has_seen_timers;
	uint64_t refused; /* errno with which the program was refused perf events */
	uint64_t started_ns, stalled_ns, lost_records;
	uint64_t missed_heartbeats, windows, window;
	unsigned engine_points;
	struct runtime_code_point code_points[RUNTIME_BREAKPOINTS_MOST];
	unsigned code_point_count;
	uint64_t visit_ns; /* what a visit of such a place costs here */
	double pair_averages[WIRE_PAIRS_MOST];
	uint64_t pair_start_ns[WIRE_PAIRS_MOST], pair_weight_start_ns;
	char *preload, *variable, *why;
	const char *environment[3];
};

/* `refused`: why the kernel engine was not taken, or NULL if it was not wanted. */
int runtime_engine_open(const struct collector_options *options, const struct error *refused,
			struct collector **collector, struct error *error);

/* runtime_points.c: the part of the engine's table that is about points. */
int runtime_add_point_code(struct collector *collector, const char *name, const char *path,
			   uint64_t offset, uint64_t semaphore_offset, unsigned *index,
			   struct error *error);
int runtime_add_point_tracepoint(struct collector *collector, const char *category,
				 const char *tracepoint, const char *name, unsigned *index,
				 struct error *error);
int runtime_add_point_sampled(struct collector *collector, const char *name, unsigned *index,
			      struct error *error);
unsigned runtime_point_count(const struct collector *collector);
const struct wire_point *runtime_point(const struct collector *collector, unsigned index);
int runtime_set_pairs(struct collector *collector, unsigned (*pairs)[2], unsigned count);
double runtime_pair_average(const struct collector *collector, unsigned pair);
int runtime_count_calls(struct collector *collector, const char *path, uint64_t offset,
			uint64_t slice_ns, uint64_t *calls, unsigned slices, uint64_t most);
/* What was found wanting; to be freed; NULL: nothing. */
char *runtime_points_note(const struct runtime_engine *runtime);
void runtime_points_close(struct runtime_engine *runtime);
/* A piece of a file is mapped: is one of the code_points (or its semaphore) in it? */
void runtime_points_resolve(const struct runtime_engine *runtime, const struct wire_file *file,
			    const char *path, const struct runtime_mapping *mapping, bool is_code,
			    struct runtime_breakpoint *breakpoints);

/* What a tick costs and how often to sample: fills in facts. */
void runtime_clock_choose(struct runtime_engine *runtime, uint64_t period_ns);
void runtime_charge_ticks(struct collector *collector, bool are_charged);

/* New and ended processes, and the mappings of those that ask. */
void runtime_processes_poll(struct runtime_engine *runtime,
			    const struct collector_handler *handler);
/* Entries that have ever been taken: those above need not be looked at. */
unsigned runtime_processes_used(const struct runtime_engine *runtime);
/* Tells all processes where the engine's code_points are in them, now. */
void runtime_processes_publish(struct runtime_engine *runtime);
void runtime_processes_close(struct runtime_engine *runtime);
/* The object of a file; NULL: not known. */
struct runtime_file *runtime_file_of(struct runtime_engine *runtime, const struct wire_file *file);

/* 0, or -ENOTSUP with the reason why no library can be of use in this program. */
int runtime_preload_check(const char *path, struct error *error);

/* Samples that have arrived; returns how many. */
int runtime_samples_read(struct runtime_engine *runtime, const struct collector_handler *handler);
