/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * timeline - what threads did when, in the last run of `lever trace`: where they ran, why they
 * waited and what woke them, and their nested spans.
 *
 * States of threads are in memory. There may be many millions of marks: timeline_walk unpacks them
 * thread by thread. Everything points into the recording, which must live as long.
 */
#pragma once

#include "base/hash_map.h"
#include "profile/recording.h"

#define TIMELINE_TIDS (1u << 22) /* the greatest pid_max of Linux */
#define TIMELINE_HOSTS_MOST (1u << 10)

enum timeline_class {
	TIMELINE_RUNNING,
	TIMELINE_RUNNABLE, /* without a core */
	TIMELINE_IO,
	TIMELINE_LOCK,
	TIMELINE_OTHER, /* any other wait */
	TIMELINE_CLASSES,
};

/* A thread's state over a time. */
struct timeline_state {
	uint64_t start_ns, end_ns;
	enum timeline_class class;
	unsigned cpu;         /* of running */
	unsigned system_call; /* of waits; SWITCH_NO_CALL: none */
	unsigned waker;       /* of waits: the thread that ended it; 0 unknown, or idle */
	bool by_interrupt;    /* of waits: an interrupt ended it */
	bool is_preempted;    /* of runnable: it lost its core */
};

struct timeline_thread {
	unsigned pid, tid; /* pid 0: of another program; of several hosts: see timeline_tid */
	unsigned parent;   /* thread that created it; 0 unknown */
	uint64_t exec_ns;  /* its first exec; 0: none */
	char *name;
	uint64_t start_ns, end_ns; /* within the timeline */
	bool has_ended;
	ARRAY(struct timeline_state) states;
	uint64_t class_ns[TIMELINE_CLASSES];
	uint64_t migrations;
	uint64_t marks, lost; /* recorded, and dropped */
	ARRAY(const struct recording_chunk *) chunks;
};

struct timeline_core {
	unsigned cpu;
	uint64_t busy_ns;             /* with threads of the program */
	uint64_t entries, migrations; /* switches to one of them, and of these from another core */
	uint64_t lost;                /* events */
};

/* One of several that recorded together; the first has the clock. */
struct timeline_host {
	const char *name;
	const struct recording_run *run;
	unsigned first_cpu;      /* its cores are numbered from there on */
	int64_t ahead_ns;        /* its clock, by the first's, in the middle of the recording */
	double drift;            /* of that */
	uint64_t uncertainty_ns; /* its times are that near to the truth */
	double busy_cores;       /* timeline_host_loads */
	size_t threads;
};

/* From a thread of one host to one of another, over TCP: what one receive took of one send. */
struct timeline_message {
	unsigned from, to; /* threads */
	uint64_t left_ns;  /* the send began */
	uint64_t came_ns;  /* the receive ended */
};

struct timeline {
	const struct recording *recording;
	struct recording *merged;          /* of several hosts; owned, and then the recording */
	const struct recording_run *run;   /* NULL: there is none */
	ARRAY(struct timeline_host) hosts; /* several, or none */
	ARRAY(struct timeline_message)
	messages;                   /* between hosts: by receiver, arrival and departure */
	uint64_t messages_left_out; /* ends, as there are more than MESSAGE_ENDS_MOST */
	double imbalance;           /* by how much the busiest is above the mean */
	uint64_t start_ns, end_ns;  /* first and last event */
	bool has_scheduler;
	ARRAY(struct timeline_thread)
	threads; /* those of the program first, in order of appearance */
	ARRAY(struct timeline_core) cores;
	const char **names; /* by number; NULL where unknown */
	size_t name_count;
	bool *ends_elsewhere;   /* names of spans that end in other threads; these have no depth */
	bool *is_wait;          /* names of waits: a barrier that spins does no work */
	struct hash_map by_tid; /* (id, 0): 1 + index of the last thread with it, or 0 */
	uint64_t damaged_chunks;
	size_t other_runs; /* earlier timelines in the recording, not shown */
};

struct timeline *timeline_new(const struct recording *recording);
/* Of one run with a log, of any kind. */
struct timeline *timeline_of_run(const struct recording *recording,
				 const struct recording_run *run);
void timeline_free(struct timeline *timeline);

/* "?" where unknown. */
const char *timeline_name(const struct timeline *timeline, uint64_t number);
const char *timeline_call(const struct timeline *timeline, unsigned system_call);
/* The ids that Linux gave, unique on a host only. */
unsigned timeline_tid(unsigned tid);
/* NULL: there is one host only. */
const struct timeline_host *timeline_host_of(const struct timeline *timeline, unsigned tid);
/* Of a core; likewise. */
const struct timeline_host *timeline_host_of_core(const struct timeline *timeline, unsigned cpu);
/* "core 3", "core 3 of b"; to be freed. */
char *timeline_core_name(const struct timeline *timeline, unsigned cpu);
/* The last thread with this id, or NULL. */
const struct timeline_thread *timeline_thread_of(const struct timeline *timeline, unsigned tid);
const char *timeline_class_name(
	enum timeline_class class); /* "running", "runnable", "I", "L", "B" */

struct timeline_span {
	uint64_t start_ns, end_ns;
	unsigned name_id, depth;
	uint64_t value;
	bool has_value, is_text;
	bool is_cut;      /* without an end of its own */
	uint64_t self_ns; /* without nested spans */
	uint64_t spun_ns; /* time on CPU in nested spans with names of waits (is_wait) */
	uint64_t class_ns[TIMELINE_CLASSES];
};

/* Callbacks, in order of time; each may be NULL. */
struct timeline_visitor {
	void *context;
	void (*begin)(void *context, const struct timeline_span *span); /* without end and sums */
	void (*end)(void *context, const struct timeline_span *span);
	/* Of each mark that ends a span: does the thread have an open span of that name? */
	void (*end_mark)(void *context, unsigned name_id, bool has_begin);
	void (*mark)(void *context, const struct mark *mark); /* all but those of spans */
	/* A wait, and the name of the innermost span then, or 0. */
	void (*wait)(void *context, const struct timeline_state *wait, unsigned name_id);
};

/* Visits the marks and waits of one thread. Returns the number of chunks that cannot be read. */
size_t timeline_walk(const struct timeline *timeline, const struct timeline_thread *thread,
		     const struct timeline_visitor *visitor);
