/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stress - threads, forks and signals count at once; the sum must be exact.
 *
 * Stands alone, so that it can be built with each sanitizer, statically, and run under valgrind,
 * as C and as C++. The argument "none" expects that there is no page, and that nothing happens.
 */
#include <lever.h>

#include "reader.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>

#define THREADS 8
#define VISITS 200000L
#define CHILDREN 5

static unsigned long handled;

static void handle(int number)
{
	(void)number;
	LEVER_PROGRESS_NAMED("work");
	__atomic_fetch_add(&handled, 1, __ATOMIC_RELAXED);
}

static void *work(void *unused)
{
	(void)unused;
	for (long i = 0; i < VISITS; i++) {
		LEVER_SPAN("piece");
		LEVER_PROGRESS_NAMED("work");
		if (i % 10000 == 0)
			raise(SIGUSR1);
	}
	return NULL;
}

static int child_is_wrong(void)
{
	if (reader_progress("work") != 0)
		return 1;
	__atomic_store_n(&handled, 0, __ATOMIC_RELAXED);
	work(NULL);
	return reader_progress("work") !=
	       VISITS + (long)__atomic_load_n(&handled, __ATOMIC_RELAXED);
}

/* Returns how many children were wrong. */
static int fork_children(void)
{
	int wrong = 0, status;
	for (int i = 0; i < CHILDREN; i++) {
		pid_t pid = fork();
		if (!pid)
			_exit(child_is_wrong());
		if (waitpid(pid, &status, 0) != pid || status)
			wrong++;
	}
	return wrong;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];
	struct points_page *page = reader_own();
	int none = argc > 1 && !strcmp(argv[1], "none"), wrong;
	long long visits, ends;

	signal(SIGUSR1, handle);
	if (page)
		page->names.listening = 1;
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, work, NULL))
			return 2;
	wrong = page ? fork_children() : 0;
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	visits = reader_progress("work");
	ends = reader_visits_of(getpid(), "piece", POINTS_END);
	printf("page at %p: %lld visits, %lld ends, %d of %d children wrong\n", (void *)page,
	       visits, ends, wrong, CHILDREN);
	if (none)
		return page ? 1 : 0;
	return wrong || visits != THREADS * VISITS + (long)handled || ends != THREADS * VISITS;
}
