/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * waits - a known number of units, each after a wait: for a timer (a short one: nap), or for
 * another thread (which answers at once: turn).
 *
 *	waits timer|nap|pipe|turn|lock UNITS
 */
#include "unit.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int ends[2], asks[2];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static const char *what;
static const struct timespec two_ms = {0, 2000000}, short_while = {0, 20000};

__attribute__((noinline)) static long wait_for_it(void)
{
	char byte;
	long result = 0;

	if (!strcmp(what, "timer")) {
		result = nanosleep(&two_ms, NULL);
	} else if (!strcmp(what, "nap")) {
		result = nanosleep(&short_while, NULL);
	} else if (!strcmp(what, "pipe")) {
		result = read(ends[0], &byte, 1);
	} else if (!strcmp(what, "turn")) {
		result = write(asks[1], "", 1) + read(ends[0], &byte, 1);
	} else {
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
	}
	__asm__ volatile("" : "+r"(result)); /* no call above is this function's last step */
	return result;
}

/* Lets the other go on every 2 ms, and keeps the mutex in between. */
static void *make_wait(void *unused)
{
	for (;;) {
		pthread_mutex_lock(&mutex);
		nanosleep(&two_ms, NULL);
		pthread_mutex_unlock(&mutex);
		if (write(ends[1], "", 1) != 1)
			return unused;
		nanosleep(&(struct timespec){0, 100000}, NULL);
	}
}

static void *answer(void *unused)
{
	char byte;

	while (read(asks[0], &byte, 1) == 1 && write(ends[1], &byte, 1) == 1)
		;
	return unused;
}

int main(int count, char **arguments)
{
	long units = count > 2 ? atol(arguments[2]) : 0;
	pthread_t other;

	if (units < 1 || pipe(ends) || pipe(asks))
		return 2;
	what = arguments[1];
	if (!strcmp(what, "turn"))
		pthread_create(&other, NULL, answer, NULL);
	else if (strcmp(what, "timer") && strcmp(what, "nap"))
		pthread_create(&other, NULL, make_wait, NULL);
	for (long i = 0; i < units; i++) {
		wait_for_it();
		do_units(1);
	}
	return 0;
}
