/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * locks - interposed: mutexes, read-write locks, spin locks, conditions, barriers, semaphores, of
 * POSIX and of C11 (the tables of COZ, and what was added since).
 *
 * A lock that is free at once costs one further try and nothing else. errno of semaphores is the
 * real function's.
 */
#include "runtime/real.h"

#include <errno.h>

/* A wait for a lock: `attempt` takes it if it is free, else `real` waits for it. */
#define LOCK(attempt, busy, real_call, success)     \
	do {                                        \
		int tried = attempt;                \
		if (tried != (busy))                \
			return tried;               \
		WAIT(wait, WAIT_FOR_THREAD)         \
		int code = real_call;               \
		wait.was_woken = code == (success); \
		return code;                        \
	} while (0)

RUNTIME_EXPORT int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	LOCK(REAL(pthread_mutex_trylock)(mutex), EBUSY, REAL(pthread_mutex_lock)(mutex), 0);
}

RUNTIME_EXPORT int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *until)
{
	LOCK(REAL(pthread_mutex_trylock)(mutex), EBUSY, REAL(pthread_mutex_timedlock)(mutex, until),
	     0);
}

RUNTIME_EXPORT int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock,
					   const struct timespec *until)
{
	LOCK(REAL(pthread_mutex_trylock)(mutex), EBUSY,
	     REAL(pthread_mutex_clocklock)(mutex, clock, until), 0);
}

RUNTIME_EXPORT int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
	pause_before_wake();
	return REAL(pthread_mutex_unlock)(mutex);
}

RUNTIME_EXPORT int mtx_lock(mtx_t *mutex)
{
	LOCK(REAL(mtx_trylock)(mutex), thrd_busy, REAL(mtx_lock)(mutex), thrd_success);
}

RUNTIME_EXPORT int mtx_timedlock(mtx_t *mutex, const struct timespec *until)
{
	LOCK(REAL(mtx_trylock)(mutex), thrd_busy, REAL(mtx_timedlock)(mutex, until), thrd_success);
}

RUNTIME_EXPORT int mtx_unlock(mtx_t *mutex)
{
	pause_before_wake();
	return REAL(mtx_unlock)(mutex);
}

RUNTIME_EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t *lock)
{
	LOCK(REAL(pthread_rwlock_tryrdlock)(lock), EBUSY, REAL(pthread_rwlock_rdlock)(lock), 0);
}

RUNTIME_EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t *lock, const struct timespec *until)
{
	LOCK(REAL(pthread_rwlock_tryrdlock)(lock), EBUSY,
	     REAL(pthread_rwlock_timedrdlock)(lock, until), 0);
}

RUNTIME_EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t *lock, clockid_t clock,
					      const struct timespec *until)
{
	LOCK(REAL(pthread_rwlock_tryrdlock)(lock), EBUSY,
	     REAL(pthread_rwlock_clockrdlock)(lock, clock, until), 0);
}

RUNTIME_EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t *lock)
{
	LOCK(REAL(pthread_rwlock_trywrlock)(lock), EBUSY, REAL(pthread_rwlock_wrlock)(lock), 0);
}

RUNTIME_EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t *lock, const struct timespec *until)
{
	LOCK(REAL(pthread_rwlock_trywrlock)(lock), EBUSY,
	     REAL(pthread_rwlock_timedwrlock)(lock, until), 0);
}

RUNTIME_EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t *lock, clockid_t clock,
					      const struct timespec *until)
{
	LOCK(REAL(pthread_rwlock_trywrlock)(lock), EBUSY,
	     REAL(pthread_rwlock_clockwrlock)(lock, clock, until), 0);
}

RUNTIME_EXPORT int pthread_rwlock_unlock(pthread_rwlock_t *lock)
{
	pause_before_wake();
	return REAL(pthread_rwlock_unlock)(lock);
}

RUNTIME_EXPORT int pthread_spin_lock(pthread_spinlock_t *lock)
{
	LOCK(REAL(pthread_spin_trylock)(lock), EBUSY, REAL(pthread_spin_lock)(lock), 0);
}

