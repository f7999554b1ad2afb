/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * calls - calls every function that liblever-runtime.so interposes, so that it waits, is woken,
 * times out or is interrupted where it can, and prints for each whether all results are right.
 *
 *	calls THREADS-LIBRARY
 *
 * Its output must be the same with and without the library; engine.py also looks that no interposed
 * name is missing here. Waits and processes are in calls_files.c and calls_processes.c.
 */
#include "calls.h"

#include <pthread.h>
#include <semaphore.h>
#include <sys/sem.h>
#include <threads.h>

__attribute__((noinline)) void say(const char *name, int is_right)
{
	printf("%s %s\n", name, is_right ? "right" : "WRONG");
}

struct timespec in_ms(clockid_t clock, long ms)
{
	struct timespec time;

	clock_gettime(clock, &time);
	time.tv_nsec += ms * 1000000;
	time.tv_sec += time.tv_nsec / 1000000000;
	time.tv_nsec %= 1000000000;
	return time;
}

/* ---- something that another thread does a little later ---- */

static pthread_t helper;
static int (*helper_does)(void *);
static void *helper_argument;

static void *help(void *unused)
{
	usleep(2000);
	helper_does(helper_argument);
	return unused;
}

void later(int (*does)(void *), void *argument)
{
	helper_does = does;
	helper_argument = argument;
	if (pthread_create(&helper, NULL, help, NULL))
		abort();
}

int later_is_done(void)
{
	return !pthread_join(helper, NULL);
}

/* ---- locks that another thread holds for a moment ---- */

struct kind {
	int (*take)(void *), (*give)(void *);
};

#define WRAP(name, function, type)           \
	static int name(void *lock)          \
	{                                    \
		return function((type)lock); \
	}
WRAP(mutex_take, pthread_mutex_lock, pthread_mutex_t *)
WRAP(mutex_give, pthread_mutex_unlock, pthread_mutex_t *)
WRAP(rwlock_take, pthread_rwlock_wrlock, pthread_rwlock_t *)
WRAP(rwlock_give, pthread_rwlock_unlock, pthread_rwlock_t *)
WRAP(spin_take, pthread_spin_lock, pthread_spinlock_t *)
WRAP(spin_give, pthread_spin_unlock, pthread_spinlock_t *)
WRAP(mtx_take, mtx_lock, mtx_t *)
WRAP(mtx_give, mtx_unlock, mtx_t *)

static const struct kind mutexes = {mutex_take, mutex_give}, rwlocks = {rwlock_take, rwlock_give},
			 spins = {spin_take, spin_give}, c11 = {mtx_take, mtx_give};
static sem_t is_held, may_give;
static const struct kind *holder_kind;
static void *holder_lock;

static void *hold(void *unused)
{
	holder_kind->take(holder_lock);
	sem_post(&is_held);
	if (unused) /* until it is told */
		sem_wait(&may_give);
	else
		usleep(2000);
	holder_kind->give(holder_lock);
	return unused;
}

/* Another thread takes the lock and gives it back after a moment, or when told. */
static pthread_t held(const struct kind *kind, void *lock, bool until_told)
{
	pthread_t thread;

	holder_kind = kind;
	holder_lock = lock;
	if (pthread_create(&thread, NULL, hold, until_told ? &thread : NULL))
		abort();
	sem_wait(&is_held);
	return thread;
}

/* `call` takes a held lock, once it is free. */
#define TAKES(name, kind, lock, call)                                                           \
	do {                                                                                    \
		pthread_t holder = held(&kind, lock, false);                                    \
		int code = call;                                                                \
		say(#name, !code && !kind.give(lock) && !pthread_join(holder, NULL) && !call && \
				   !kind.give(lock));                                           \
	} while (0)

