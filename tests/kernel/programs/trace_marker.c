/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trace_marker - a program that writes Android's annotations to trace_marker, and has static probes
 * of its own (where sys/sdt.h is there).
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifdef HAS_PROBES
#include <sys/sdt.h>
#else
#define DTRACE_PROBE(provider, name) ((void)0)
#endif

static int file;

static void put(const char *text)
{
	if (write(file, text, strlen(text)) < 0)
		abort();
}

static void sleep_ms(long ms)
{
	struct timespec time = {.tv_nsec = ms * 1000000};
	nanosleep(&time, NULL);
}

int main(void)
{
	char text[64];

	file = open("/sys/kernel/tracing/trace_marker", O_WRONLY);
	if (file < 0)
		return 77;
	for (int i = 0; i < 10; i++) {
		snprintf(text, sizeof(text), "B|%d|draw|all", (int)getpid());
		put(text);
		put("B|1|inner");
		DTRACE_PROBE(lever_test, step_begin);
		sleep_ms(2);
		DTRACE_PROBE(lever_test, step_end);
		put("E|1");
		snprintf(text, sizeof(text), "C|1|queue|%d", -i);
		put(text);
		put("E");
		DTRACE_PROBE(lever_test, stepped);
	}
	put("S|1|load|77");
	put("I|1|here\n");
	put("F|1|load|77");
	put("free text");
	return 0;
}
