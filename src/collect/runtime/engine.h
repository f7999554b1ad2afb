/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * engine - the runtime engine's state, for the files of collect/runtime.
 *
 * Profiling without rights: a library in the program (src/runtime) samples, pauses and counts. This
 * side writes settings into a shared page (wire/runtime.h), and reads samples and counters from it.
 */
#pragma once

#include "base/memory.h"
#include "collect/engine.h"
#include "collect/process/maps.h"
#include "wire/runtime.h"

/* What is known of an entry in the page. */
struct runtime_process_state {
	uint32_t pid; /* 0: none */
	int pidfd;    /* -1: could not be opened */
	bool has_ended;
	uint64_t mapped_ns;   /* when its mappings were read last */
	unsigned code_points; /* how many of the engine's code points were published to it */
};

struct runtime_file {
	struct wire_file file;
	uint32_t object; /* WIRE_OBJECT_UNKNOWN: was announced, but could not be opened */
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
	struct collector collector; /* first */
	struct runtime_page *page;
	int memory; /* the page's memfd */
	int timer;  /* becomes readable when the page is to be polled */
	uint32_t main_pid;
	ARRAY(struct runtime_file) files;
	struct runtime_process_state states[RUNTIME_PROCESSES_MOST];
	bool has_seen_main, has_seen_timers;
	bool is_fallback;      /* the kernel engine was refused */
	bool has_cut_mappings; /* a process has more than fit into its entry */
	uint64_t refused;      /* errno with which the program was refused perf events */
	uint64_t started_ns, stalled_ns, lost_records;
	struct runtime_code_point code_points[RUNTIME_BREAKPOINTS_MOST];
	unsigned code_point_count;
	uint64_t visit_ns; /* what a visit of such a point costs here */
	char *preload, *variable;
	const char *environment[3];
};

static inline struct runtime_engine *runtime_of(const struct collector *collector)
{
	return (struct runtime_engine *)(uintptr_t)collector;
}

/* points.c: points that are not in the program's own page. */
int runtime_add_point_code(struct collector *collector, const char *name,
			   const struct collector_code *code, unsigned *index, struct error *error);
int runtime_add_point_tracepoint(struct collector *collector, const char *category,
				 const char *tracepoint, const char *name, unsigned *index,
				 struct error *error);
void runtime_count_calls(struct collector *collector, struct collector_calls *counted, size_t count,
			 const struct collector_slices *slices);
/* A warning about visits that were not counted or cost much; to be freed; NULL: none. */
char *runtime_points_warning(const struct runtime_engine *runtime);

/* code_points.c. There must be room for one more. */
int runtime_code_points_add(struct runtime_engine *runtime, const struct collector_code *code,
			    unsigned point);
void runtime_code_points_remove_last(struct runtime_engine *runtime);
/* Sets the addresses of those code points (or of their semaphores) that lie in this mapping. */
void runtime_code_points_resolve(const struct runtime_engine *runtime, const struct maps_line *line,
				 struct runtime_breakpoint *breakpoints);

/* clock.c: what a tick costs and how often to sample; fills in facts. */
void runtime_clock_choose(struct runtime_engine *runtime, uint64_t period_ns);

/* processes.c: new and ended processes, and the mappings of those that ask. */
void runtime_processes_poll(struct runtime_engine *runtime,
			    const struct collector_handler *handler);
/* Entries that have ever been taken; those above are empty. */
unsigned runtime_processes_used(const struct runtime_engine *runtime);
/* Tells all processes where the engine's code points are in them. */
void runtime_processes_publish(struct runtime_engine *runtime);
void runtime_processes_close(struct runtime_engine *runtime);
/* NULL: the file is not known. */
struct runtime_file *runtime_file_of(struct runtime_engine *runtime, const struct wire_file *file);

/* preload_check.c: 0, or -ENOTSUP with the reason why no library can work in this program. */
int runtime_preload_check(const char *path, struct error *error);

/* samples.c: hands on the samples that have arrived; returns how many. */
int runtime_samples_read(struct runtime_engine *runtime, const struct collector_handler *handler);

/* windows.c */
void runtime_sum_pairs(const struct collector *collector, uint64_t sums[WIRE_PAIRS_MOST],
		       uint64_t *weight_ns);
struct collector_visits runtime_window_visits(const struct collector *collector, unsigned index);
