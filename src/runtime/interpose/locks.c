/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * locks - interposed: mutexes, read-write locks, spin locks, conditions, barriers and semaphores of
 * POSIX, C11 and System V.
 *
 * A free lock costs one more attempt, and a look at what the thread owes. errno of semaphores is
 * that of the real function. A row of a table is a function, its parameters and its arguments.
 */
#include "runtime/interpose/real.h"

/* Takes the lock if it is free (`attempt` does not return `busy`), or else waits for it. */
#define LOCKS(name, attempt, busy, success, parameters, ...) \
	RUNTIME_EXPORT int name parameters                   \
	{                                                    \
		pay_before_lock();                           \
		int code = REAL(attempt)(lock);              \
		if (code != (busy))                          \
			return code;                         \
		WAIT(waiting, WAIT_FOR_LOCK)                 \
		code = REAL(name)(__VA_ARGS__);              \
		waiting.was_woken = code == (success);       \
		return code;                                 \
	}

/* Takes the lock if it is free. */
#define TRIES(name, parameters)            \
	RUNTIME_EXPORT int name parameters \
	{                                  \
		pay_before_lock();         \
		return REAL(name)(lock);   \
	}

#define TIME const struct timespec
/* clang-format off */
LOCKS(pthread_mutex_lock, pthread_mutex_trylock, EBUSY, 0, (pthread_mutex_t *lock), lock)
LOCKS(pthread_mutex_timedlock, pthread_mutex_trylock, EBUSY, 0,
      (pthread_mutex_t *lock, TIME *until), lock, until)
LOCKS(pthread_mutex_clocklock, pthread_mutex_trylock, EBUSY, 0,
      (pthread_mutex_t *lock, clockid_t clock, TIME *until), lock, clock, until)
TRIES(pthread_mutex_trylock, (pthread_mutex_t *lock))
WAKES(pthread_mutex_unlock, (pthread_mutex_t *lock), lock)
LOCKS(mtx_lock, mtx_trylock, thrd_busy, thrd_success, (mtx_t *lock), lock)
LOCKS(mtx_timedlock, mtx_trylock, thrd_busy, thrd_success, (mtx_t *lock, TIME *until), lock, until)
TRIES(mtx_trylock, (mtx_t *lock))
WAKES(mtx_unlock, (mtx_t *lock), lock)
LOCKS(pthread_rwlock_rdlock, pthread_rwlock_tryrdlock, EBUSY, 0, (pthread_rwlock_t *lock), lock)
LOCKS(pthread_rwlock_timedrdlock, pthread_rwlock_tryrdlock, EBUSY, 0,
      (pthread_rwlock_t *lock, TIME *until), lock, until)
LOCKS(pthread_rwlock_clockrdlock, pthread_rwlock_tryrdlock, EBUSY, 0,
      (pthread_rwlock_t *lock, clockid_t clock, TIME *until), lock, clock, until)
LOCKS(pthread_rwlock_wrlock, pthread_rwlock_trywrlock, EBUSY, 0, (pthread_rwlock_t *lock), lock)
LOCKS(pthread_rwlock_timedwrlock, pthread_rwlock_trywrlock, EBUSY, 0,
      (pthread_rwlock_t *lock, TIME *until), lock, until)
LOCKS(pthread_rwlock_clockwrlock, pthread_rwlock_trywrlock, EBUSY, 0,
      (pthread_rwlock_t *lock, clockid_t clock, TIME *until), lock, clock, until)
TRIES(pthread_rwlock_tryrdlock, (pthread_rwlock_t *lock))
TRIES(pthread_rwlock_trywrlock, (pthread_rwlock_t *lock))
WAKES(pthread_rwlock_unlock, (pthread_rwlock_t *lock), lock)
LOCKS(pthread_spin_lock, pthread_spin_trylock, EBUSY, 0, (pthread_spinlock_t *lock), lock)
TRIES(pthread_spin_trylock, (pthread_spinlock_t *lock))
WAKES(pthread_spin_unlock, (pthread_spinlock_t *lock), lock)

/* The wait for a condition also releases the mutex, and so wakes a thread that waits for it. */
WAITS_FOR_THREAD(pthread_cond_wait, 0, (pthread_cond_t *condition, pthread_mutex_t *lock),
      condition, lock)
WAITS_FOR_THREAD(pthread_cond_timedwait, 0,
      (pthread_cond_t *condition, pthread_mutex_t *lock, TIME *until),
      condition, lock, until)
WAITS_FOR_THREAD(pthread_cond_clockwait, 0,
      (pthread_cond_t *condition, pthread_mutex_t *lock, clockid_t clock, TIME *until),
      condition, lock, clock, until)
WAKES(pthread_cond_signal, (pthread_cond_t *condition), condition)
WAKES(pthread_cond_broadcast, (pthread_cond_t *condition), condition)
WAITS_FOR_THREAD(cnd_wait, thrd_success, (cnd_t *condition, mtx_t *lock), condition, lock)
WAITS_FOR_THREAD(cnd_timedwait, thrd_success,
      (cnd_t *restrict condition, mtx_t *restrict lock, TIME *restrict until),
      condition, lock, until)
WAKES(cnd_signal, (cnd_t *condition), condition)
WAKES(cnd_broadcast, (cnd_t *condition), condition)
/* clang-format on */

/* Wakes and waits; the beginning of a wait pays first. */
RUNTIME_EXPORT int pthread_barrier_wait(pthread_barrier_t *barrier)
{
	WAIT(waiting, WAIT_FOR_THREAD)
	return REAL(pthread_barrier_wait)(barrier);
}

/*
 * False if the attempt has taken the semaphore or has failed; else errno is restored. The real
 * functions are cancellation points even if they do not wait.
 */
static bool must_wait(sem_t *semaphore, int *result)
{
	int before = errno;

	pthread_testcancel();
	*result = REAL(sem_trywait)(semaphore);
	if (!*result || errno != EAGAIN)
		return false;
	errno = before;
	return true;
}

#define SEMAPHORES(name, parameters, ...)                           \
	RUNTIME_EXPORT int name parameters                          \
	{                                                           \
		int code;                                           \
		if (!must_wait(semaphore, &code))                   \
			return code;                                \
		WAIT(waiting, WAIT_FOR_THREAD)                      \
		code = RESTART_AFTER_TICK(REAL(name)(__VA_ARGS__)); \
		waiting.was_woken = !code;                          \
		return code;                                        \
	}

/* May take, give, or both; the beginning of a wait pays first. */
#define OPERATIONS(name, parameters, ...)                               \
	RUNTIME_EXPORT int name parameters                              \
	{                                                               \
		pay_before_wake();                                      \
		WAIT(waiting, WAIT_FOR_THREAD)                          \
		int code = RESTART_AFTER_TICK(REAL(name)(__VA_ARGS__)); \
		waiting.was_woken = !code;                              \
		return code;                                            \
	}

/* clang-format off */
SEMAPHORES(sem_wait, (sem_t *semaphore), semaphore)
SEMAPHORES(sem_timedwait, (sem_t *restrict semaphore, TIME *restrict until), semaphore, until)
SEMAPHORES(sem_clockwait, (sem_t *restrict semaphore, clockid_t clock, TIME *restrict until),
	   semaphore, clock, until)
WAKES(sem_post, (sem_t *semaphore), semaphore)
OPERATIONS(semop, (int set, struct sembuf *operations, size_t count), set, operations, count)
OPERATIONS(semtimedop, (int set, struct sembuf *operations, size_t count, TIME *timeout),
	   set, operations, count, timeout)
/* clang-format on */
