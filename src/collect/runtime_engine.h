/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * runtime_engine - profiling without rights: a library in the program samples, pauses and counts
 * (runtime/), and this side of a shared page tells it what and reads what came of it.
 *
 * Here the state that its few files (runtime_*.c) share, and nobody else.
 */
#pragma once

#include "base/memory.h"
#include "collect/bpf_side.h"
#include "collect/engine.h"
#include "wire/runtime.h"

/* What is known of an entry in the page. */
struct runtime_seen {
	uint32_t pid; /* 0: none */
	int pidfd;    /* -1: could not be opened */
	bool has_ended;
	uint64_t mapped_ns; /* its mappings were last read */
};

struct runtime_file {
	struct kernel_file file;
	uint32_t object; /* KERNEL_OBJECT_UNKNOWN: was announced, nobody could open it */
	uint64_t announced_ns;
};

struct runtime_engine {
	struct engine_collector engine; /* first: collector.c takes it for that */
	struct runtime_page *page;
	int memory; /* the page's memfd */
	int timer;  /* becomes readable when it is time to look into the page */
	uint32_t main_pid;
	struct collector_facts facts;
	struct unwind_table unwind;
	ARRAY(struct runtime_file) files;
	struct runtime_seen seen[RUNTIME_PROCESSES_MOST];
	bool has_met_main, has_met_timers;
	uint64_t refused; /* errno with which the program was refused perf events */
	uint64_t started_ns, stalled_ns, lost_records;
	uint64_t missed_heartbeats, windows, window;
	unsigned engine_points;
	double pair_averages[KERNEL_PAIRS_MOST];
	int64_t pair_start_ns[KERNEL_PAIRS_MOST], pair_weight_start_ns;
	char *preload, *variable, *why;
	const char *environment[3];
};

/* `refused`: why the kernel engine was not taken, or NULL if it was not wanted. */
int runtime_engine_open(const struct collector_options *options, const struct error *refused,
			struct collector **collector, struct error *error);

/* What a tick costs and how often to sample: fills in facts. */
void runtime_clock_choose(struct runtime_engine *runtime, uint64_t period_ns);

/* New and ended processes, and the mappings of those that ask. */
void runtime_processes_look(struct runtime_engine *runtime,
			    const struct collector_handler *handler);
void runtime_processes_close(struct runtime_engine *runtime);
/* The object of a file; NULL: not known. */
struct runtime_file *runtime_file_of(struct runtime_engine *runtime,
				     const struct kernel_file *file);

/* 0, or -ENOTSUP with the reason why no library can be of use in this program. */
int runtime_program_check(const char *path, struct error *error);

/* Samples that have arrived; returns how many. */
int runtime_samples_read(struct runtime_engine *runtime, const struct collector_handler *handler);
