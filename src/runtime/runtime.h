/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * runtime - the runtime engine's part inside the profiled program: what its files share.
 *
 * The law of this folder: we live in another's process. We include wire/ and system headers only
 * (and our own public lever.h). We never print, never abort, never allocate after start, and leave
 * errno, signals and masks as they were. In trouble we do less and count it in the shared page.
 * What runs in a signal handler (pause, progress, sample, walk) calls nothing of libc but
 * clock_gettime; all other system calls are made directly. Who wants the real function of a name
 * that we interpose takes REAL(name).
 *
 * The rules of delays stand in wire/delay.h. Each thread has its L and pays at its samples, before it
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

struct location {
	uint32_t object;
	uint64_t offset;
};

struct frame {
	uint64_t ip, sp, bp;
	bool is_return; /* ip is where a call returns to, so the call is before it */
};

struct walk {
	struct location leaf, found;
	bool is_found, is_target, is_complete;
	uint32_t span; /* WIRE_SPAN_NONE */
	uint32_t caller_count;
	uint64_t callers[RUNTIME_CALLERS_MOST]; /* as in runtime_record */
};

/* Visits of a place of unmodified code in this thread: a perf event that writes 8 bytes for each. */
struct visits {
	volatile struct perf_event_mmap_page *event; /* NULL: none */
	uint64_t seen_bytes;
	uint32_t point;
};

struct thread {
	bool is_started;
	volatile uint32_t depth;  /* > 0: in this library's books; a tick leaves them alone */
	uint32_t skipped_ticks;   /* ticks since these books were opened that did */
	uint32_t uncharged_ticks; /* ticks that did, since the last one that did not */
	volatile uint32_t interrupted_calls; /* calls that began to wait just as a tick came */
	uint32_t tid;
	struct delay_local local;
	uint64_t cpu_seen_ns;  /* CPU time accounted so far */
	uint64_t seen_ns;      /* the time then */
	uint64_t accounted_ns; /* waits and pauses since then */
	uint64_t observed_ns;  /* points were last looked at */
	uint64_t period_ns;
	uintptr_t stack_high;
	struct runtime_counters *counters;
	void *event;    /* the mapped perf event */
	bool has_timer; /* or else a timer */
	int timer;
	uint32_t joined_generation; /* waits in the target; 0: does not */
	bool was_woken_internally;  /* the last wait for a file was ended by the program itself */
	bool is_waiting;
	uint32_t random;
	uint32_t breakpoint_sequence; /* of those that are set */
	struct visits visits[RUNTIME_BREAKPOINTS_MOST];
};

extern __thread struct thread thread_self RUNTIME_INTERNAL_TLS;

/* NULL: nothing is profiled. Set once, by process_open, before any thread is. */
extern struct runtime_page *runtime_page __attribute__((visibility("hidden")));
extern struct runtime_process *runtime_process __attribute__((visibility("hidden")));

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

/* What a thread does in its books must not be interrupted by its own samples. Some threads do little
 * else: each of their ticks meets open books, but other ones. Only books left by longjmp stay open. */
static inline void reentrancy_guard_begin(void)
{
	thread_self.depth++;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

static inline void reentrancy_guard_end(void)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	thread_self.skipped_ticks = 0;
	thread_self.depth--;
}

/* ---- process.c ---- */

/* Maps the page and takes an entry for this process; false: nothing is profiled. */
bool process_open(void);
/* ---- processes.c ---- */

/* Keeps our variables for what the program will start. */
void processes_remember(void);

/* ---- thread.c ---- */

/* `high`: an address above all frames that a walk may read. `parent`: its L; NULL: none. */
void thread_begin(uintptr_t high, const struct delay_local *parent);
/* Pays, counts what is left, and stops sampling. */
void thread_end(void);
/* In the child of a fork, the only thread. */
void thread_fork(void);
void thread_clock_start(void);
void thread_clock_stop(void);
/* Installs the handler of RUNTIME_SIGNAL and lets it through in this thread. */
void signals_open(void);
void signals_let_through(void);

/* ---- sample.c ---- */

void sample_on_signal(int number, void *information, void *context);
/* Records `weight` ns at the place that the walk found. */
void sample_emit(const struct walk *walk, uint64_t weight, uint32_t flags);

/* ---- walk.c ---- */

void stack_walk_up(struct frame *frame, struct walk *walk);
/* The index of the sampled point at this place; WIRE_POINTS_MOST: none. */
uint32_t stack_walk_sampled_point(const struct location *location);

/* ---- pause.c ---- */

const struct delay_settings *pause_settings(void);
bool pause_is_wanted(void);
uint64_t pause_global(uint64_t now);
/* The target ran for `weight` ns in this thread, or a tick took `overhead`. Return G's growth. */
uint64_t pause_charge(uint64_t weight, uint64_t now);
uint64_t pause_charge_tick(uint64_t overhead, uint64_t now);
/* Forgets everything when the engine wants that. To be called before L is used. */
void pause_renew(void);
/* Pays the gap. In a signal handler, not too much at once. */
void pay_delay(uint64_t most_ns, __u64 *counter);
#define PAUSE_MOST_NS 200000000u
#define PAUSE_MOST_IN_HANDLER_NS 20000000u
/* To be called before anything that may wake another thread. */
void pause_before_wake(void);
void pause_wait_begin(uint64_t now);
/* True if this wait had joined, in this generation: L may be credited. */
bool pause_wait_end(uint64_t now);

/* ---- progress.c ---- */

void progress_observe(uint64_t now);
void progress_observe_rarely(uint64_t now);
/* The point that began this thread's innermost open span; WIRE_SPAN_NONE. */
uint32_t progress_span(void);
/* Of a point that is not in the program's own page: `visits`, or sampled ns. */
void progress_add(uint32_t index, uint64_t visits, uint64_t now);
void progress_fork(void);
void progress_latency(uint64_t now);
void progress_latency_pause(uint64_t growth);

/* ---- visits.c ---- */

/* Sets the breakpoints that the engine has posted, if they are not those that are set already. */
void visits_renew(uint64_t now);
void visits_observe(uint64_t now);
void visits_stop(void);
/* In the child of a fork: they were the parent's. */
void visits_fork(void);
