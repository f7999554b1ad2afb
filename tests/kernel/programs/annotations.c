/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * annotations - every annotation of lever.h, in known numbers, by threads, signal handlers and
 * processes.
 *
 *	annotations               the whole tour
 *	annotations flood MARKS   two threads that write instants as fast as they can
 *	annotations forever       one span after the other, for ten seconds
 */
#include <lever.h>

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long flood_marks;

static void nap_ms(long ms)
{
	struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
	while (nanosleep(&time, &time))
		;
}

static void leave_early(int number)
{
	LEVER_SPAN("leaves early");
	if (number)
		return;
	LEVER_INSTANT("never");
}

static void *second(void *unused)
{
	(void)unused;
	LEVER_THREAD_NAME("second");
	LEVER_SPAN("second's");
	LEVER_FLOW_IN("order", 77);
	LEVER_END("handed over"); /* begun in the first thread */
	return NULL;
}

static void on_signal(int number)
{
	(void)number;
	LEVER_INSTANT("in a handler");
}

static void *raise_often(void *unused)
{
	(void)unused;
	for (int i = 0; i < 100; i++) {
		LEVER_SPAN("raising");
		raise(SIGUSR1);
	}
	return NULL;
}

static void in_processes(const char *self)
{
	pid_t child = fork();
	if (!child) {
		LEVER_PROCESS_NAME("the child");
		LEVER_INSTANT("in a child");
		LEVER_SPAN("until exec");
		execl(self, self, "after-exec", (char *)NULL);
		_exit(1);
	}
	waitpid(child, NULL, 0);
	child = vfork();
	if (!child)
		_exit(0);
	waitpid(child, NULL, 0);
}

static void tour(const char *self)
{
	pthread_t threads[2];

	{
		LEVER_SPAN("outer");
		for (int i = 0; i < 10; i++) {
			LEVER_SPAN_VALUE("inner", i);
			LEVER_COUNTER("level", -i);
			nap_ms(2);
		}
	}
	LEVER_BEGIN_TEXT("with text", "a \"quoted\" text\n");
	LEVER_END("with text");
	LEVER_INSTANT_VALUE("wide", 0x123456789abcdef0u);
	LEVER_PROGRESS_NAMED("unit");
	leave_early(1);
	LEVER_BEGIN("handed over");
	LEVER_FLOW_OUT("order", 77);
	pthread_create(&threads[0], NULL, second, NULL);
	pthread_create(&threads[1], NULL, raise_often, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	in_processes(self);
	LEVER_BEGIN("never ends");
}

static void *flood(void *unused)
{
	(void)unused;
	for (long i = 0; i < flood_marks; i++)
		LEVER_INSTANT_VALUE("flood", i);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];

	signal(SIGUSR1, on_signal);
	if (argc == 2 && !strcmp(argv[1], "after-exec")) {
		LEVER_INSTANT("after exec");
	} else if (argc == 2 && !strcmp(argv[1], "forever")) {
		for (int i = 0; i < 10000; i++) {
			LEVER_SPAN("forever");
			nap_ms(1);
		}
	} else if (argc == 3) {
		flood_marks = atol(argv[2]);
		for (int i = 0; i < 2; i++)
			pthread_create(&threads[i], NULL, flood, NULL);
		for (int i = 0; i < 2; i++)
			pthread_join(threads[i], NULL);
	} else {
		tour(argv[0]);
	}
	return 0;
}
