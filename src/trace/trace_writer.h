/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trace_writer - what a trace brings in, track by track, packed and written to the profile.
 *
 * Events stay as bytes that grow by some four for each, and become a chunk of the file when a track
 * has many, or every second. With `keep_ns` chunks stay in memory instead, and the old ones go: the
 * last stretch is written at the end.
 */
#pragma once

#include "collect/trace/annotation_reader.h"
#include "collect/trace/tracer.h"
#include "profile/profile.h"

struct trace_writer;

struct trace_writer_totals {
	uint64_t switches, wakes, marks, interrupts, tasks;
	uint64_t discarded; /* events older than keep_ns */
	uint64_t packed_bytes;
};

/* `keep_ns` 0: all is written as it comes. The trace_writer borrows both. */
struct trace_writer *trace_writer_new(struct profile *profile, int64_t run_id, uint64_t keep_ns,
				      const struct annotation_reader *annotations);
void trace_writer_free(struct trace_writer *writer);

/* For tracer_handler and annotation_handler; the context is the trace_writer. */
void trace_writer_on_scheduler(void *writer, unsigned cpu, const struct scheduler_event *events,
			       size_t count);
void trace_writer_on_task(void *writer, const struct scheduler_task_event *event);
void trace_writer_on_interrupt(void *writer, const struct scheduler_interrupt_event *event);
void trace_writer_on_marks(void *writer, const struct annotation_batch *batch);
/* What a thread wrote to a trace_marker. */
void trace_writer_on_text(void *writer, const struct scheduler_text_event *event);
/* A thread passed a probe. */
void trace_writer_on_probe(struct trace_writer *writer, const struct scheduler_probe_event *event,
			   enum mark_kind kind, const char *name);

/* Tells the name of a task that has not said it itself, as /proc has it now. */
void trace_writer_name_task(struct trace_writer *writer, unsigned pid, unsigned tid);
/* Records lost on this core so far. */
void trace_writer_set_lost(struct trace_writer *writer, unsigned cpu, uint64_t lost);

/* Packs tracks that have many events, or `all`, and writes them unless they are kept. */
int trace_writer_write(struct trace_writer *writer, bool all, struct error *error);
/* At the end: everything that is left. */
int trace_writer_finish(struct trace_writer *writer, struct error *error);
const struct trace_writer_totals *trace_writer_totals(const struct trace_writer *writer);
