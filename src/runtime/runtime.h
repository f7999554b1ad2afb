/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * runtime - the state and the clocks that all files of liblever-runtime.so share.
 *
 * The law of this folder. The library runs in the process of a program that does not know of it:
 * - It includes wire/ and system headers only, and the public lever.h.
 * - It never prints, aborts, allocates after the start, or waits for the engine. errno, signals and
 *   masks are left unchanged. In trouble it does less, and counts that in the shared page.
 * - Code that runs in a signal handler (pause, visits, progress, sample, stack_walk, ...) calls
 *   nothing of libc but clock_gettime; other system calls are made directly.
 *   tests/unit/runtime/library.sh has the list.
 * - Code that runs around the program's own calls is guarded (reentrancy_guard_begin), so that a
 *   tick does not run it twice.
 * - REAL(name) is the function behind an interposed name.
 *
 * The rules of delays are in wire/delay.h. Each thread has its L and pays at its samples, before it
 * wakes another thread, and before and after it waits.
 */
#pragma once

#include "wire/runtime.h"

#include <lever.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#define RUNTIME_EXPORT __attribute__((visibility("default")))
#define RUNTIME_INTERNAL_TLS __attribute__((tls_model("initial-exec"), visibility("hidden")))

/* A breakpoint in this thread: a perf event that writes 8 bytes at each visit. */
struct breakpoint {
	volatile struct perf_event_mmap_page *event; /* NULL: none */
	uint64_t seen_bytes;
	uint32_t point;
};

struct thread {
	bool is_started;
	volatile uint32_t guard_depth;       /* > 0: guarded code runs, and ticks are skipped */
	uint32_t skipped_ticks;              /* of this guarded code */
	uint32_t uncharged_ticks;            /* skipped, since the last tick that was not */
	volatile uint32_t interrupted_calls; /* by a tick, as they began to wait */
	uint32_t tid;
	struct delay_local local;
	uint64_t cpu_seen_ns;  /* CPU time that is accounted for */
	uint64_t seen_ns;      /* the time then */
	uint64_t accounted_ns; /* waits, pauses and time without a core since seen_ns */
	uint64_t settled_ns,
		settled_delay_ns; /* time and G up to which L has followed G's growth */
	uint64_t displaced_at_ns; /* when it last got a core back; 0: never */
	uint64_t preemptions;
	uint64_t polled_ns; /* last poll of the points */
	uint64_t period_ns;
	uintptr_t stack_high;
	struct runtime_counters *counters;
	void *event;    /* the mapped perf event */
	bool has_timer; /* instead of the event */
	int timer;
	uint32_t joined_generation; /* of its wait in the target; 0: none */
	uint32_t joined_level;
	uint64_t delay_at_tick_ns; /* G at the last tick */
	uint8_t spin;              /* enum delay_spinning */
	bool was_woken_internally; /* the last wait for a file was ended by the program */
	bool is_waiting;
	bool waits_on; /* it pays as if its wait were longer (wait.c) */
	uint32_t random;
	uint32_t breakpoint_sequence; /* of the breakpoints that are set */
	struct breakpoint breakpoints[RUNTIME_BREAKPOINTS_MOST];
};

extern __thread struct thread thread_self RUNTIME_INTERNAL_TLS;

/* NULL: nothing is profiled. Set by the constructor, before the first thread. */
extern struct runtime_page *runtime_page __attribute__((visibility("hidden")));
extern struct runtime_process *runtime_process __attribute__((visibility("hidden")));
/* That this process may use. Set by the constructor. */
extern uint32_t runtime_cores __attribute__((visibility("hidden")));

static inline uint64_t time_now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static inline uint64_t time_of_thread(void)
{
	struct timespec time;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static inline void count(uint64_t *counter, uint64_t by)
{
	__atomic_fetch_add(counter, by, __ATOMIC_RELAXED);
}

#define COUNT(field, by) count((uint64_t *)&thread_self.counters->field, by)

/*
 * Code between these is not interrupted by the thread's own samples: a tick is skipped and charged
 * later. After too many skipped ticks in the same guarded code, it was left by longjmp.
 */
static inline void reentrancy_guard_begin(void)
{
	thread_self.guard_depth++;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

static inline void reentrancy_guard_end(void)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	thread_self.skipped_ticks = 0;
	thread_self.guard_depth--;
}
