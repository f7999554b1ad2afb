/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * runtime - the memory that the runtime engine shares with the processes of the program.
 *
 * A memfd of the engine. liblever-runtime.so finds it through the environment (RUNTIME_VARIABLE
 * holds /proc/ENGINE/fd/N), maps it once and keeps no descriptor, so it goes with the last of its
 * users. All processes map the whole; the parts that nobody uses take no memory.
 *
 * Where a field has one writer, it is named. Program: any thread of any process of the program, with
 * atomic operations. The program can scribble on all of it, so the engine checks all that it reads.
 * Times are nanoseconds of CLOCK_MONOTONIC. What the kernel engine also has is in its own shape
 * (wire/kernel.h), since the same code of the engine feeds both.
 */
#pragma once

#include "wire/kernel.h"

#define RUNTIME_VARIABLE "LEVER_RUNTIME"
#define RUNTIME_MAGIC 0x4e55524cU /* "LRUN" */
#define RUNTIME_VERSION 2
#define RUNTIME_PROCESSES_MOST 1024
#define RUNTIME_MAPPINGS_MOST 1024
#define RUNTIME_STRIPES 64
#define RUNTIME_RING_SLOTS 16384   /* a power of two */
#define RUNTIME_BREAKPOINTS_MOST 4 /* as many as x86 has debug registers */
/* Kept free by the library's sampling; nobody else uses it (it coalesces, as real-time ones do not). */
#define RUNTIME_SIGNAL 16 /* SIGSTKFLT */

#define RUNTIME_PID_TAKEN 0x80000000u

enum runtime_sampler {
	RUNTIME_SAMPLER_NONE = 0,
	RUNTIME_SAMPLER_PERF = 1,
	RUNTIME_SAMPLER_TIMER = 2, /* perf_event_open is refused */
};

/* Writer: program. A sum over threads; the engine adds up the stripes. */
struct runtime_counters {
	__u64 samples, sampled_ns, target_samples, target_ns;
	__u64 waits, waited_ns, task_wakeups;
	__u64 lost; /* samples that found the ring full */
	__u64 capped, pauses, paused_ns, overshoot_ns, longest_pause_ns;
	__u64 sample_pauses, wake_pauses, wait_pauses;
	__u64 unwound_badly, failed_lookups;
	__u64 displaced_ns; /* runnable without a core, though the program has no more threads than cores */
	__s64 pair_ns[WIRE_PAIRS_MOST]; /* begun and not ended, times effective ns */
	__s64 pair_weight_ns;
	__u64 pad[4];
};
_Static_assert(sizeof(struct runtime_counters) == 256, "runtime_counters layout");

/* Writer: program (one process, one thread of it at a time); sequence is odd meanwhile. */
struct runtime_edge {
	__u64 sequence;
	__u64 window;
	__u64 first_ns, first_delay_ns, first_total;
	__u64 last_ns, last_delay_ns, last_total;
};
_Static_assert(sizeof(struct runtime_edge) == 64, "runtime_edge layout");

/* An executable mapping of a process, sorted by start. Writer: engine. */
struct runtime_mapping {
	__u64 start, end;
	__u64 offset; /* in the file, of start; JIT code: start */
	__u32 object; /* WIRE_OBJECT_UNKNOWN until named */
	__u32 pad;
};
_Static_assert(sizeof(struct runtime_mapping) == 32, "runtime_mapping layout");

/* A place of unmodified code at which visits of a point are counted. Writer: engine. */
struct runtime_breakpoint {
	__u64 address;   /* in this process; 0: none */
	__u64 semaphore; /* of a USDT probe that is only passed while this is above 0; or 0 */
	__u32 point;
	__u32 pad;
};
_Static_assert(sizeof(struct runtime_breakpoint) == 24, "runtime_breakpoint layout");

