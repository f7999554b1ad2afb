// SPDX-License-Identifier: BSD-2-Clause
/*
 * teams - one program on up to four hosts: a request goes from host to host in a ring of TCP
 * connections, and on each two threads work at once before it is sent on. One host works at a time.
 *
 *     teams PORT ROUNDS ADDRESS WORK ADDRESS WORK ...
 *
 * An address and thousands of steps of each host; LEVER_HOST_INDEX says which it is.
 */
#include "ring.h"

#include <pthread.h>
#include <stdbool.h>

struct team {
	pthread_barrier_t begin, end;
	double thousands;
	bool is_over;
};

/* A thread shares no cache line with the other. */
static __attribute__((noinline)) void work(double thousands)
{
	volatile unsigned long sink = 0;

	for (unsigned long left = (unsigned long)(thousands * 1000); left; left--)
		sink += left;
}

static void *help(void *context)
{
	struct team *team = context;

	for (;;) {
		pthread_barrier_wait(&team->begin);
		if (team->is_over)
			return NULL;
		work(team->thousands);
		pthread_barrier_wait(&team->end);
	}
}

static void work_together(struct team *team)
{
	pthread_barrier_wait(&team->begin);
	work(team->thousands);
	pthread_barrier_wait(&team->end);
}

static int go_round(struct team *team, bool is_first, int from, int to, unsigned long rounds)
{
	char request = 0;

	for (; rounds; rounds--) {
		if (!is_first && read(from, &request, 1) != 1)
			return 1;
		work_together(team);
		if (write(to, &request, 1) != 1)
			return 1;
		if (is_first && read(from, &request, 1) != 1)
			return 1;
	}
	return 0;
}

int main(int count, char **arguments)
{
	const char *index = getenv("LEVER_HOST_INDEX");
	int hosts = (count - 3) / 2, host = index ? atoi(index) : 0;
	struct team team = {0};
	pthread_t helper;

	if (hosts < 2 || host >= hosts)
		return 2;
	struct sockaddr_in own = address_of(arguments[3 + 2 * host], arguments[1]);
	struct sockaddr_in next = address_of(arguments[3 + 2 * ((host + 1) % hosts)], arguments[1]);
	int listener = listen_at(&own), to = connect_to(&next);
	int from = listener < 0 || to < 0 ? -1 : accept(listener, NULL, NULL);
	if (from < 0)
		return 1;
	team.thousands = atof(arguments[4 + 2 * host]);
	pthread_barrier_init(&team.begin, NULL, 2);
	pthread_barrier_init(&team.end, NULL, 2);
	pthread_create(&helper, NULL, help, &team);
	int code = go_round(&team, !host, from, to, strtoul(arguments[2], NULL, 10));
	team.is_over = true;
	pthread_barrier_wait(&team.begin);
	pthread_join(helper, NULL);
	return code;
}
