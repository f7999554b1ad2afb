/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * exits - does a known number of units, and ends in a given way.
 *
 *	exits WAY UNITS [FILE]
 *
 * All processes and threads together do UNITS units, however they begin and end. FILE, where given,
 * gets a line once the last one is done.
 */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHILDREN 200
#define THREADS 2000
#define AT_ONCE 4

extern char **environ;

static const char *done_file;
static volatile sig_atomic_t has_been_told;

static void say_done(void)
{
	if (!done_file)
		return;
	int fd = open(done_file, O_WRONLY | O_CREAT | O_APPEND, 0644);
	if (fd >= 0 && write(fd, "done\n", 5) == 5)
		close(fd);
}

static int plain(long count)
{
	do_units(count);
	say_done();
	return 0;
}

static int seven(long count)
{
	plain(count);
	return 7;
}

static int crash(long count)
{
	plain(count);
	raise(SIGSEGV);
	return 1;
}

static int killed(long count)
{
	plain(count);
	kill(getpid(), SIGKILL);
	return 1;
}

static void *last_thread(void *count)
{
	do_units(*(long *)count);
	exit(5);
}

/* The first thread ends long before the program. */
static int mainless(long count)
{
	static long kept;
	pthread_t thread;

	kept = count;
	if (pthread_create(&thread, NULL, last_thread, &kept))
		return 1;
	pthread_exit(NULL);
}

static int daemonize(long count)
{
	if (fork())
		return 0;
	setsid();
	if (fork())
		_exit(0);
	plain(count);
	_exit(0);
}

static int run_self(long count)
{
	char number[32];

	snprintf(number, sizeof(number), "%ld", count);
	execl("/proc/self/exe", "exits", "plain", number, (char *)NULL);
	_exit(errno);
}

static int exec_other(long count)
{
	do_units(count / 2);
	return run_self(count - count / 2);
}

static int wait_all(void)
{
	int status, failed = 0;

	while (wait(&status) > 0)
		failed |= status;
	return failed != 0;
}

static int children(long count)
{
	for (int i = 0; i < CHILDREN; i++) {
		if (i >= AT_ONCE)
			wait(NULL);
		if (!fork()) {
			do_units(count / CHILDREN);
			_exit(0);
		}
	}
	return wait_all();
}

static int vforked(long count)
{
	for (int i = 0; i < 20; i++) {
		unit();
		if (!vfork())
			run_self(count / 20 - 1);
		wait(NULL);
	}
	return 0;
}

static int spawned(long count)
{
	char number[32];
	char *arguments[] = {(char *)"exits", (char *)"plain", number, NULL};

	snprintf(number, sizeof(number), "%ld", count / 20);
	for (int i = 0; i < 20; i++)
		if (posix_spawn(NULL, "/proc/self/exe", NULL, NULL, arguments, environ))
			return 1;
	return wait_all();
}

static void *some_units(void *count)
{
	do_units(*(long *)count);
	return NULL;
}

static int threads(long count)
{
	long each = count / THREADS;

	for (int i = 0; i < THREADS; i += AT_ONCE) {
		pthread_t ids[AT_ONCE];
		for (int j = 0; j < AT_ONCE; j++)
			if (pthread_create(&ids[j], NULL, some_units, &each))
				return 1;
		for (int j = 0; j < AT_ONCE; j++)
			pthread_join(ids[j], NULL);
	}
	return 0;
}

static void on_interrupt(int number)
{
	has_been_told = number;
}

/* Ends in its own way when it is interrupted. */
static int calm(long count)
{
	signal(SIGINT, on_interrupt);
	signal(SIGTERM, on_interrupt);
	for (long i = 0; i < count && !has_been_told; i++)
		unit();
	say_done();
	return has_been_told ? 9 : 0;
}

static int writes(long count)
{
	int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);

	for (long i = 0; i < count; i++) {
		unit();
		if (write(nowhere, "x", 1) != 1)
			return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*go)(long count);
	} ways[] = {
		{"plain", plain},     {"seven", seven},       {"crash", crash},
		{"killed", killed},   {"mainless", mainless}, {"daemon", daemonize},
		{"exec", exec_other}, {"children", children}, {"vfork", vforked},
		{"spawn", spawned},   {"threads", threads},   {"calm", calm},
		{"writes", writes},
	};

	done_file = argc > 3 ? argv[3] : NULL;
	for (size_t i = 0; argc > 2 && i < sizeof(ways) / sizeof(*ways); i++)
		if (!strcmp(argv[1], ways[i].name))
			return ways[i].go(strtol(argv[2], NULL, 10));
	fprintf(stderr, "usage: exits WAY UNITS [FILE]\n");
	return 2;
}
