// SPDX-License-Identifier: BSD-2-Clause
/*
 * hops - one program on up to four hosts: a request goes from host to host in a ring of TCP
 * connections, and each works before it sends it on. One host works at a time.
 *
 *     hops PORT SECONDS ADDRESS WORK ADDRESS WORK ...
 *
 * An address and thousands of steps of each host; LEVER_HOST_INDEX says which it is. The first one
 * prints rounds a second.
 */
#include "lever.h"
#include "ring.h"
#include "steps.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define HOSTS_MOST 4

static __attribute__((noinline)) void hop_a(double thousands)
{
	STEPS(thousands, 1);
}

static __attribute__((noinline)) void hop_b(double thousands)
{
	STEPS(thousands, 2);
}

static __attribute__((noinline)) void hop_c(double thousands)
{
	STEPS(thousands, 3);
}

static __attribute__((noinline)) void hop_d(double thousands)
{
	STEPS(thousands, 4);
}

static void work(int host, double thousands)
{
	static void (*const hops[HOSTS_MOST])(double) = {hop_a, hop_b, hop_c, hop_d};

	LEVER_SPAN("work");
	hops[host](thousands);
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int go_round(int host, int from, int to, double seconds, double thousands)
{
	double begin = now();
	unsigned long rounds = 0;
	char request = 0;

	while (host || now() - begin < seconds) {
		if (host && read(from, &request, 1) != 1)
			return 0;
		work(host, thousands);
		if (write(to, &request, 1) != 1)
			return 0;
		if (host)
			continue;
		if (read(from, &request, 1) != 1)
			return 1;
		LEVER_PROGRESS_NAMED("round");
		rounds++;
	}
	printf("%.1f rounds a second\n", (double)rounds / (now() - begin));
	return 0;
}

int main(int count, char **arguments)
{
	const char *index = getenv("LEVER_HOST_INDEX");
	int hosts = (count - 3) / 2, host = index ? atoi(index) : HOSTS_MOST;
	cpu_set_t set;

	if (hosts < 2 || hosts > HOSTS_MOST || host >= hosts)
		return 2;
	CPU_ZERO(&set);
	CPU_SET(host % 2, &set);
	sched_setaffinity(0, sizeof(set), &set); /* fails on one core, where it is as well */
	struct sockaddr_in own = address_of(arguments[3 + 2 * host], arguments[1]);
	struct sockaddr_in next = address_of(arguments[3 + 2 * ((host + 1) % hosts)], arguments[1]);
	int listener = listen_at(&own), to = connect_to(&next);
	int from = listener < 0 || to < 0 ? -1 : accept(listener, NULL, NULL);
	return from < 0 ?
		       1 :
		       go_round(host, from, to, atof(arguments[2]), atof(arguments[4 + 2 * host]));
}
