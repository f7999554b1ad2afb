/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sampled - a program with the files of the runtime library linked into it: for SECONDS its
 * threads, children and another image of itself work, wait and wake each other in all ways that the
 * engine and the thread sanitizer follow (no C11 threads, no cancellation). Prints whether nothing
 * was lost.
 *
 *	sampled SECONDS [child]
 */
#include <errno.h>
#include <fcntl.h>
#include <lever.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#define THREADS 4
#define TURNS 12

typedef struct {
	size_t count, backoff;
} coz_counter;
coz_counter *_coz_get_counter(int kind, const char *name);

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_barrier_t barrier;
static sem_t semaphore;
static int ends[2], event, file;
static long added, written, spun, turn, rounds; /* each below a lock of its own */
static volatile sig_atomic_t signals;

static void on_signal(int number)
{
	signals += number == SIGUSR1;
}

/* Twice, so that some of its code is in the target and some is not. */
__attribute__((noinline)) static void work(int loops)
{
	for (volatile int i = 0; i < loops; i++)
		;
}

__attribute__((noinline)) static void work_more(int loops)
{
	for (volatile int i = 0; i < loops; i++)
		;
}

static void use_locks(void)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 100;
	if (pthread_mutex_timedlock(&mutex, &until))
		abort();
	added++;
	work(20000);
	pthread_mutex_unlock(&mutex);
	pthread_rwlock_rdlock(&rwlock);
	work_more(5000);
	pthread_rwlock_unlock(&rwlock);
	pthread_rwlock_wrlock(&rwlock);
	written++;
	pthread_rwlock_unlock(&rwlock);
	pthread_spin_lock(&spin);
	spun++;
	pthread_spin_unlock(&spin);
}

static void take_turn(long own)
{
	pthread_mutex_lock(&mutex);
	while (turn % THREADS != own)
		pthread_cond_wait(&changed, &mutex);
	turn++;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&mutex);
}

static void use_files(long own)
{
	struct pollfd readable = {.fd = ends[0], .events = POLLIN};
	uint64_t value = 1;
	char byte = 0;

	if (own % 2) {
		if (write(ends[1], &byte, 1) != 1 || eventfd_write(event, value))
			abort();
	} else if (poll(&readable, 1, -1) != 1 || read(ends[0], &byte, 1) != 1 ||
		   eventfd_read(event, &value)) {
		abort();
	}
	if (pwrite(file, &byte, 1, own) != 1 || fsync(file) || pread(file, &byte, 1, own) != 1)
		abort();
}

static void *run(void *argument)
{
	long own = (long)argument;
	const struct timespec nap = {.tv_nsec = 50000};

	for (int i = 0; i < TURNS; i++) {
		LEVER_SPAN("turn");
		work(50000);
		use_locks();
		take_turn(own);
		use_files(own);
		nanosleep(&nap, NULL);
		pthread_kill(pthread_self(), SIGUSR1);
		sem_post(&semaphore);
		pthread_barrier_wait(&barrier);
		work_more(50000);
		LEVER_PROGRESS_NAMED("turn");
		__atomic_fetch_add(&_coz_get_counter(1, "coz")->count, 1, __ATOMIC_RELAXED);
	}
	return argument;
}

static int child_status(pid_t pid)
{
	int status;
	return waitpid(pid, &status, 0) == pid ? status : -1;
}

static int use_children(const char *own_path, char *const *environment)
{
	char *arguments[] = {(char *)(uintptr_t)own_path, (char *)(uintptr_t) "0",
			     (char *)(uintptr_t) "child", NULL};
	pid_t spawned, pid = fork();

	if (!pid) {
		use_locks();
		work(100000);
		LEVER_PROGRESS_NAMED("turn");
		_exit(3);
	}
	if (posix_spawn(&spawned, own_path, NULL, NULL, arguments, environment))
		return 0;
	pid_t replaced = fork();
	if (!replaced) {
		execv(own_path, arguments);
		_exit(9);
	}
	return child_status(pid) == 3 << 8 && !child_status(spawned) && !child_status(replaced);
}

