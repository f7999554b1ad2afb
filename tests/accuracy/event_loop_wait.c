/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * event_loop_wait - one thread asks a server and works on each answer, one request at a time, and
 * keeps house each 5 ms by a timer, while it waits for an answer or in the way of it.
 *
 * period = measured
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

WORK_FUNCTION void serve(uint64_t loops)
{
	WORK(loops); /* target C */
}

static void run_server(int server)
{
	char byte = 0;

	while (write(server, &byte, 1) == 1 && read(server, &byte, 1) == 1)
		serve(work_loops(300, 'C'));
	_exit(0);
}

static int take_event(int descriptor, int server)
{
	uint64_t word = 0;

	if (descriptor == server) {
		if (read(server, &word, 1) != 1)
			return 1;
		answer(request_loops);
		LEVER_PROGRESS_NAMED("answer");
		work.visits++;
		return write(server, &word, 1) != 1;
	}
	if (read(descriptor, &word, sizeof(word)) != sizeof(word))
		return 1;
	while (word--)
		keep_house(house_loops);
	return 0;
}

static int run_loop(int server)
{
	struct itimerspec each = {{0, EACH_NS}, {0, EACH_NS}};
	int timer = timerfd_create(CLOCK_MONOTONIC, 0), loop = epoll_create1(0);
	struct epoll_event event = {.events = EPOLLIN};

	for (int i = 0; i < 2; i++) {
		event.data.fd = i ? timer : server;
		if (epoll_ctl(loop, EPOLL_CTL_ADD, event.data.fd, &event))
			return 1;
	}
	if (timerfd_settime(timer, 0, &each, NULL))
		return 1;
	while (work_goes_on()) {
		int count = epoll_wait(loop, &event, 1, -1);
		if (count == 1 && take_event(event.data.fd, server))
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
	pid_t server = fork();
	close(ends[server ? 0 : 1]);
	if (!server)
		run_server(ends[0]);
	int failed = run_loop(ends[1]);
	close(ends[1]);
	waitpid(server, NULL, 0);
	if (!failed)
		work_end();
	return failed;
}
