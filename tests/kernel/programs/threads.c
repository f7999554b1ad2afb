/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * threads - programs whose parallelism is known, for tests of lever scale.
 *
 *	threads spin NUMBER MS      NUMBER threads, each busy for MS of CPU time, once all exist
 *	threads wait MS             two threads: one is busy, and one spins until it is done
 *	threads percore MS          a busy thread for each core by sched_getaffinity, all at once
 *	threads asleep MS           one thread, asleep
 *	threads lock MS             one thread sleeps so long with a lock that another wants
 *	threads pong ROUNDS         two threads wake each other; prints how often they waited
 *	threads turns ROUNDS MS     two threads take turns, ROUNDS times each, busy for MS
 *	threads stages ROUNDS       one thread works, then two as long; with spans and a point
 *	threads fork NUMBER MS      so many children one after the other, each asleep
 *	threads cores               prints how many cores it may use, as it is told
 *	threads exec PROGRAM ...    its second thread executes another program
 */
#include <lever.h>

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
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

static pthread_barrier_t all_exist;

static void *be_busy(void *unused)
{
	struct timespec used;
	(void)unused;
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	while (used.tv_sec * 1000 + used.tv_nsec / 1000000 < milliseconds);
	return NULL;
}

/* However late the machine lets them begin, so many live at once. */
static void *be_busy_at_once(void *unused)
{
	pthread_barrier_wait(&all_exist);
	return be_busy(unused);
}

/* As locks do that spin before they sleep. */
static void *wait_for_turn(void *unused)
{
	(void)unused;
	while (!__atomic_load_n(&turn, __ATOMIC_ACQUIRE))
#ifdef __x86_64__
		__builtin_ia32_pause();
#elif defined(__aarch64__)
		__asm__ volatile("yield");
#else
		__asm__ volatile(".4byte 0x0100000f"); /* riscv: pause */
#endif
	return NULL;
}

static int spin_beside(void)
{
	pthread_t other;

	if (pthread_create(&other, NULL, wait_for_turn, NULL))
		return 1;
	be_busy(NULL);
	__atomic_store_n(&turn, 1, __ATOMIC_RELEASE);
	return pthread_join(other, NULL);
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

static void play(int own, long times)
{
	pthread_mutex_lock(&lock);
	for (long i = 0; i < times; i++) {
		while (turn != own)
			pthread_cond_wait(&turned, &lock);
		turn = !own;
		pthread_cond_signal(&turned);
	}
	pthread_mutex_unlock(&lock);
}

static void *play_second(void *times)
{
	play(1, *(long *)times);
	return NULL;
}

static sem_t may_begin[2];
static long rounds;

static void *take_turns(void *own)
{
	sem_t *mine = own;
	struct timespec used;
	for (long i = 1; i <= rounds; i++) {
		sem_wait(mine);
		do
			clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
		while (used.tv_sec * 1000 + used.tv_nsec / 1000000 < i * milliseconds);
		sem_post(mine == &may_begin[0] ? &may_begin[1] : &may_begin[0]);
	}
	return NULL;
}

static int turns(void)
{
	pthread_t threads[2];

	sem_init(&may_begin[0], 0, 1);
	sem_init(&may_begin[1], 0, 0);
	for (int i = 0; i < 2; i++)
		if (pthread_create(&threads[i], NULL, take_turns, &may_begin[i]))
			return 1;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

static volatile unsigned long result;

__attribute__((noinline)) static void work_alone(void)
{
	unsigned long value = result;
	for (long i = 0; i < 1500000; i++)
		value = value * 6364136223846793005u + 1442695040888963407u;
	result = value;
}

__attribute__((noinline)) static void *work_together(void *seed)
{
	unsigned long value = (unsigned long)seed;
	for (long i = 0; i < 1500000; i++)
		value = value * 6364136223846793005u + 1442695040888963407u;
	result = value;
	return NULL;
}

static int stages(void)
{
	for (long i = 0; i < rounds; i++) {
		pthread_t other;
		{
			LEVER_SPAN("alone");
			work_alone();
		}
		{
			LEVER_SPAN("together");
			if (pthread_create(&other, NULL, work_together, (void *)1))
				return 1;
			work_together(NULL);
			pthread_join(other, NULL);
		}
		LEVER_PROGRESS_NAMED("rounds");
	}
	return 0;
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

static int run_at_once(unsigned count)
{
	if (pthread_barrier_init(&all_exist, NULL, count))
		return 1;
	return run_threads((int)count, be_busy_at_once, NULL);
}

static int pong(long times)
{
	pthread_t second;
	struct rusage usage;

	if (pthread_create(&second, NULL, play_second, &times))
		return 1;
	play(0, times);
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
		return run_at_once((unsigned)number);
	rounds = number;
	if (!strcmp(what, "turns"))
		return turns();
	if (!strcmp(what, "stages"))
		return stages();
	if (!strcmp(what, "wait"))
		return spin_beside();
	if (!strcmp(what, "percore") && !sched_getaffinity(0, sizeof(cores), &cores))
		return run_at_once((unsigned)CPU_COUNT(&cores));
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
