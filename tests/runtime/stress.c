/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stress - a program that does what is hard for a preloaded library, and prints what it did.
 *
 *	stress SECONDS ROUND-THREADS
 *
 * In each round: many threads are created and joined, with 8 mutexes, conditions, read-write locks,
 * semaphores and barriers between them; some are cancelled while they wait, some call pthread_exit;
 * children are made by fork, vfork and posix_spawn, and one executes this program again; timers
 * send SIGPROF, threads send signals to each other, one handler leaves by siglongjmp, one runs on
 * an alternate stack. Prints sums of each round, which must be the same with and without a
 * profiler.
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#ifdef STRESS_POINTS
#include <lever.h>
#else
#define LEVER_PROGRESS_NAMED(name) ((void)0)
#endif

#define MUTEXES 8
#define VISITS 20

extern char **environ;
static char *own_path;
static pthread_mutex_t mutexes[MUTEXES];
static long sums[MUTEXES];
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t queue_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t queue_filled = PTHREAD_COND_INITIALIZER;
static int queue_length, queue_taken;
static sem_t semaphore;
static _Atomic long posted, shared_reads, signals_seen, profile_ticks, alternate_seen;

static void must(int condition, const char *what)
{
	if (condition)
		return;
	printf("stress: %s: %s\n", what, strerror(errno));
	fflush(stdout);
	_exit(9);
}

static void spin(int amount)
{
	for (volatile int i = 0; i < amount; i++)
		;
}

/* ---- threads with locks ---- */

static void *visit_locks(void *argument)
{
	long number = (long)argument;

	for (int i = 0; i < VISITS; i++) {
		int which = (int)((number + i) % MUTEXES);
		pthread_mutex_lock(&mutexes[which]);
		sums[which]++;
		spin(200);
		pthread_mutex_unlock(&mutexes[which]);
		if (number % 5 == 0) {
			pthread_rwlock_wrlock(&rwlock);
			pthread_rwlock_unlock(&rwlock);
		} else {
			pthread_rwlock_rdlock(&rwlock);
			shared_reads++;
			pthread_rwlock_unlock(&rwlock);
		}
		LEVER_PROGRESS_NAMED("lock");
	}
	sem_post(&semaphore);
	posted++;
	if (number % 7 == 0)
		pthread_exit((void *)(number + 1));
	return (void *)(number + 1);
}

static void *take_from_queue(void *argument)
{
	pthread_mutex_lock(&queue_mutex);
	while (!queue_length)
		pthread_cond_wait(&queue_filled, &queue_mutex);
	queue_length--;
	queue_taken++;
	pthread_mutex_unlock(&queue_mutex);
	return argument;
}

static int run_c11(void *argument)
{
	struct timespec time = {.tv_nsec = 1000};
	thrd_sleep(&time, NULL);
	return (int)(long)argument;
}

static void test_threads(int count)
{
	pthread_t *threads = calloc((size_t)count, sizeof(*threads));
	pthread_t takers[4];
	thrd_t c11;
	int result;

	for (int i = 0; i < 4; i++)
		must(!pthread_create(&takers[i], NULL, take_from_queue, NULL), "a taker");
	for (long i = 0; i < count; i++)
		must(!pthread_create(&threads[i], NULL, visit_locks, (void *)i), "a thread");
	for (int i = 0; i < 4; i++) {
		pthread_mutex_lock(&queue_mutex);
		queue_length++;
		pthread_cond_signal(&queue_filled);
		pthread_mutex_unlock(&queue_mutex);
	}
	for (long i = 0; i < count; i++) {
		void *value;
		must(!pthread_join(threads[i], &value) && value == (void *)(i + 1), "a join");
	}
	for (int i = 0; i < 4; i++)
		must(!pthread_join(takers[i], NULL), "a taker's join");
	for (int i = 0; i < count; i++)
		must(!sem_wait(&semaphore), "the semaphore");
	must(thrd_create(&c11, run_c11, (void *)7L) == thrd_success, "a C11 thread");
	must(thrd_join(c11, &result) == thrd_success && result == 7, "a C11 join");
	free(threads);
}

static pthread_barrier_t barrier;

static void *meet(void *argument)
{
	for (int i = 0; i < 50; i++)
		pthread_barrier_wait(&barrier);
	return argument;
}

static void test_barrier(void)
{
	pthread_t threads[4];

	pthread_barrier_init(&barrier, NULL, 4);
	for (int i = 0; i < 4; i++)
		must(!pthread_create(&threads[i], NULL, meet, NULL), "a thread at the barrier");
	for (int i = 0; i < 4; i++)
		must(!pthread_join(threads[i], NULL), "a join at the barrier");
	pthread_barrier_destroy(&barrier);
}

/* ---- cancellation ---- */

static _Atomic int cleaned;

static void clean(void *argument)
{
	cleaned++;
	pthread_mutex_unlock(argument);
}

static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static pthread_mutex_t never_mutex = PTHREAD_MUTEX_INITIALIZER;

static void *wait_for_ever(void *argument)
{
	if (argument) {
		struct timespec time = {.tv_sec = 1000};
		while (nanosleep(&time, &time))
			; /* ended by the program's own SIGPROF */
		return NULL;
	}
	pthread_mutex_lock(&never_mutex);
	pthread_cleanup_push(clean, &never_mutex);
	for (;;)
		pthread_cond_wait(&never, &never_mutex);
	pthread_cleanup_pop(1);
	return NULL;
}

