/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * runtime - the memory that the runtime engine shares with the processes of the program.
 *
 * A memfd of the engine process. liblever-runtime.so finds it through the environment
 * (RUNTIME_VARIABLE is /proc/ENGINE/fd/N), maps it once and keeps no descriptor, so the memory is
 * freed with its last user. All processes map the whole; untouched parts take no memory.
 *
 * Each field names its writer. "Program": any thread of any process of the program, by atomic
 * operations. The program can overwrite all of it, so the engine checks all that it reads. Times
 * are nanoseconds of CLOCK_MONOTONIC. Structs that the kernel engine also has are shared with it,
 * since the same code of the engine process feeds both.
 */
#pragma once

#include "wire/code.h"
#include "wire/delay_core.h"
#include "wire/events.h"
#include "wire/progress.h"
#include "wire/settings.h"

#define RUNTIME_VARIABLE "LEVER_RUNTIME"
#define RUNTIME_MAGIC 0x4e55524cU /* "LRUN" */
#define RUNTIME_VERSION 5
#define RUNTIME_PROCESSES_MOST 1024
#define RUNTIME_MAPPINGS_MOST 1024
#define RUNTIME_STRIPES 64
#define RUNTIME_RING_SLOTS 16384   /* a power of two */
#define RUNTIME_BREAKPOINTS_MOST 4 /* as many as x86 has debug registers */
/* Of the sampling clock. The kernel never sends it; unlike a real-time signal it coalesces. */
#define RUNTIME_SIGNAL 16 /* SIGSTKFLT */

#define RUNTIME_PID_TAKEN 0x80000000u

enum runtime_sampler {
	RUNTIME_SAMPLER_NONE = 0,
	RUNTIME_SAMPLER_PERF = 1,
	RUNTIME_SAMPLER_TIMER = 2, /* where perf_event_open is refused */
};

/* Writer: program. Sums over threads; the engine adds up the stripes. */
struct runtime_counters {
	__u64 samples, sampled_ns, target_samples, target_ns;
	__u64 waited_ns, hand_overs, timed_waits;
	__u64 lost; /* samples that found the ring full */
	__u64 capped, pauses, paused_ns, overshoot_ns, longest_pause_ns;
	__u64 sample_pauses, wake_pauses, wait_pauses;
	__u64 unwound_badly, failed_lookups;
	__u64 displaced_ns; /* runnable without a core, with no more threads than cores */
	__s64 pair_ns[WIRE_PAIRS_MOST]; /* open spans x effective ns, in open windows */
	__s64 pair_weight_ns;
	__u64 held_ns;    /* of paused_ns: spent on a core, as threads outnumbered cores */
	__u64 crowded_ns; /* of sampled_ns: threads outnumbered cores */
	__u64 pad[2];
};
_Static_assert(sizeof(struct runtime_counters) == 256, "runtime_counters layout");

/* Writer: program, one thread of its process at a time; sequence is odd meanwhile. */
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
	__u64 offset; /* of `start` in the file; JIT code: `start` */
	__u32 object; /* WIRE_OBJECT_UNKNOWN until numbered */
	__u32 pad;
};
_Static_assert(sizeof(struct runtime_mapping) == 32, "runtime_mapping layout");

/* An address at which visits of a point are counted. Writer: engine. */
struct runtime_breakpoint {
	__u64 address;   /* in this process; 0: none */
	__u64 semaphore; /* of a USDT probe, to be raised; 0: none */
	__u32 point;
	__u32 pad;
};
_Static_assert(sizeof(struct runtime_breakpoint) == 24, "runtime_breakpoint layout");

struct runtime_process {
	/* Program: from 0 to RUNTIME_PID_TAKEN, and to its id when all is filled in; engine: to 0
	 * after its end. */
	__u32 pid;
	__u32 image; /* program: raised at start, fork and exec; earlier mappings are void */
	__u32 wants; /* program: 1, an address is in no mapping; engine: 0, it reads the mappings */
	__u32 sampler; /* program: enum runtime_sampler */
	__u32 parent;  /* program */
	/* Engine; sequence is odd while it writes these and mappings. A forked child copies them
	 * from its parent, before it sets pid. */
	__u32 sequence, mapped_image, mapping_count;
	__u32 running;             /* program: sampled threads that do not wait */
	__u32 breakpoint_sequence; /* engine: odd while it writes breakpoints */
	__u64 refused;             /* program: errno of perf_event_open or the timer */
	struct runtime_breakpoint breakpoints[RUNTIME_BREAKPOINTS_MOST];
	__u64 pad[14];
	struct runtime_edge edges[WIRE_POINTS_MOST];
	struct runtime_mapping mappings[RUNTIME_MAPPINGS_MOST];
};
_Static_assert(sizeof(struct runtime_process) == 256 + 4096 + 32768, "runtime_process layout");

#define RUNTIME_CALLERS_MOST 22
#define RUNTIME_CALLER_SHIFT 52 /* object above, offset below */

/* Writer: program. sequence is 1 + the record's number once the record is complete. */
struct runtime_record {
	__u64 sequence;
	struct wire_sample sample;
	/* With enable_callers: its frames, innermost first; 0 after the last. */
	__u64 callers[RUNTIME_CALLERS_MOST];
};
_Static_assert(sizeof(struct runtime_record) == 256, "runtime_record layout");

struct runtime_page {
	/* Writer: engine, before the program starts. */
	__u32 magic, version;
	__u64 size_bytes;
	__u32 engine_pid;
	__u32 cpus;
	__u32 breakpoints; /* points that are counted by breakpoints, in all processes */
	char pad_head[256 - 28];

	struct wire_settings settings; /* engine */
	char pad_settings[512 - sizeof(struct wire_settings)];

	/* Program; on cache lines of their own. */
	__u64 delay_ns;     /* G */
	__u64 tick_slot_ns; /* delay_tick_slot */
	char pad_delay[112];
	__u64 waiters; /* delay_waiters.h */
	__u64 waiters_updated_ns,
		waiters_delay_ns; /* G includes their waits up to here; their part of G */
	char pad_waiters[104];
	__u64 last_wake_ns; /* the last call that may wake a process through a file */
	__u64 latency_updated_ns, latency_window, latency_updated_delay_ns;
	__u64 pad_latency;
	__u64 dropped_points, untracked, dropped_in_program;
	__u64 failed_breakpoints;       /* threads that could not have a breakpoint, */
	__u64 failed_breakpoints_errno; /* and the last errno */
	__u32 processes_used;           /* further entries have never been used */
	__u32 unfollowed_setuid;        /* setuid programs, which do not load the library */
	__u64 crowded_ns;               /* when threads were last seen to outnumber cores */
	char pad_counts[32];

	struct wire_point points[WIRE_POINTS_MOST]; /* created by setting hash from 0 */
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
		       25984 + 256 * RUNTIME_RING_SLOTS + 37120 * RUNTIME_PROCESSES_MOST +
			       24 * WIRE_BANKS * WIRE_RANGES_MOST + 8 * WIRE_OBJECTS_MOST +
			       16 * WIRE_UNWIND_ROWS_MOST,
	       "runtime_page layout");