static int round_of_threads(void)
{
	pthread_t threads[THREADS];
	void *result;
	int is_right = 1;

	for (long i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, run, (void *)i))
			abort();
	for (int i = 0; i < THREADS * TURNS; i++)
		sem_wait(&semaphore);
	for (long i = 0; i < THREADS; i++)
		is_right &= !pthread_join(threads[i], &result) && result == (void *)i;
	rounds++;
	return is_right;
}

/* ---- threads of C11 ---- */

static mtx_t mutex_c11;
static cnd_t changed_c11;
static long turn_c11;

static int run_c11(void *argument)
{
	long own = (long)argument;

	for (int i = 0; i < TURNS; i++) {
		mtx_lock(&mutex_c11);
		while (turn_c11 % THREADS != own)
			cnd_wait(&changed_c11, &mutex_c11);
		work(20000);
		turn_c11++;
		if (i % 2)
			cnd_broadcast(&changed_c11);
		mtx_unlock(&mutex_c11);
		if (i % 2 == 0)
			cnd_broadcast(&changed_c11);
		work_more(20000);
	}
	return (int)own + 1;
}

static int round_of_c11(void)
{
	thrd_t threads[THREADS];
	int result, is_right = 1;

	for (long i = 0; i < THREADS; i++)
		if (thrd_create(&threads[i], run_c11, (void *)i) != thrd_success)
			abort();
	for (int i = 0; i < THREADS; i++)
		is_right &= thrd_join(threads[i], &result) == thrd_success && result == i + 1;
	return is_right;
}

/* ---- threads that are cancelled where they wait ---- */

static int is_waiting; /* below mutex */

static void unlock(void *lock)
{
	pthread_mutex_unlock(lock);
}

/* The mutex is taken again before the thread ends. */
static void *wait_for_ever(void *argument)
{
	pthread_mutex_lock(&mutex);
	pthread_cleanup_push(unlock, &mutex);
	is_waiting++;
	for (;;)
		pthread_cond_wait(&changed, &mutex);
	pthread_cleanup_pop(1);
	return argument;
}

static void *sleep_for_ever(void *argument)
{
	pthread_mutex_lock(&mutex);
	is_waiting++;
	pthread_mutex_unlock(&mutex);
	for (;;)
		pause();
	return argument;
}

static int cancel_one(void *(*function)(void *))
{
	pthread_t thread;
	void *result = NULL;
	int is_ready = 0;

	is_waiting = 0;
	if (pthread_create(&thread, NULL, function, NULL))
		abort();
	while (!is_ready) {
		pthread_mutex_lock(&mutex);
		is_ready = is_waiting;
		pthread_mutex_unlock(&mutex);
	}
	work(50000);
	pthread_cancel(thread);
	return !pthread_join(thread, &result) && result == PTHREAD_CANCELED;
}

static int use_streams(void)
{
	FILE *stream = tmpfile();
	char line[64] = "";

	if (!stream || fputs("a line\n", stream) < 0 || fflush(stream))
		return 0;
	rewind(stream);
	int is_right = fgets(line, sizeof(line), stream) && !strcmp(line, "a line\n");
	return !fclose(stream) && is_right;
}

static time_t seconds(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec;
}

int main(int count, char **words)
{
	time_t until = seconds() + (count > 1 ? atoi(words[1]) : 1);
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
	int is_right = 1;

	file = memfd_create("file", MFD_CLOEXEC);
	event = eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE);
	if (file < 0 || event < 0 || pipe(ends) || sigaction(SIGUSR1, &action, NULL))
		return 1;
	pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
	pthread_barrier_init(&barrier, NULL, THREADS);
	sem_init(&semaphore, 0, 0);
	mtx_init(&mutex_c11, mtx_plain);
	cnd_init(&changed_c11);
	do
		is_right &= round_of_threads() & round_of_c11() & cancel_one(wait_for_ever) &
			    cancel_one(sleep_for_ever) & use_streams();
	while (seconds() < until);
	is_right &= added == spun && written == spun && spun == rounds * THREADS * TURNS &&
		    turn == spun;
	if (count <= 2)
		is_right &= use_children(words[0], environ);
	printf("exact: %s, %ld rounds, %ld and %ld of %ld, %ld turns\n", is_right ? "yes" : "no",
	       rounds, added, written, spun, turn);
	return !is_right;
}
