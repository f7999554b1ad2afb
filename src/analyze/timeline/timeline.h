/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * timeline - what threads did when, of the last run of a recording of `lever trace`: who ran where,
 * why it waited and who ended that, and its spans, one inside the other.
 *
 * States of threads are in memory; marks are unpacked thread by thread as timeline_walk goes over
 * them, since there may be many millions. Everything points into the recording, which must live as long.
 */
#pragma once

#include "profile/recording.h"

#define TIMELINE_TIDS (1u << 22) /* the greatest pid_max of Linux */

enum timeline_class {
	TIMELINE_RUNNING,
	TIMELINE_RUNNABLE, /* without a core */
	TIMELINE_IO,
	TIMELINE_LOCK,
	TIMELINE_OTHER, /* any other wait */
	TIMELINE_CLASSES,
};

/* A stretch of a thread's life. */
struct timeline_state {
	uint64_t start_ns, end_ns;
	enum timeline_class class;
	unsigned cpu;         /* running: where */
	unsigned system_call; /* of waits; SWITCH_NO_CALL: none */
	unsigned waker;       /* of waits: thread that ended it; 0 unknown, or idle */
	bool by_interrupt;    /* of waits: it was ended by an interrupt */
	bool is_preempted;    /* runnable: it lost its core */
};

struct timeline_thread {
	unsigned pid, tid; /* pid 0: not of the program */
	unsigned parent;   /* the thread that made it; 0 unknown */
	uint64_t exec_ns;  /* its first exec; 0: none */
	char *name;
	uint64_t start_ns, end_ns; /* within the timeline */
	bool has_ended;
	ARRAY(struct timeline_state) states;
	uint64_t class_ns[TIMELINE_CLASSES];
	uint64_t migrations;
	uint64_t marks, lost; /* marks recorded, and dropped */
	ARRAY(const struct recording_chunk *) chunks;
};

struct timeline_core {
	unsigned cpu;
	uint64_t busy_ns;             /* with threads of the program */
	uint64_t entries, migrations; /* times one of them came, and came from another core */
	uint64_t lost;                /* events */
};

struct timeline {
	const struct recording *recording;
	const struct recording_run *run; /* NULL: there is none */
	uint64_t start_ns, end_ns;       /* first and last event */
	bool has_scheduler;
	ARRAY(struct timeline_thread)
	threads; /* those of the program first, in order of appearance */
	ARRAY(struct timeline_core) cores;
	const char **names; /* by number; NULL where unknown */
	size_t name_count;
	bool *ends_elsewhere; /* names whose spans end in other threads: those have no depth */
	bool *is_wait;        /* names that say that they wait: barriers that spin are no work */
	unsigned *by_tid;     /* 1 + index of the last thread with this id */
	uint64_t damaged_chunks;
	size_t other_runs; /* timelines in the recording that are not shown */
};

struct timeline *timeline_new(const struct recording *recording);
/* Of any run that has a log, whatever its kind. */
struct timeline *timeline_of_run(const struct recording *recording,
				 const struct recording_run *run);
void timeline_free(struct timeline *timeline);

/* "?" where unknown. */
const char *timeline_name(const struct timeline *timeline, uint64_t number);
const char *timeline_call(const struct timeline *timeline, unsigned system_call);
/* The last thread with this id, or NULL. */
const struct timeline_thread *timeline_thread_of(const struct timeline *timeline, unsigned tid);
const char *timeline_class_name(
	enum timeline_class class); /* "running", "runnable", "I", "L", "B" */

struct timeline_span {
	uint64_t start_ns, end_ns;
	unsigned name_id, depth;
	uint64_t value;
	bool has_value, is_text;
	bool is_cut;      /* it has no end of its own */
	uint64_t self_ns; /* without the spans in it */
	uint64_t spun_ns; /* on CPU in spans within that only wait, by their name (is_wait) */
	uint64_t class_ns[TIMELINE_CLASSES];
};

/* Each may be NULL. Called in order of time. */
struct timeline_visitor {
	void *context;
	void (*begin)(void *context, const struct timeline_span *span); /* no end, no sums yet */
	void (*end)(void *context, const struct timeline_span *span);
	/* Each mark that ends a span: did the thread have an open span of that name? */
	void (*end_mark)(void *context, unsigned name_id, bool has_begin);
	void (*mark)(void *context, const struct mark *mark); /* all but begins and ends of spans */
	/* A wait, and the name of the innermost span then, or 0. */
	void (*wait)(void *context, const struct timeline_state *wait, unsigned name_id);
};

/* Visits the marks and waits of one thread. Returns the number of chunks that cannot be read. */
size_t timeline_walk(const struct timeline *timeline, const struct timeline_thread *thread,
		     const struct timeline_visitor *visitor);
