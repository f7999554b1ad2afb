/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sites - waits in the C library, each way from a line of its own, through functions without frame
 * pointers, and computes for a while.
 *
 *	sites MILLISECONDS [FOREVER]
 *
 * The lines are marked with the system call in which they wait. With a second argument it sleeps at
 * the end, until it is killed.
 */
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Neither inlined nor left early by a jump: the caller stays on the stack. */
#define CALLED __attribute__((noinline, noipa)) static
#define STAY __asm__ volatile("" ::: "memory")

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int answers[2];

CALLED uint64_t now_ms(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

CALLED void wait_asleep(void)
{
	usleep(3000); /* clock_nanosleep */
	STAY;
}

CALLED void wait_for_poll(void)
{
	struct pollfd nothing = {.fd = -1};
	poll(&nothing, 1, 3); /* poll */
	STAY;
}

CALLED void wait_for_lock(void)
{
	pthread_mutex_lock(&mutex); /* futex */
	STAY;
	pthread_mutex_unlock(&mutex);
}

/* For one that has not come yet: those that have are taken before. */
CALLED void wait_for_answer(void)
{
	char letters[64];
	int pending;
	do {
		if (ioctl(answers[0], FIONREAD, &pending) ||
		    read(answers[0], letters, sizeof(letters)) < 1) /* read */
			exit(1);
	} while (pending);
	STAY;
}

CALLED void wait_for_child(void)
{
	pid_t pid = fork();
	if (!pid) {
		usleep(3000);
		_exit(0);
	}
	waitpid(pid, NULL, 0); /* wait4 */
	STAY;
}

CALLED void compute(void)
{
	for (unsigned long left = 3000000; left; left--)
		__asm__ volatile("" : "+r"(left));
}

/* In the library that the kernel maps. */
CALLED void look_at_clock(void)
{
	for (int i = 0; i < 20000; i++)
		now_ms();
	STAY;
}

/* Deeper or less deep on the stack. */
CALLED void wait_in_all_ways(int depth)
{
	if (depth) {
		wait_in_all_ways(depth - 1);
		STAY;
		return;
	}
	wait_asleep();
	wait_for_poll();
	wait_for_lock();
	wait_for_answer();
	wait_for_child();
	compute();
	look_at_clock();
	STAY;
}

static void *help(void *nothing)
{
	for (;;) {
		pthread_mutex_lock(&mutex);
		nanosleep(&(struct timespec){.tv_nsec = 4000000}, NULL);
		pthread_mutex_unlock(&mutex);
		nanosleep(&(struct timespec){.tv_nsec = 3000000}, NULL);
		if (write(answers[1], "x", 1) != 1)
			return nothing;
	}
}

int main(int argc, char **argv)
{
	pthread_t helper;
	uint64_t over = now_ms() + (argc > 1 ? strtoul(argv[1], NULL, 10) : 1000);

	if (pipe(answers) || pthread_create(&helper, NULL, help, NULL))
		return 1;
	for (int round = 0; now_ms() < over; round++)
		wait_in_all_ways(round % 5);
	if (argc > 2)
		pause();
	return 0;
}
