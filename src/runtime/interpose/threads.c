/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * threads - interposed: creation, exit, join and cancellation of threads.
 *
 * A new thread finds its start in a fixed table, so unused is allocated. If STARTS_MOST threads are
 * being created at the same time, further ones are counted in `untracked` and not sampled.
 */
#include "runtime/interpose/real.h"

#include "runtime/interpose/signals.h"
#include "runtime/pause.h"
#include "runtime/thread.h"

#define STARTS_MOST 1024

struct start {
	uint32_t is_taken;
	void *(*function)(void *);
	thrd_start_t function_c11;
	void *argument;
	struct delay_local local;
};

static struct start starts[STARTS_MOST];

static struct start *start_take(void)
{
	if (!runtime_page || !runtime_process || !thread_self.is_started)
		return NULL;
	uint32_t first = thread_self.tid;
	for (uint32_t i = 0; i < STARTS_MOST; i++) {
		struct start *start = &starts[(first + i) % STARTS_MOST];
		uint32_t none = 0;
		if (!__atomic_load_n(&start->is_taken, __ATOMIC_RELAXED) &&
		    __atomic_compare_exchange_n(&start->is_taken, &none, 1, false, __ATOMIC_ACQUIRE,
						__ATOMIC_RELAXED)) {
			pause_renew();
			start->local = thread_self.local;
			return start;
		}
	}
	__atomic_fetch_add(&runtime_page->untracked, 1, __ATOMIC_RELAXED);
	return NULL;
}

static void start_release(struct start *start)
{
	__atomic_store_n(&start->is_taken, 0, __ATOMIC_RELEASE);
}

/* Its cleanup runs at return, pthread_exit and cancellation. */
struct life {
	char unused;
};

static void life_end(struct life *life)
{
	(void)life;
	thread_end();
}

static struct start begin(void *argument, void *frame)
{
	struct start *taken = argument;
	/* Not is_taken, which other threads write: a plain read would race with that. */
	struct start start = {.function = taken->function,
			      .function_c11 = taken->function_c11,
			      .argument = taken->argument,
			      .local = taken->local};

	start_release(taken);
	signals_let_through();
	/* Stack walks may read the frames above this one, those of libc's thread start. */
	thread_begin((uintptr_t)frame + 128, &start.local);
	return start;
}

static void *run(void *argument)
{
	__attribute__((cleanup(life_end))) struct life life;
	struct start start = begin(argument, __builtin_frame_address(0));
	(void)life;
	return start.function(start.argument);
}

static int run_c11(void *argument)
{
	__attribute__((cleanup(life_end))) struct life life;
	struct start start = begin(argument, __builtin_frame_address(0));
	(void)life;
	return start.function_c11(start.argument);
}

RUNTIME_EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
				  void *(*function)(void *), void *argument)
{
	struct start *start = start_take();

	if (!start)
		return REAL(pthread_create)(thread, attributes, function, argument);
	start->function = function;
	start->argument = argument;
	int code = REAL(pthread_create)(thread, attributes, run, start);
	if (code)
		start_release(start);
	return code;
}

RUNTIME_EXPORT int thrd_create(thrd_t *thread, thrd_start_t function, void *argument)
{
	struct start *start = start_take();

	if (!start)
		return REAL(thrd_create)(thread, function, argument);
	start->function_c11 = function;
	start->argument = argument;
	int code = REAL(thrd_create)(thread, run_c11, start);
	if (code != thrd_success)
		start_release(start);
	return code;
}

/* The main thread has no frame of this library: it ends here. */
RUNTIME_EXPORT _Noreturn void pthread_exit(void *result)
{
	pay_before_wake();
	REAL(pthread_exit)(result);
	__builtin_unreachable();
}

RUNTIME_EXPORT _Noreturn void thrd_exit(int result)
{
	pay_before_wake();
	REAL(thrd_exit)(result);
	__builtin_unreachable();
}

/* clang-format off */
WAITS_FOR_THREAD(pthread_join, 0, (pthread_t thread, void **result), thread, result)
WAITS_FOR_THREAD(pthread_timedjoin_np, 0,
		 (pthread_t thread, void **result, const struct timespec *until),
		 thread, result, until)
WAITS_FOR_THREAD(pthread_clockjoin_np, 0,
		 (pthread_t thread, void **result, clockid_t clock, const struct timespec *until),
		 thread, result, clock, until)
WAITS_FOR_THREAD(thrd_join, thrd_success, (thrd_t thread, int *result), thread, result)
WAKES(pthread_cancel, (pthread_t thread), thread)
/* clang-format on */
