/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trace_writer - the events of a trace, packed track by track and written to the profile.
 *
 * An event takes about four bytes. A track becomes a chunk of the file when it has many events, and
 * every second. With `keep_ns` chunks stay in memory, old ones are discarded, and the others are
 * written at the end.
 */
#pragma once

#include "collect/trace/annotation_reader.h"
#include "collect/trace/tracer.h"
#include "profile/profile.h"

struct trace_writer;

struct trace_writer_totals {
	uint64_t switches, wakes, marks, interrupts, tasks;
	uint64_t discarded;   /* events older than keep_ns */
	uint64_t other_names; /* marks without a name of their own: mark_names.h */
};

/* `keep_ns` 0: chunks are written at once. Borrows `profile` and `annotations`. */
struct trace_writer *trace_writer_new(struct profile *profile, int64_t run_id, uint64_t keep_ns,
				      const struct annotation_reader *annotations);
void trace_writer_free(struct trace_writer *writer);

/* For tracer_handler and annotation_handler; their context is the writer. */
void trace_writer_on_scheduler(void *writer, unsigned cpu, const struct scheduler_event *events,
			       size_t count);
void trace_writer_on_task(void *writer, const struct scheduler_task_event *event);
void trace_writer_on_interrupt(void *writer, const struct scheduler_interrupt_event *event);
void trace_writer_on_message(void *writer, const struct scheduler_message_event *event);
void trace_writer_on_marks(void *writer, const struct annotation_batch *batch);
/* A text that a thread wrote to trace_marker. */
void trace_writer_on_text(void *writer, const struct scheduler_text_event *event);
/* A thread passed a probe. */
void trace_writer_on_probe(struct trace_writer *writer, const struct scheduler_probe_event *event,
			   enum mark_kind kind, const char *name);

/* Adds the name of a task from /proc, unless it is known. */
void trace_writer_name_task(struct trace_writer *writer, unsigned pid, unsigned tid);
/* The number of events lost on this core so far. */
void trace_writer_set_lost(struct trace_writer *writer, unsigned cpu, uint64_t lost);

/* Makes chunks of tracks with many events, or of `all`, and writes them unless they are kept. */
int trace_writer_write(struct trace_writer *writer, bool all, struct error *error);
/* Writes what is left, at the end. */
int trace_writer_finish(struct trace_writer *writer, struct error *error);
const struct trace_writer_totals *trace_writer_totals(const struct trace_writer *writer);