static void test_cancellation(void)
{
	pthread_t threads[4];

	for (long i = 0; i < 4; i++)
		must(!pthread_create(&threads[i], NULL, wait_for_ever, (void *)(i % 2)),
		     "a waiter");
	usleep(500);
	for (int i = 0; i < 4; i++) {
		void *value;
		must(!pthread_cancel(threads[i]), "a cancellation");
		must(!pthread_join(threads[i], &value) && value == PTHREAD_CANCELED,
		     "a cancelled join");
	}
	must(!pthread_mutex_trylock(&never_mutex), "the mutex of who was cancelled");
	pthread_mutex_unlock(&never_mutex);
}

/* ---- processes ---- */

static void test_processes(void)
{
	char child[] = "child", path[] = "PATH=/bin:/usr/bin";
	char *arguments[] = {own_path, child, NULL}, *bare[] = {path, NULL};
	int status, pipes[2];
	char letters[3] = {0};
	pid_t pid;

	must(!pipe(pipes), "a pipe");
	pid = fork();
	if (!pid) {
		test_barrier();
		must(write(pipes[1], "f", 1) == 1, "a write");
		_exit(3);
	}
	must(waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 3, "a forked child");
	pid = vfork();
	if (!pid) {
		execv(own_path, arguments);
		_exit(9);
	}
	must(waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 4, "a vforked child");
	must(!posix_spawn(&pid, own_path, NULL, NULL, arguments, bare), "a spawn");
	must(waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 4, "a spawned child");
	pid = fork();
	if (!pid) {
		execl("/nonexistent/program", "program", (char *)NULL);
		must(errno == ENOENT, "errno of an exec that fails");
		spin(2000000);
		must(write(pipes[1], "e", 1) == 1, "a write");
		execle(own_path, own_path, "child", (char *)NULL, bare);
		_exit(9);
	}
	must(waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 4, "an executing child");
	must(read(pipes[0], letters, 2) == 2 && !strcmp(letters, "fe"), "what the children wrote");
	close(pipes[0]);
	close(pipes[1]);
}

/* ---- signals ---- */

static sigjmp_buf jump;

static void on_jump(int number)
{
	(void)number;
	siglongjmp(jump, 1);
}

static void on_signal(int number)
{
	int before = errno;
	(void)number;
	signals_seen++;
	errno = before;
}

static void on_profile(int number)
{
	(void)number;
	profile_ticks++;
	spin(100);
}

static void on_alternate(int number)
{
	(void)number;
	alternate_seen++;
	spin(3000000); /* long enough to be sampled there */
}

/* A handler that leaves a blocked call by siglongjmp, as old programs limit the time of a read. */
static void test_jump(void)
{
	struct itimerval soon = {.it_value.tv_usec = 2000}, off = {0};
	int pipes[2];
	char letter;

	must(!pipe(pipes), "a pipe");
	signal(SIGALRM, on_jump);
	if (!sigsetjmp(jump, 1)) {
		setitimer(ITIMER_REAL, &soon, NULL);
		ssize_t got = read(pipes[0], &letter, 1);
		must(got == 77, "a read that cannot end");
	}
	setitimer(ITIMER_REAL, &off, NULL);
	signal(SIGALRM, SIG_DFL);
	close(pipes[0]);
	close(pipes[1]);
}

static void *block_all(void *argument)
{
	sigset_t all, old;
	int number;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	spin(3000000);
	pthread_kill(pthread_self(), SIGUSR2);
	must(!sigwait(&all, &number) && number == SIGUSR2, "a signal that was waited for");
	return argument;
}

static void test_signals(void)
{
	static char stack[65536];
	stack_t alternate = {.ss_sp = stack, .ss_size = sizeof(stack)};
	struct sigaction action = {.sa_handler = on_alternate, .sa_flags = SA_ONSTACK};
	pthread_t thread;

	signal(SIGUSR1, on_signal);
	for (int i = 0; i < 20; i++)
		must(!raise(SIGUSR1), "a raise");
	must(!sigaltstack(&alternate, NULL), "an alternate stack");
	sigaction(SIGUSR2, &action, NULL);
	raise(SIGUSR2);
	must(!pthread_create(&thread, NULL, block_all, NULL) && !pthread_join(thread, NULL),
	     "a thread that blocks all signals");
	test_jump();
}

/* ---- all ---- */

int main(int count, char **words)
{
	int children = 4, round_threads = count > 2 ? atoi(words[2]) : 50, rounds = 0;
	double seconds = count > 1 ? atof(words[1]) : 1;
	struct itimerval often = {.it_value.tv_usec = 3000, .it_interval.tv_usec = 3000};
	struct timespec begin, now;

	if (count == 2 && !strcmp(words[1], "child")) {
		spin(1000000);
		return 4;
	}
	own_path = words[0];
	for (int i = 0; i < MUTEXES; i++)
		pthread_mutex_init(&mutexes[i], NULL);
	sem_init(&semaphore, 0, 0);
	signal(SIGPROF, on_profile);
	setitimer(ITIMER_PROF, &often, NULL);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	do {
		test_threads(round_threads);
		test_barrier();
		test_cancellation();
		test_processes();
		test_signals();
		rounds++;
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((double)(now.tv_sec - begin.tv_sec) + (double)(now.tv_nsec - begin.tv_nsec) / 1e9 <
		 seconds);
	long sum = 0;
	for (int i = 0; i < MUTEXES; i++)
		sum += sums[i];
	printf("each round: %ld visits of a lock, %ld posts, %ld reads, %d taken, %d cleaned, "
	       "%ld signals, %ld on the alternate stack, %d children; ticks of SIGPROF: %s\n",
	       sum / rounds, posted / rounds, shared_reads / rounds, queue_taken / rounds,
	       cleaned / rounds, signals_seen / rounds, alternate_seen / rounds, children,
	       profile_ticks ? "yes" : "no");
	printf("exact: %s\n",
	       sum % rounds || posted % rounds || queue_taken % rounds ? "no" : "yes");
	return 0;
}
