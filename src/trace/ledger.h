/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ledger - what a trace brings in, track by track, packed and written to the profile.
 *
 * Events stay as bytes that grow by some four for each, and become a chunk of the file when a track
 * has many, or every second. With `keep_ns` chunks stay in memory instead, and the old ones go: the
 * last stretch is written at the end.
 */
#pragma once

#include "collect/annotations.h"
#include "collect/tracer.h"
#include "profile/profile.h"

struct ledger;

struct ledger_sums {
	uint64_t switches, wakes, marks, interrupts, tasks;
	uint64_t forgotten; /* events older than keep_ns */
	uint64_t packed_bytes;
};

/* `keep_ns` 0: all is written as it comes. The ledger borrows both. */
struct ledger *ledger_new(struct profile *profile, int64_t run_id, uint64_t keep_ns,
			  const struct annotations_reader *annotations);
void ledger_free(struct ledger *ledger);

/* For tracer_handler and annotations_handler; the context is the ledger. */
void ledger_on_scheduler(void *ledger, unsigned cpu, const struct scheduler_event *events,
			 size_t count);
void ledger_on_task(void *ledger, const struct scheduler_task_event *event);
void ledger_on_interrupt(void *ledger, const struct scheduler_interrupt_event *event);
void ledger_on_marks(void *ledger, const struct annotations_batch *batch);
/* What a thread wrote to a trace_marker. */
void ledger_on_text(void *ledger, const struct scheduler_text_event *event);
/* A thread passed a probe. */
void ledger_on_probe(struct ledger *ledger, const struct scheduler_probe_event *event,
		     enum mark_kind kind, const char *name);

/* Tells the name of a task that has not said it itself, as /proc has it now. */
void ledger_name_task(struct ledger *ledger, unsigned pid, unsigned tid);
/* Records lost on this core so far. */
void ledger_set_lost(struct ledger *ledger, unsigned cpu, uint64_t lost);

/* Packs tracks that have many events, or `all`, and writes them unless they are kept. */
int ledger_write(struct ledger *ledger, bool all, struct error *error);
/* At the end: everything that is left. */
int ledger_finish(struct ledger *ledger, struct error *error);
const struct ledger_sums *ledger_sums(const struct ledger *ledger);
