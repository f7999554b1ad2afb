/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * c11_threads - C11's threads, locks and conditions by the functions of POSIX that the thread
 * sanitizer follows. Preloaded between a program and libc, whose own are not seen by the sanitizer.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <threads.h>

int __interceptor_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int __interceptor_pthread_join(pthread_t, void **);
int __interceptor_pthread_mutex_lock(pthread_mutex_t *);
int __interceptor_pthread_mutex_trylock(pthread_mutex_t *);
int __interceptor_pthread_mutex_unlock(pthread_mutex_t *);
int __interceptor_pthread_cond_wait(pthread_cond_t *, pthread_mutex_t *);
int __interceptor_pthread_cond_signal(pthread_cond_t *);
int __interceptor_pthread_cond_broadcast(pthread_cond_t *);

struct start {
	thrd_start_t function;
	void *argument;
};

static void *run(void *argument)
{
	struct start start = *(struct start *)argument;

	free(argument);
	return (void *)(intptr_t)start.function(start.argument);
}

int thrd_create(thrd_t *thread, thrd_start_t function, void *argument)
{
	struct start *start = malloc(sizeof(*start));

	if (!start)
		return thrd_nomem;
	*start = (struct start){function, argument};
	return __interceptor_pthread_create(thread, NULL, run, start) ? thrd_error : thrd_success;
}

int thrd_join(thrd_t thread, int *result)
{
	void *value;
	int code = __interceptor_pthread_join(thread, &value);

	if (result)
		*result = (int)(intptr_t)value;
	return code ? thrd_error : thrd_success;
}

/* In glibc mtx_t and cnd_t are as large as POSIX's and begin as those do. */
int mtx_lock(mtx_t *lock)
{
	return __interceptor_pthread_mutex_lock((pthread_mutex_t *)lock) ? thrd_error :
									   thrd_success;
}

int mtx_trylock(mtx_t *lock)
{
	return __interceptor_pthread_mutex_trylock((pthread_mutex_t *)lock) ? thrd_busy :
									      thrd_success;
}

int mtx_unlock(mtx_t *lock)
{
	return __interceptor_pthread_mutex_unlock((pthread_mutex_t *)lock) ? thrd_error :
									     thrd_success;
}

int cnd_wait(cnd_t *condition, mtx_t *lock)
{
	return __interceptor_pthread_cond_wait((pthread_cond_t *)condition,
					       (pthread_mutex_t *)lock) ?
		       thrd_error :
		       thrd_success;
}

int cnd_signal(cnd_t *condition)
{
	return __interceptor_pthread_cond_signal((pthread_cond_t *)condition) ? thrd_error :
										thrd_success;
}

int cnd_broadcast(cnd_t *condition)
{
	return __interceptor_pthread_cond_broadcast((pthread_cond_t *)condition) ? thrd_error :
										   thrd_success;
}