/* `call` gives up. */
#define GIVES_UP(name, kind, lock, call, answer)                                        \
	do {                                                                            \
		pthread_t holder = held(&kind, lock, true);                             \
		int code = call;                                                        \
		sem_post(&may_give);                                                    \
		say(#name " in time", code == (answer) && !pthread_join(holder, NULL)); \
	} while (0)

/* `call` returns `busy` while the lock is held, and takes it once it is free. */
#define TRIES(name, kind, lock, call, busy)                                                      \
	do {                                                                                     \
		pthread_t holder = held(&kind, lock, true);                                      \
		int code = call;                                                                 \
		sem_post(&may_give);                                                             \
		say(#name,                                                                       \
		    code == (busy) && !pthread_join(holder, NULL) && !call && !kind.give(lock)); \
	} while (0)

static struct timespec soon(void)
{
	return in_ms(CLOCK_REALTIME, 3);
}

static struct timespec far(void)
{
	return in_ms(CLOCK_REALTIME, 60000);
}

static void call_locks(void)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
	int spin = 0; /* pthread_spinlock_t is one, and volatile */
	mtx_t plain;

	pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
	mtx_init(&plain, mtx_timed);
	TAKES(pthread_mutex_lock, mutexes, &mutex, pthread_mutex_lock(&mutex));
	TAKES(pthread_mutex_timedlock, mutexes, &mutex,
	      pthread_mutex_timedlock(&mutex, &(struct timespec){far().tv_sec, 0}));
	TAKES(pthread_mutex_clocklock, mutexes, &mutex,
	      pthread_mutex_clocklock(&mutex, CLOCK_REALTIME, &(struct timespec){far().tv_sec, 0}));
	TRIES(pthread_mutex_trylock, mutexes, &mutex, pthread_mutex_trylock(&mutex), EBUSY);
	say("pthread_mutex_unlock", !pthread_mutex_lock(&mutex) && !pthread_mutex_unlock(&mutex));
	TAKES(pthread_rwlock_rdlock, rwlocks, &rwlock, pthread_rwlock_rdlock(&rwlock));
	TAKES(pthread_rwlock_timedrdlock, rwlocks, &rwlock,
	      pthread_rwlock_timedrdlock(&rwlock, &(struct timespec){far().tv_sec, 0}));
	TAKES(pthread_rwlock_clockrdlock, rwlocks, &rwlock,
	      pthread_rwlock_clockrdlock(&rwlock, CLOCK_REALTIME,
					 &(struct timespec){far().tv_sec, 0}));
	TAKES(pthread_rwlock_wrlock, rwlocks, &rwlock, pthread_rwlock_wrlock(&rwlock));
	TAKES(pthread_rwlock_timedwrlock, rwlocks, &rwlock,
	      pthread_rwlock_timedwrlock(&rwlock, &(struct timespec){far().tv_sec, 0}));
	TAKES(pthread_rwlock_clockwrlock, rwlocks, &rwlock,
	      pthread_rwlock_clockwrlock(&rwlock, CLOCK_REALTIME,
					 &(struct timespec){far().tv_sec, 0}));
	TRIES(pthread_rwlock_tryrdlock, rwlocks, &rwlock, pthread_rwlock_tryrdlock(&rwlock), EBUSY);
	TRIES(pthread_rwlock_trywrlock, rwlocks, &rwlock, pthread_rwlock_trywrlock(&rwlock), EBUSY);
	say("pthread_rwlock_unlock", !pthread_rwlock_rdlock(&rwlock) && !rwlock_give(&rwlock));
	TAKES(pthread_spin_lock, spins, &spin, pthread_spin_lock(&spin));
	TRIES(pthread_spin_trylock, spins, &spin, pthread_spin_trylock(&spin), EBUSY);
	say("pthread_spin_unlock", !spin_take(&spin) && !pthread_spin_unlock(&spin));
	TAKES(mtx_lock, c11, &plain, mtx_lock(&plain));
	TAKES(mtx_timedlock, c11, &plain,
	      mtx_timedlock(&plain, &(struct timespec){far().tv_sec, 0}));
	TRIES(mtx_trylock, c11, &plain, mtx_trylock(&plain), thrd_busy);
	say("mtx_unlock", mtx_lock(&plain) == thrd_success && mtx_unlock(&plain) == thrd_success);
}

static void call_locks_in_time(void)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
	struct timespec until;
	mtx_t plain;

	mtx_init(&plain, mtx_timed);
	GIVES_UP(pthread_mutex_timedlock, mutexes, &mutex,
		 (until = soon(), pthread_mutex_timedlock(&mutex, &until)), ETIMEDOUT);
	GIVES_UP(pthread_mutex_clocklock, mutexes, &mutex,
		 (until = soon(), pthread_mutex_clocklock(&mutex, CLOCK_REALTIME, &until)),
		 ETIMEDOUT);
	GIVES_UP(pthread_rwlock_timedwrlock, rwlocks, &rwlock,
		 (until = soon(), pthread_rwlock_timedwrlock(&rwlock, &until)), ETIMEDOUT);
	GIVES_UP(pthread_rwlock_timedrdlock, rwlocks, &rwlock,
		 (until = soon(), pthread_rwlock_timedrdlock(&rwlock, &until)), ETIMEDOUT);
	GIVES_UP(mtx_timedlock, c11, &plain, (until = soon(), mtx_timedlock(&plain, &until)),
		 thrd_timedout);
	pthread_mutexattr_t checks;
	pthread_mutexattr_init(&checks);
	pthread_mutexattr_settype(&checks, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(&mutex, &checks);
	say("pthread_mutex_lock twice",
	    !pthread_mutex_lock(&mutex) && pthread_mutex_lock(&mutex) == EDEADLK &&
		    !pthread_mutex_unlock(&mutex) && pthread_mutex_unlock(&mutex) == EPERM);
}

