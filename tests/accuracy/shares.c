/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * shares - one thread that computes, waits in all ways, and times itself: the truth for shares.py.
 *
 * 	shares SECONDS FILE
 *
 * FILE is made, on a disk that knows O_DIRECT. Every kind of time has a line of its own. For each,
 * the thread reads the clock, its CPU time, and how long it was runnable without a CPU (schedstat)
 * before and after; what is left is time blocked. A second process competes for the CPU now and
 * then. Prints a line for each kind: name, line, and wall, CPU, runnable and blocked nanoseconds.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BLOCK 65536
#define FILE_BYTES (64u << 20)

struct kind {
	const char *name;
	unsigned line;
	uint64_t wall_ns, cpu_ns, runnable_ns;
};

enum { COMPUTE, COMPETE, READ, SYNC, LOCK, PIPE, SLEEP, KINDS };
static struct kind kinds[KINDS] = {
	[COMPUTE] = {.name = "compute"}, [COMPETE] = {.name = "compete"}, [READ] = {.name = "read"},
	[SYNC] = {.name = "sync"},       [LOCK] = {.name = "lock"},       [PIPE] = {.name = "pipe"},
	[SLEEP] = {.name = "sleep"},
};

/* In memory shared with the competing process. */
static volatile int *competes;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
/* Helpers sleep until they are needed: polling would disturb the timed calls. */
static int requests[2], answers[2], holds[2], held[2], races[2], schedstat, data;
static uint64_t begin_wall, begin_cpu, begin_runnable;

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;
	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t runnable_ns(void)
{
	char text[128] = "";
	unsigned long long on_cpu = 0, runnable = 0;
	if (pread(schedstat, text, sizeof(text) - 1, 0) < 0 ||
	    sscanf(text, "%llu %llu", &on_cpu, &runnable) != 2)
		exit(1);
	return runnable;
}

static void begin(void)
{
	begin_runnable = runnable_ns();
	begin_cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	begin_wall = clock_ns(CLOCK_MONOTONIC);
}

static void end(struct kind *kind, unsigned line)
{
	kind->wall_ns += clock_ns(CLOCK_MONOTONIC) - begin_wall;
	kind->cpu_ns += clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin_cpu;
	kind->runnable_ns += runnable_ns() - begin_runnable;
	kind->line = line;
}

/* On one line, to which all time of the call belongs. */
#define TIMED(kind, call)                    \
	do {                                 \
		begin();                     \
		call;                        \
		end(&kinds[kind], __LINE__); \
	} while (0)

static void nap(long microseconds)
{
	nanosleep(&(struct timespec){.tv_nsec = microseconds * 1000}, NULL);
}

__attribute__((noinline, noipa)) static void burn(unsigned long loops)
{
	for (; loops; loops--)
		__asm__ volatile("" : "+r"(loops));
}

static void tell(const int *pipe_of)
{
	char letter = 'x';
	if (write(pipe_of[1], &letter, 1) != 1)
		exit(1);
}

static bool is_told(const int *pipe_of)
{
	char letter;
	return read(pipe_of[0], &letter, 1) == 1;
}

/* Holds the mutex for a while, when asked. */
static void *hold(void *nothing)
{
	while (is_told(holds)) {
		pthread_mutex_lock(&mutex);
		tell(held);
		nap(3300);
		pthread_mutex_unlock(&mutex);
	}
	return nothing;
}

static void *answer(void *nothing)
{
	while (is_told(requests)) {
		nap(2700);
		tell(answers);
	}
	return nothing;
}

static pid_t start_competitor(void)
{
	pid_t pid = fork();
	while (!pid && is_told(races))
		while (*competes)
			burn(10000);
	return pid;
}

static void round_of_all(char *block)
{
	static unsigned position;
	char letter;

	TIMED(COMPUTE, burn(12000000));
	*competes = 1;
	tell(races);
	TIMED(COMPETE, burn(12000000));
	*competes = 0;
	for (int i = 0; i < 24; i++, position++) {
		off_t at = (off_t)(position * 7919 % (FILE_BYTES / BLOCK)) * BLOCK;
		TIMED(READ, (void)!pread(data, block, BLOCK, at));
	}
	if (pwrite(data, block, BLOCK, (off_t)(position % 64) * BLOCK) != BLOCK)
		exit(1);
	TIMED(SYNC, fdatasync(data));
	tell(holds);
	if (!is_told(held))
		exit(1);
	TIMED(LOCK, pthread_mutex_lock(&mutex));
	pthread_mutex_unlock(&mutex);
	tell(requests);
	TIMED(PIPE, (void)!read(answers[0], &letter, 1));
	TIMED(SLEEP, nanosleep(&(struct timespec){.tv_nsec = 3700000}, NULL));
}

static int prepare(const char *path, char **block)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(0, &one);
	competes = mmap(NULL, sizeof(*competes), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			-1, 0);
	schedstat = open("/proc/thread-self/schedstat", O_RDONLY);
	data = open(path, O_RDWR | O_CREAT | O_TRUNC | O_DIRECT, 0600);
	if (competes == MAP_FAILED || schedstat < 0 || data < 0 || pipe(requests) ||
	    pipe(answers) || pipe(holds) || pipe(held) || pipe(races) ||
	    posix_memalign((void **)block, 4096, BLOCK) || sched_setaffinity(0, sizeof(one), &one))
		return -1;
	memset(*block, 'b', BLOCK);
	for (off_t at = 0; at < (off_t)FILE_BYTES; at += BLOCK)
		if (pwrite(data, *block, BLOCK, at) != BLOCK)
			return -1;
	return 0;
}

int main(int argc, char **argv)
{
	pthread_t holder, answerer;
	char *block;

	if (argc != 3 || prepare(argv[2], &block)) {
		fprintf(stderr, "shares SECONDS FILE: %s\n", strerror(errno));
		return 1;
	}
	pid_t competitor = start_competitor();
	pthread_create(&holder, NULL, hold, NULL);
	pthread_create(&answerer, NULL, answer, NULL);
	uint64_t over = clock_ns(CLOCK_MONOTONIC) + (uint64_t)(atof(argv[1]) * 1e9);
	while (clock_ns(CLOCK_MONOTONIC) < over)
		round_of_all(block);
	kill(competitor, SIGKILL);
	waitpid(competitor, NULL, 0);
	unlink(argv[2]);
	printf("thread %d\n", (int)syscall(SYS_gettid));
	for (int i = 0; i < KINDS; i++)
		printf("%s %u %llu %llu %llu\n", kinds[i].name, kinds[i].line,
		       (unsigned long long)kinds[i].wall_ns, (unsigned long long)kinds[i].cpu_ns,
		       (unsigned long long)kinds[i].runnable_ns);
	fflush(stdout);
	_exit(0);
}
