/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rings - perf events of chosen threads and of their children, read without BPF.
 *
 * A thread gets a task-clock event on each core, which its children inherit; all events of a core
 * write to one ring. Besides samples there are records of context switches, mappings, names, forks
 * and exits, so a user without rights sees when his own threads are off CPU. Times are of
 * CLOCK_MONOTONIC.
 *
 * Life: perf_rings_open, perf_rings_add, perf_rings_enable, perf_rings_read, perf_rings_close.
 */
#pragma once

#include "base/error.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct perf_rings;

enum perf_chain { PERF_CHAIN_NONE, PERF_CHAIN_POINTERS, PERF_CHAIN_STACK };

/* -EPERM where perf events of the user's own threads are refused. */
int perf_rings_open(uint64_t period_ns, enum perf_chain chain, struct perf_rings **rings,
		    struct error *error);
void perf_rings_close(struct perf_rings *rings);
/* Whether samples fall into the kernel, too, and come with the kernel's chain. */
bool perf_rings_sample_kernel(const struct perf_rings *rings);
int perf_rings_add(struct perf_rings *rings, pid_t thread, struct error *error);
void perf_rings_enable(struct perf_rings *rings, bool enable);
int perf_rings_descriptor(const struct perf_rings *rings); /* readable when a ring fills */

/* One record; its pointers are valid during the visit. */
struct perf_record {
	uint32_t type; /* PERF_RECORD_* */
	uint16_t misc;
	uint32_t pid, tid;
	uint64_t time_ns;
	uint32_t parent_pid, parent_tid; /* fork */
	const char *text;                /* the name, or a mapping's path */
	uint64_t start, bytes, offset;   /* mapping; page offset in bytes */
	uint64_t inode;
	uint32_t device; /* as the kernel has it: major << 20 | minor */
	uint64_t lost;
	uint64_t ip;
	const uint64_t *chain; /* with PERF_CONTEXT_* marks */
	uint64_t chain_count;
	/* Of the user side; link: 0 where calls push the return address. */
	uint64_t registers_bp, registers_sp, registers_ip, registers_link;
	bool has_registers;
	const unsigned char *stack; /* from registers_sp on */
	uint64_t stack_bytes;
};

/* Visits all records so far in the order of their times. */
void perf_rings_read(struct perf_rings *rings,
		     void (*visit)(void *context, const struct perf_record *record), void *context);