RUNTIME_EXPORT int pthread_spin_unlock(pthread_spinlock_t *lock)
{
	pause_before_wake();
	return REAL(pthread_spin_unlock)(lock);
}

/* A condition's wait also releases the mutex: who waits for that is woken, too. */
RUNTIME_EXPORT int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
	WAIT(wait, WAIT_FOR_THREAD)
	return REAL(pthread_cond_wait)(condition, mutex);
}

RUNTIME_EXPORT int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
					  const struct timespec *until)
{
	WAIT(wait, WAIT_FOR_THREAD)
	int code = REAL(pthread_cond_timedwait)(condition, mutex, until);
	wait.was_woken = !code;
	return code;
}

RUNTIME_EXPORT int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
					  clockid_t clock, const struct timespec *until)
{
	WAIT(wait, WAIT_FOR_THREAD)
	int code = REAL(pthread_cond_clockwait)(condition, mutex, clock, until);
	wait.was_woken = !code;
	return code;
}

RUNTIME_EXPORT int pthread_cond_signal(pthread_cond_t *condition)
{
	pause_before_wake();
	return REAL(pthread_cond_signal)(condition);
}

RUNTIME_EXPORT int pthread_cond_broadcast(pthread_cond_t *condition)
{
	pause_before_wake();
	return REAL(pthread_cond_broadcast)(condition);
}

RUNTIME_EXPORT int cnd_wait(cnd_t *condition, mtx_t *mutex)
{
	WAIT(wait, WAIT_FOR_THREAD)
	return REAL(cnd_wait)(condition, mutex);
}

RUNTIME_EXPORT int cnd_timedwait(cnd_t *restrict condition, mtx_t *restrict mutex,
				 const struct timespec *restrict until)
{
	WAIT(wait, WAIT_FOR_THREAD)
	int code = REAL(cnd_timedwait)(condition, mutex, until);
	wait.was_woken = code == thrd_success;
	return code;
}

RUNTIME_EXPORT int cnd_signal(cnd_t *condition)
{
	pause_before_wake();
	return REAL(cnd_signal)(condition);
}

RUNTIME_EXPORT int cnd_broadcast(cnd_t *condition)
{
	pause_before_wake();
	return REAL(cnd_broadcast)(condition);
}

/* Wakes and waits; beginning to wait pays first. */
RUNTIME_EXPORT int pthread_barrier_wait(pthread_barrier_t *barrier)
{
	WAIT(wait, WAIT_FOR_THREAD)
	return REAL(pthread_barrier_wait)(barrier);
}

/*
 * Whether a failed try is worth waiting: errno is put back for that. The real functions are
 * cancellation points even where they do not wait.
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

RUNTIME_EXPORT int sem_wait(sem_t *semaphore)
{
	int code;

	if (!must_wait(semaphore, &code))
		return code;
	WAIT(wait, WAIT_FOR_THREAD)
	code = UNLESS_TICKED(REAL(sem_wait)(semaphore));
	wait.was_woken = !code;
	return code;
}

RUNTIME_EXPORT int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict until)
{
	int code;

	if (!must_wait(semaphore, &code))
		return code;
	WAIT(wait, WAIT_FOR_THREAD)
	code = UNLESS_TICKED(REAL(sem_timedwait)(semaphore, until));
	wait.was_woken = !code;
	return code;
}

RUNTIME_EXPORT int sem_clockwait(sem_t *restrict semaphore, clockid_t clock,
				 const struct timespec *restrict until)
{
	int code;

	if (!must_wait(semaphore, &code))
		return code;
	WAIT(wait, WAIT_FOR_THREAD)
	code = UNLESS_TICKED(REAL(sem_clockwait)(semaphore, clock, until));
	wait.was_woken = !code;
	return code;
}

RUNTIME_EXPORT int sem_post(sem_t *semaphore)
{
	pause_before_wake();
	return REAL(sem_post)(semaphore);
}
