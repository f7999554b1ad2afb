/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * threads - programs whose parallelism is known, for tests of lever scale.
 *
 *	threads spin NUMBER MS      so many threads, each busy for so much CPU time
 *	threads asleep MS           one thread, asleep
 *	threads lock MS             one thread sleeps so long with a lock that another wants
 *	threads pong ROUNDS         two threads wake each other; prints how often they waited
 *	threads fork NUMBER MS      so many children one after the other, each asleep
 *	threads cores               prints how many cores it may use, as it is told
 *	threads exec PROGRAM ...    its second thread executes another program
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long milliseconds;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turned = PTHREAD_COND_INITIALIZER;
static int turn;

static void *be_busy(void *unused)
{
	struct timespec used;
	(void)unused;
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	while (used.tv_sec * 1000 + used.tv_nsec / 1000000 < milliseconds);
	return NULL;
}

static void sleep_for(long ms)
{
	struct timespec time = {ms / 1000, ms % 1000 * 1000000};
	nanosleep(&time, NULL);
}

static void *want_lock(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void play(int own, long rounds)
{
	pthread_mutex_lock(&lock);
	for (long i = 0; i < rounds; i++) {
		while (turn != own)
			pthread_cond_wait(&turned, &lock);
		turn = !own;
		pthread_cond_signal(&turned);
	}
	pthread_mutex_unlock(&lock);
}

static void *play_second(void *rounds)
{
	play(1, *(long *)rounds);
	return NULL;
}

static void *execute(void *arguments)
{
	execvp(*(char **)arguments, arguments);
	_exit(127);
}

static int run_threads(int count, void *(*run)(void *), void *argument)
{
	pthread_t threads[64];
	for (int i = 0; i < count; i++)
		if (pthread_create(&threads[i], NULL, run, argument))
			return 1;
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

static int pong(long rounds)
{
	pthread_t second;
	struct rusage usage;

	if (pthread_create(&second, NULL, play_second, &rounds))
		return 1;
	play(0, rounds);
	pthread_join(second, NULL);
	getrusage(RUSAGE_SELF, &usage);
	printf("%ld\n", usage.ru_nvcsw);
	return 0;
}

static int hold_lock(void)
{
	pthread_t other;

	pthread_mutex_lock(&lock);
	if (pthread_create(&other, NULL, want_lock, NULL))
		return 1;
	sleep_for(milliseconds);
	pthread_mutex_unlock(&lock);
	return pthread_join(other, NULL);
}

static int make_children(long count)
{
	for (long i = 0; i < count; i++) {
		pid_t pid = fork();
		if (!pid) {
			sleep_for(milliseconds);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	long number = argc > 2 ? atol(argv[2]) : 0;
	cpu_set_t cores;

	milliseconds = argc > 3 ? atol(argv[3]) : number;
	if (!strcmp(what, "spin"))
		return run_threads((int)number, be_busy, NULL);
	if (!strcmp(what, "asleep"))
		sleep_for(milliseconds);
	else if (!strcmp(what, "lock"))
		return hold_lock();
	else if (!strcmp(what, "pong"))
		return pong(number);
	else if (!strcmp(what, "fork"))
		return make_children(number);
	else if (!strcmp(what, "cores") && !sched_getaffinity(0, sizeof(cores), &cores))
		printf("%d\n", CPU_COUNT(&cores));
	else if (!strcmp(what, "exec"))
		return run_threads(1, execute, argv + 2);
	return 0;
}