struct runtime_process {
	/* Program: from 0 to RUNTIME_PID_TAKEN, and to its id when all is filled in; engine: to 0, once
	 * it has ended. */
	__u32 pid;
	__u32 image; /* program: raised at start, fork and exec: mappings of before hold no longer */
	__u32 wants;   /* program: 1, an address was in no mapping; engine: 0 before it looks */
	__u32 sampler; /* program: enum runtime_sampler */
	__u32 parent;  /* program */
	/* Engine; sequence is odd while it writes the others and mappings. (What a forked child begins
	 * with it copies itself from its parent, before its pid is there.) */
	__u32 sequence, mapped_image, mapping_count;
	__u32 running;             /* program: threads with a sampling clock that do not wait */
	__u32 breakpoint_sequence; /* engine: odd while it writes breakpoints; of mapped_image, as well */
	__u64 refused;             /* program: errno of perf_event_open or of the timer */
	struct runtime_breakpoint breakpoints[RUNTIME_BREAKPOINTS_MOST];
	__u64 pad[14];
	struct runtime_edge edges[WIRE_POINTS_MOST];
	struct runtime_mapping mappings[RUNTIME_MAPPINGS_MOST];
};
_Static_assert(sizeof(struct runtime_process) == 256 + 4096 + 32768, "runtime_process layout");

#define RUNTIME_CALLERS_MOST 6
#define RUNTIME_CALLER_SHIFT 52 /* object above, offset below */

/* Writer: program. sequence is the record's number + 1 once it is complete. */
struct runtime_record {
	__u64 sequence;
	struct wire_sample sample;
	/* Where settings.enable_callers: in scope, innermost first, 0 behind the last. */
	__u64 callers[RUNTIME_CALLERS_MOST];
};
_Static_assert(sizeof(struct runtime_record) == 128, "runtime_record layout");

struct runtime_page {
	/* Writer: engine, before the program starts. */
	__u32 magic, version;
	__u64 size_bytes;
	__u32 engine_pid;
	__u32 cpus;
	__u32 breakpoints; /* places that the engine wants to have counted, in whatever process */
	char pad_head[256 - 28];

	struct wire_settings settings; /* engine */
	char pad_settings[512 - sizeof(struct wire_settings)];

	/* Program, each on its own cache lines. */
	__u64 delay_ns; /* G */
	char pad_delay[120];
	__u64 waiters; /* threads that wait in the target, below the generation << 32 */
	__u64 waiters_updated_ns,
		waiters_delay_ns; /* G includes them up to then; by how much in all */
	char pad_waiters[104];
	__u64 last_wake_ns; /* when the program last did something that may wake a process by a file */
	__u64 latency_updated_ns, latency_window, latency_updated_delay_ns;
	__u64 pad_look;
	__u64 dropped_points, untracked, dropped_in_program;
	__u64 failed_breakpoints;       /* times that a thread could not have a breakpoint ... */
	__u64 failed_breakpoints_errno; /* ... and the last errno */
	__u32 processes_used;           /* entries above have never been taken */
	__u32 unfollowed_setuid; /* setuid programs that were started: they load no library */
	char pad_looks[40];

	struct wire_point points[WIRE_POINTS_MOST]; /* whoever sets hash from 0 */
	char pad_points[8192 - 72 * WIRE_POINTS_MOST];
	struct runtime_counters counters[RUNTIME_STRIPES];

	__u64 ring_head; /* program: records taken */
	char pad_ring_head[120];
	__u64 ring_tail; /* engine: records read */
	char pad_ring_tail[120];
	struct runtime_record ring[RUNTIME_RING_SLOTS];

	struct runtime_process processes[RUNTIME_PROCESSES_MOST];

	/* Writer: engine. */
	struct wire_range ranges[WIRE_BANKS][WIRE_RANGES_MOST];
	struct wire_unwind_object unwind_objects[WIRE_OBJECTS_MOST];
	struct wire_unwind_row unwind_rows[WIRE_UNWIND_ROWS_MOST];
};
_Static_assert(__builtin_offsetof(struct runtime_page, settings) == 256, "runtime_page layout");
_Static_assert(__builtin_offsetof(struct runtime_page, delay_ns) == 768, "runtime_page layout");
_Static_assert(__builtin_offsetof(struct runtime_page, points) == 1152, "runtime_page layout");
_Static_assert(__builtin_offsetof(struct runtime_page, counters) == 9344, "runtime_page layout");
_Static_assert(__builtin_offsetof(struct runtime_page, ring) == 25984, "runtime_page layout");
_Static_assert(sizeof(struct runtime_page) ==
		       25984 + 128 * RUNTIME_RING_SLOTS + 37120 * RUNTIME_PROCESSES_MOST +
			       24 * WIRE_BANKS * WIRE_RANGES_MOST + 8 * WIRE_OBJECTS_MOST +
			       16 * WIRE_UNWIND_ROWS_MOST,
	       "runtime_page layout");
