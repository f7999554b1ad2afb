/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * messages - what the coordinator of a run and the agents on its other hosts tell each other.
 *
 * Both are the same version of lever on machines of one byte order; the version is compared before
 * anything else. A message is a kind and a struct, with items behind it where a count says so.
 * Settings are states, not changes: the last one holds.
 */
#pragma once

#include "wire/kernel.h"
#include "wire/points.h"

#include <stdint.h>

#define HOSTS_STATE_EVERY_NS 20000000ull /* settings and G, both ways */
#define HOSTS_SILENCE_NS 100000000ull    /* after that an agent's host pauses no more */
#define HOSTS_LOST_NS 2000000000ull      /* after that a host has no part in the run */
#define HOSTS_PATH_BYTES 256
#define HOSTS_BUILD_ID_BYTES 80 /* hex */

enum hosts_kind {
	/* By the coordinator. */
	HOSTS_STATE = 1,
	HOSTS_BANK,
	HOSTS_UNWIND,
	HOSTS_OBJECT,
	HOSTS_POINT,
	HOSTS_PROGRAM, /* texts, each with its 0: directory, arguments (of a recording: lever's) */
	HOSTS_JOB,     /* a text, with its 0: by which name processes join */
	HOSTS_QUERY,
	HOSTS_START, /* the program of a recording */
	HOSTS_STOP,  /* the recording; its file is awaited */
	HOSTS_ALIVE, /* of a recording: both ways, the answer at once; hosts_times */
	HOSTS_END,
	/* By an agent. */
	HOSTS_HELLO,
	HOSTS_READY, /* the program, or its processes, may be started; sampling is on */
	HOSTS_REPORT,
	HOSTS_ANSWER, /* to a query */
	HOSTS_SAMPLES,
	HOSTS_MAPPED,  /* by the program there, with code */
	HOSTS_TROUBLE, /* a sentence */
	HOSTS_ENDED,   /* the program, or the recording whose file has come */
	HOSTS_FILE,    /* a part of it */
};

struct hosts_state {
	uint64_t delay_ns; /* G */
	uint64_t period_ns;
	uint32_t is_started; /* the program runs */
	uint32_t charges_ticks;
	struct wire_settings settings;
};

struct hosts_bank {
	uint32_t bank, count; /* ranges follow */
};

struct hosts_unwind {
	uint32_t object, count; /* rows follow */
};

struct hosts_object {
	uint32_t object, pad;
	char path[HOSTS_PATH_BYTES], build_id[HOSTS_BUILD_ID_BYTES];
};

struct hosts_mapped {
	uint32_t is_main, pad; /* the program itself, no library */
	char path[HOSTS_PATH_BYTES], build_id[HOSTS_BUILD_ID_BYTES];
};

struct hosts_point {
	uint64_t offset, semaphore_offset;
	char name[48], path[HOSTS_PATH_BYTES];
};

struct hosts_query {
	uint64_t number;
};

struct hosts_hello {
	uint64_t wall_ns; /* of its clock, since 1970 */
};

/* CLOCK_MONOTONIC of each. */
struct hosts_times {
	uint64_t sent_ns;     /* by the coordinator */
	uint64_t answered_ns; /* by the agent; 0 until then */
};

struct hosts_report {
	uint64_t delay_ns;
};

struct hosts_visits {
	uint64_t hash, total;
	uint32_t kind, pad;
	char name[48];
	uint64_t visits, duration_ns, delay_ns; /* in the window closed last */
};

struct hosts_answer {
	uint64_t number; /* of the query */
	uint64_t delay_ns;
	uint64_t samples, sampled_ns, target_samples, target_ns, waited_ns, cpu_ns;
	uint64_t hand_overs, timed_waits, short_naps, short_naps_ns, lost, capped, displaced_ns,
		missed_heartbeats;
	uint64_t spun_ns, longest_spin_ns;
	uint64_t sent, received, refused; /* messages between hosts (wire/hosts.h) */
	uint32_t count, pad;              /* hosts_visits follow */
};

/* The file so far replaces the one before when its last part has come. */
struct hosts_file {
	uint64_t offset, total; /* bytes; those of this part follow */
};

struct hosts_ended {
	int32_t status; /* as waitpid gives it */
	uint32_t pad;
};