/* ---- conditions ---- */

static pthread_mutex_t condition_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static mtx_t c11_mutex;
static cnd_t c11_condition;
static int turns;

static int turn_one(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&condition_mutex);
	turns++;
	pthread_cond_signal(&condition);
	return pthread_mutex_unlock(&condition_mutex);
}

static int turn_all(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&condition_mutex);
	turns++;
	pthread_cond_broadcast(&condition);
	return pthread_mutex_unlock(&condition_mutex);
}

static int turn_c11(void *all)
{
	mtx_lock(&c11_mutex);
	turns++;
	if (all)
		cnd_broadcast(&c11_condition);
	else
		cnd_signal(&c11_condition);
	return mtx_unlock(&c11_mutex);
}

/* Waits by `call` until `does` has been done. */
#define TURNS(name, lock, unlock, mutex, does, argument, call) \
	do {                                                   \
		int code = 0, before;                          \
		lock(mutex);                                   \
		before = turns;                                \
		later(does, argument);                         \
		while (turns == before && !code)               \
			code = call;                           \
		unlock(mutex);                                 \
		say(#name, later_is_done() && !code);          \
	} while (0)

static void call_conditions(void)
{
	struct timespec real = in_ms(CLOCK_REALTIME, 60000), until;

	mtx_init(&c11_mutex, mtx_plain);
	cnd_init(&c11_condition);
	TURNS(pthread_cond_wait, pthread_mutex_lock, pthread_mutex_unlock, &condition_mutex,
	      turn_one, NULL, pthread_cond_wait(&condition, &condition_mutex));
	TURNS(pthread_cond_signal, pthread_mutex_lock, pthread_mutex_unlock, &condition_mutex,
	      turn_one, NULL, pthread_cond_wait(&condition, &condition_mutex));
	TURNS(pthread_cond_timedwait, pthread_mutex_lock, pthread_mutex_unlock, &condition_mutex,
	      turn_all, NULL, pthread_cond_timedwait(&condition, &condition_mutex, &real));
	TURNS(pthread_cond_broadcast, pthread_mutex_lock, pthread_mutex_unlock, &condition_mutex,
	      turn_all, NULL, pthread_cond_wait(&condition, &condition_mutex));
	TURNS(pthread_cond_clockwait, pthread_mutex_lock, pthread_mutex_unlock, &condition_mutex,
	      turn_one, NULL,
	      pthread_cond_clockwait(&condition, &condition_mutex, CLOCK_REALTIME, &real));
	TURNS(cnd_wait, mtx_lock, mtx_unlock, &c11_mutex, turn_c11, NULL,
	      cnd_wait(&c11_condition, &c11_mutex));
	TURNS(cnd_signal, mtx_lock, mtx_unlock, &c11_mutex, turn_c11, NULL,
	      cnd_wait(&c11_condition, &c11_mutex));
	TURNS(cnd_timedwait, mtx_lock, mtx_unlock, &c11_mutex, turn_c11, &turns,
	      cnd_timedwait(&c11_condition, &c11_mutex, &real));
	TURNS(cnd_broadcast, mtx_lock, mtx_unlock, &c11_mutex, turn_c11, &turns,
	      cnd_wait(&c11_condition, &c11_mutex));
	pthread_mutex_lock(&condition_mutex);
	until = in_ms(CLOCK_MONOTONIC, 3);
	say("pthread_cond_clockwait in time",
	    pthread_cond_clockwait(&condition, &condition_mutex, CLOCK_MONOTONIC, &until) ==
		    ETIMEDOUT);
	until = soon();
	say("pthread_cond_timedwait in time",
	    pthread_cond_timedwait(&condition, &condition_mutex, &until) == ETIMEDOUT);
	pthread_mutex_unlock(&condition_mutex);
	mtx_lock(&c11_mutex);
	until = soon();
	say("cnd_timedwait in time",
	    cnd_timedwait(&c11_condition, &c11_mutex, &until) == thrd_timedout);
	mtx_unlock(&c11_mutex);
}

/* ---- semaphores and barriers ---- */

static int post(void *semaphore)
{
	return sem_post(semaphore);
}

static int set_post(void *set)
{
	struct sembuf up = {.sem_op = 1};
	return semop(*(int *)set, &up, 1);
}

static int meet(void *barrier)
{
	return pthread_barrier_wait(barrier);
}

#define AFTER(name, does, argument, call)             \
	do {                                          \
		later(does, argument);                \
		int code = call;                      \
		say(#name, later_is_done() && !code); \
	} while (0)

static void call_semaphores(void)
{
	struct timespec real = in_ms(CLOCK_REALTIME, 60000), until = soon(),
			minute = {.tv_sec = 60}, moment = {.tv_nsec = 3000000};
	struct sembuf down = {.sem_op = -1};
	int set = semget(IPC_PRIVATE, 1, 0600);
	pthread_barrier_t barrier;
	sem_t semaphore;

	sem_init(&semaphore, 0, 0);
	AFTER(sem_wait, post, &semaphore, sem_wait(&semaphore));
	AFTER(sem_timedwait, post, &semaphore, sem_timedwait(&semaphore, &real));
	AFTER(sem_clockwait, post, &semaphore, sem_clockwait(&semaphore, CLOCK_REALTIME, &real));
	say("sem_post", !sem_post(&semaphore) && !sem_wait(&semaphore));
	errno = 77;
	say("sem_timedwait in time", sem_timedwait(&semaphore, &until) == -1 && errno == ETIMEDOUT);
	until = in_ms(CLOCK_MONOTONIC, 3);
	say("sem_clockwait in time",
	    sem_clockwait(&semaphore, CLOCK_MONOTONIC, &until) == -1 && errno == ETIMEDOUT);
	AFTER(semop, set_post, &set, semop(set, &down, 1));
	AFTER(semtimedop, set_post, &set, semtimedop(set, &down, 1, &minute));
	say("semtimedop in time", semtimedop(set, &down, 1, &moment) == -1 && errno == EAGAIN);
	semctl(set, 0, IPC_RMID);
	pthread_barrier_init(&barrier, NULL, 2);
	later(meet, &barrier);
	int code = pthread_barrier_wait(&barrier);
	say("pthread_barrier_wait",
	    later_is_done() && (!code || code == PTHREAD_BARRIER_SERIAL_THREAD));
}

/* ---- threads ---- */

static void *leave(void *argument)
{
	usleep(2000);
	pthread_exit(argument);
}

static int leave_c11(void *argument)
{
	usleep(2000);
	thrd_exit(argument ? 9 : 8);
}

static void *stay(void *argument)
{
	for (;;)
		pause();
	return argument;
}

static void call_threads(void)
{
	struct timespec real = in_ms(CLOCK_REALTIME, 60000), until = soon();
	pthread_t thread;
	thrd_t other;
	void *value = NULL;
	int result = 0;

	say("pthread_create", !pthread_create(&thread, NULL, leave, &real));
	say("pthread_exit", !pthread_join(thread, &value) && value == &real);
	pthread_create(&thread, NULL, leave, &real);
	say("pthread_join", !pthread_join(thread, NULL));
	pthread_create(&thread, NULL, leave, &real);
	say("pthread_timedjoin_np", !pthread_timedjoin_np(thread, &value, &real));
	pthread_create(&thread, NULL, leave, &real);
	say("pthread_clockjoin_np",
	    !pthread_clockjoin_np(thread, &value, CLOCK_REALTIME, &real) && value == &real);
	pthread_create(&thread, NULL, stay, NULL);
	say("pthread_timedjoin_np in time",
	    pthread_timedjoin_np(thread, &value, &until) == ETIMEDOUT);
	say("pthread_cancel",
	    !pthread_cancel(thread) && !pthread_join(thread, &value) && value == PTHREAD_CANCELED);
	say("thrd_create", thrd_create(&other, leave_c11, NULL) == thrd_success);
	say("thrd_exit", thrd_join(other, &result) == thrd_success && result == 8);
	thrd_create(&other, leave_c11, &real);
	say("thrd_join", thrd_join(other, &result) == thrd_success && result == 9);
}

int main(int count, char **words)
{
	if (count == 3 && !strcmp(words[1], "exit"))
		return getenv("CALLS") ? atoi(words[2]) : 98;
	setvbuf(stdout, NULL, _IOFBF, 65536);
	sem_init(&is_held, 0, 0);
	sem_init(&may_give, 0, 0);
	call_locks();
	call_locks_in_time();
	call_conditions();
	call_semaphores();
	call_threads();
	call_files();
	call_times();
	call_signals();
	call_processes(words[0], count > 1 ? words[1] : "");
	return 0;
}
