/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * event_loop - one thread answers a client that always has a request waiting, and keeps house
 * each 5 ms by a timer. The timer goes by the wall clock, so its work has its share of the
 * thread whatever else becomes faster.
 *
 * period = 600 * A / (1 - 0.25 * B)
 * cuts = 25 50 75
 */
#include "work.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/wait.h>

#define EACH_NS 5000000

static uint64_t request_loops, house_loops;

WORK_FUNCTION void answer(uint64_t loops)
{
	WORK(loops); /* target A */
}

WORK_FUNCTION void keep_house(uint64_t loops)
{
	WORK(loops); /* target B */
}

/* Three requests under way. */
static void run_client(int server)
{
	char byte = 0;

	for (int i = 0; i < 2; i++)
		if (write(server, &byte, 1) != 1)
			_exit(1);
	while (write(server, &byte, 1) == 1 && read(server, &byte, 1) == 1)
		;
	_exit(0);
}

static int take_event(int descriptor, int client)
{
	uint64_t word = 0;

	if (descriptor == client) {
		if (read(client, &word, 1) != 1)
			return 1;
		answer(request_loops);
		LEVER_PROGRESS_NAMED("answer");
		work.visits++;
		return write(client, &word, 1) != 1;
	}
	if (read(descriptor, &word, sizeof(word)) != sizeof(word))
		return 1;
	while (word--)
		keep_house(house_loops);
	return 0;
}

static int run_loop(int client)
{
	struct itimerspec each = {{0, EACH_NS}, {0, EACH_NS}};
	int timer = timerfd_create(CLOCK_MONOTONIC, 0), loop = epoll_create1(0);
	struct epoll_event event = {.events = EPOLLIN};

	for (int i = 0; i < 2; i++) {
		event.data.fd = i ? timer : client;
		if (epoll_ctl(loop, EPOLL_CTL_ADD, event.data.fd, &event))
			return 1;
	}
	if (timerfd_settime(timer, 0, &each, NULL))
		return 1;
	while (work_goes_on()) {
		int count = epoll_wait(loop, &event, 1, -1);
		if (count == 1 && take_event(event.data.fd, client))
			return 1;
	}
	return 0;
}

int main(int count, char **arguments)
{
	int ends[2];

	work_begin(count, arguments);
	request_loops = work_loops(600, 'A');
	house_loops = work_loops(1250, 'B');
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		return 1;
	pid_t client = fork();
	close(ends[client ? 0 : 1]);
	if (!client)
		run_client(ends[0]);
	int failed = run_loop(ends[1]);
	close(ends[1]);
	waitpid(client, NULL, 0);
	if (!failed)
		work_end();
	return failed;
}
