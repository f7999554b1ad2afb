/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kernel - the kernel engine's state, shared by its few files (kernel_*.c) and nobody else.
 */
#pragma once

#include "collect/bpf/clocks.h"
#include "collect/bpf/loader.h"
#include "collect/engine.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#pragma GCC diagnostic push /* made by bpftool */
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Woverlength-strings"
#include "lever.skel.h"
#pragma GCC diagnostic pop

#define KERNEL_LINKS_MOST 4096

struct collector {
	struct engine_collector engine; /* first: collector.c takes it for that */
	struct lever_bpf *bpf;
	struct ring_buffer *ring;
	const struct collector_handler *handler; /* while draining */
	struct collector_facts facts;
	struct clocks clocks;
	struct bpf_link *links[KERNEL_LINKS_MOST];
	size_t link_count;
	struct unwind_table unwind;
	unsigned engine_points;    /* made by the engine so far, for unique hashes */
	uint32_t tick_overhead_ns; /* beside the BPF program */
	bool has_own_period;       /* the user's: it stays */
	uint64_t missed_heartbeats;
	uint64_t windows;
	uint64_t window; /* the one closed last */
	double pair_averages[WIRE_PAIRS_MOST];
	int64_t pair_start_ns[WIRE_PAIRS_MOST], pair_weight_start_ns;
	uint64_t window_open_ns, window_ns;
	uint64_t pair_ended[WIRE_PAIRS_MOST]; /* until the window opened; then: in it */
	struct wire_span_lengths lengths[WIRE_PAIRS_MOST];
};

/* Attaches a program to CATEGORY:NAME on all cores; the caller owns the link. */
int kernel_tracepoint_attach(struct bpf_program *program, const char *category, const char *name,
			     uint64_t cookie, struct bpf_link **link, struct error *error);
int kernel_clock_open(struct collector *collector, uint64_t period_ns, struct error *error);
/* Measures what a tick costs and fills in facts; the clocks must be open. */
int kernel_clock_calibrate(struct collector *collector, struct error *error);

/* Of the table in engine.h, what is used or stands in several files. */
int kernel_engine_open(const struct collector_options *options, struct collector **collector,
		       struct error *error);
void kernel_heartbeat(struct collector *collector);
void kernel_disarm(struct collector *collector);
int kernel_add_point_uprobe(struct collector *collector, const char *name, const char *path,
			    uint64_t offset, uint64_t semaphore_offset, unsigned *index,
			    struct error *error);
int kernel_add_point_tracepoint(struct collector *collector, const char *category,
				const char *tracepoint, const char *name, unsigned *index,
				struct error *error);
int kernel_add_point_sampled(struct collector *collector, const char *name, unsigned *index,
			     struct error *error);
unsigned kernel_point_count(const struct collector *collector);
const struct wire_point *wire_point(const struct collector *collector, unsigned index);
void kernel_each_visiting_process(const struct collector *collector, unsigned index,
				  void (*found)(void *context, pid_t pid, const char *command,
						uint64_t visits),
				  void *context);
int kernel_set_pairs(struct collector *collector, unsigned (*pairs)[2], unsigned count);
int kernel_count_calls(struct collector *collector, const char *path, uint64_t offset,
		       uint64_t slice_ns, uint64_t *calls, unsigned slices, uint64_t most);
void kernel_set_period(struct collector *collector, uint64_t period_ns);
void kernel_charge_ticks(struct collector *collector, bool are_charged);
int kernel_add_task(struct collector *collector, int pidfd, struct error *error);
int kernel_add_process(struct collector *collector, pid_t pid, struct error *error);
int kernel_exclude_process(struct collector *collector, pid_t pid, struct error *error);
void kernel_follow_all(struct collector *collector);
int kernel_filter_name(struct collector *collector, const char *name, bool is_wanted);
void kernel_announce_names(struct collector *collector);
int kernel_enable(struct collector *collector, const struct collector_target_kinds *target_kinds,
		  struct error *error);
