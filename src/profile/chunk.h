/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * chunk - events of a timeline, encoded in few bytes for the table chunk.
 *
 * Writing: one chunk_writer per track (a core's scheduler log, a thread's marks); events are added
 * in the order in which they happened; chunk_writer_take returns the bytes of all events since the
 * last call. Reading: chunk_open, then one of chunk_next_* until it returns false. Reading is safe
 * for any bytes, since they come from a file.
 *
 * docs/profile-format.md describes the encoding.
 */
#pragma once

#include "base/memory.h"

#include <stdbool.h>
#include <stdint.h>

enum chunk_kind { CHUNK_SCHEDULER, CHUNK_TASKS, CHUNK_INTERRUPTS, CHUNK_MARKS };

enum switch_kind { SWITCH_SWITCH = 1, SWITCH_WAKE = 2 };
#define SWITCH_TID_OURS 1u
#define SWITCH_OTHER_OURS 2u
#define SWITCH_PREEMPTED 4u
#define SWITCH_IO_WAIT 8u
#define SWITCH_INTERRUPT 16u
#define SWITCH_OTHER_KERNEL 32u
#define SWITCH_NO_CALL 0xffff

/* As struct scheduler_event of wire/scheduler.h. */
struct switch_event {
	uint64_t time_ns;
	unsigned tid, other;
	unsigned system_call; /* SWITCH_NO_CALL: none */
	unsigned char kind, flags, state;
};

enum task_kind { TASK_FORK = 1, TASK_EXIT, TASK_EXEC, TASK_NAME };

struct task_event {
	uint64_t time_ns;
	unsigned kind; /* enum task_kind */
	unsigned tid, pid, parent;
	char name[16];
};

struct interrupt_event {
	uint64_t time_ns;
	unsigned cpu, tid;
	unsigned number; /* of a hard interrupt, or with one of the bits below */
	bool is_entry;
};
#define INTERRUPT_SOFT 0x80000000u
#define INTERRUPT_VECTOR 0x40000000u /* timer, reschedule, call, single call, work */

enum mark_kind {
	MARK_PROGRESS = 1,
	MARK_BEGIN,
	MARK_END,
	MARK_INSTANT,
	MARK_COUNTER,
	MARK_FLOW_OUT,
	MARK_FLOW_IN,
	MARK_THREAD_NAME,
	MARK_PROCESS_NAME,
};

struct mark {
	uint64_t time_ns;
	uint64_t value;     /* has_value: signed in a counter; is_text: a string's number, or 0 */
	unsigned name_id;   /* recording_string.number of the name */
	unsigned char kind; /* enum mark_kind */
	bool has_value, is_text;
};

struct chunk_writer {
	ARRAY(unsigned char) bytes;
	uint64_t start_ns, last_ns; /* of the first and the last event */
	uint64_t events;
};

void chunk_writer_add_switch(struct chunk_writer *chunk_writer, const struct switch_event *event);
void chunk_writer_add_task(struct chunk_writer *chunk_writer, const struct task_event *event);
void chunk_writer_add_interrupt(struct chunk_writer *chunk_writer,
				const struct interrupt_event *event);
void chunk_writer_add_mark(struct chunk_writer *chunk_writer, const struct mark *mark);
/* The bytes, deflated; the caller frees them. The writer is empty afterwards. */
unsigned char *chunk_writer_take(struct chunk_writer *chunk_writer, size_t *size);
void chunk_writer_release(struct chunk_writer *chunk_writer);

struct chunk_reader {
	unsigned char *bytes;
	size_t size, at;
	uint64_t last_ns;
	bool is_damaged; /* it ended within an event, or is not a chunk */
};

/* False if the bytes are not a chunk. */
bool chunk_open(struct chunk_reader *reader, const void *data, size_t size, uint64_t start_ns);
void chunk_close(struct chunk_reader *reader);
bool chunk_next_switch(struct chunk_reader *reader, struct switch_event *event);
bool chunk_next_task(struct chunk_reader *reader, struct task_event *event);
bool chunk_next_interrupt(struct chunk_reader *reader, struct interrupt_event *event);
bool chunk_next_mark(struct chunk_reader *reader, struct mark *mark);

/* ---- rows of runs of lever trace ---- */

/*
 * A name or text of marks, by its number in the marks. Numbers from RECORDING_STRING_SYSTEM_CALLS
 * on are names of system calls, from RECORDING_STRING_INTERRUPTS on names of hard interrupts.
 */
#define RECORDING_STRING_SYSTEM_CALLS 65536
#define RECORDING_STRING_INTERRUPTS 131072
#define RECORDING_STRING_INTERRUPTS_MOST 131072
struct recording_string {
	int64_t id, run_id;
	unsigned number;
	char *text;
};

struct recording_bytes {
	unsigned char *items;
	size_t count;
};

/* Of flows from host to host, over TCP: the value is of connection and position. */
#define CHUNK_MESSAGE_NAME "message to another host"

/* A thread's marks are on two tracks, each in its own order; times merge them. */
#define RECORDING_MARKS_PROGRAM 0u /* by lever.h */
#define RECORDING_MARKS_KERNEL 1u  /* by the BPF programs: trace_marker, static probes */

/* Events of one track in their order. A track's chunks follow each other by id. */
struct recording_chunk {
	int64_t id, run_id;
	enum chunk_kind kind;
	unsigned cpu;      /* CHUNK_SCHEDULER: its track; CHUNK_MARKS: RECORDING_MARKS_* */
	unsigned pid, tid; /* CHUNK_MARKS: their track */
	uint64_t start_ns, end_ns;
	uint64_t events, lost; /* lost: on this track, since the previous chunk */
	struct recording_bytes data;
};
