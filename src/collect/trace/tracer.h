/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tracer - the scheduler log of a program, by BPF: switches, wake-ups, threads (wire/scheduler.h).
 *
 * Life: tracer_open (everything is attached, nothing is logged), tracer_add_process, tracer_start,
 * tracer_drain every 20 ms or so, tracer_stop, tracer_close. Switches and wake-ups come in batches
 * of one core, sorted by time within the core only. One thread uses it.
 */
#pragma once

#include "base/error.h"
#include "collect/bpf/uprobe.h"
#include "wire/scheduler.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct tracer;
struct recording_overhead;

struct tracer_options {
	bool is_system_wide;
	bool wants_interrupts;
	bool wants_texts;    /* what is written to trace_marker */
	bool wants_messages; /* over TCP between hosts; where the kernel tells them */
	bool verbose;
};

struct tracer_counters {
	uint64_t lost;        /* switches and wake-ups that found their ring full */
	uint64_t lost_events; /* rarer events that found theirs full */
};

/* Each may be NULL. Events are valid during the call only. */
struct tracer_handler {
	void *context;
	void (*scheduler)(void *context, unsigned cpu, const struct scheduler_event *events,
			  size_t count);
	void (*task)(void *context, const struct scheduler_task_event *event);
	void (*interrupt)(void *context, const struct scheduler_interrupt_event *event);
	void (*text)(void *context, const struct scheduler_text_event *event);
	void (*probe)(void *context, const struct scheduler_probe_event *event);
	void (*message)(void *context, const struct scheduler_message_event *event);
};

int tracer_open(const struct tracer_options *options, struct tracer **tracer, struct error *error);
void tracer_close(struct tracer *tracer);

/* Logs the process and its later children. */
void tracer_add_process(struct tracer *tracer, pid_t pid);
/* An event each time the code at the offset runs; at most TRACER_PROBES_MOST probes. */
#define TRACER_PROBES_MOST 256
int tracer_add_probe(struct tracer *tracer, unsigned probe, const struct bpf_uprobe_place *place,
		     const char *path, struct error *error); /* `path`: for messages */
/* Messages are wanted, and the kernel tells them. */
bool tracer_has_messages(const struct tracer *tracer);
void tracer_start(struct tracer *tracer);
void tracer_stop(struct tracer *tracer);
void tracer_drain(struct tracer *tracer, const struct tracer_handler *handler);
void tracer_counters(const struct tracer *tracer, struct tracer_counters *counters);
/* Records lost on this core so far. */
uint64_t tracer_lost_on(const struct tracer *tracer, unsigned cpu);
/* After tracer_stop, once: the overhead of the log, not of the program's annotations. */
void tracer_overhead(struct tracer *tracer, struct recording_overhead *row);
