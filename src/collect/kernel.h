/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kernel - the kernel engine's state, shared by its few files (kernel_*.c) and nobody else.
 */
#pragma once

#include "collect/bpf_side.h"
#include "collect/clocks.h"
#include "collect/collector.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#pragma GCC diagnostic push /* made by bpftool */
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Woverlength-strings"
#include "lever.skel.h"
#pragma GCC diagnostic pop

#define KERNEL_LINKS_MOST 4096

struct collector {
	struct lever_bpf *bpf;
	struct ring_buffer *ring;
	const struct collector_handler *handler; /* while draining */
	struct collector_facts facts;
	struct clocks clocks;
	struct bpf_link *links[KERNEL_LINKS_MOST];
	size_t link_count;
	struct unwind_table unwind;
	unsigned engine_points; /* made by the engine so far, for unique hashes */
	uint32_t tick_cost_ns;  /* beside the BPF program */
	uint64_t missed_heartbeats;
	uint64_t windows;
	uint64_t window; /* the one closed last */
	double pair_averages[KERNEL_PAIRS_MOST];
	int64_t pair_start_ns[KERNEL_PAIRS_MOST], pair_weight_start_ns;
};

/* Attaches a program to CATEGORY:NAME on all cores; the caller owns the link. */
int kernel_tracepoint_attach(struct bpf_program *program, const char *category, const char *name,
			     uint64_t cookie, struct bpf_link **link, struct error *error);
int kernel_clock_open(struct collector *collector, uint64_t period_ns, struct error *error);
/* Measures what a tick costs and fills in facts; the clocks must be open. */
int kernel_clock_calibrate(struct collector *collector, struct error *error);
