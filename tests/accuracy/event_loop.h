/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * event_loop - a thread works on what a peer sends, and keeps house each 5 ms by a timer, which
 * goes by the wall clock. A case gives the work, and runs the peer in a process of its own.
 */
#pragma once

#include "work.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/wait.h>

#define EACH_NS 5000000

static uint64_t request_loops, house_loops;

WORK_FUNCTION void answer(uint64_t loops);
WORK_FUNCTION void keep_house(uint64_t loops);
/* Sends and takes bytes on this socket until it is closed. */
static void run_peer(int socket);

static int take_event(int descriptor, int peer)
{
	uint64_t word = 0;

	if (descriptor == peer) {
		if (read(peer, &word, 1) != 1)
			return 1;
		answer(request_loops);
		LEVER_PROGRESS_NAMED("answer");
		work.visits++;
		return write(peer, &word, 1) != 1;
	}
	if (read(descriptor, &word, sizeof(word)) != sizeof(word))
		return 1;
	while (word--)
		keep_house(house_loops);
	return 0;
}

static int run_loop(int peer)
{
	struct itimerspec each = {{0, EACH_NS}, {0, EACH_NS}};
	int timer = timerfd_create(CLOCK_MONOTONIC, 0), loop = epoll_create1(0);
	struct epoll_event event = {.events = EPOLLIN};

	for (int i = 0; i < 2; i++) {
		event.data.fd = i ? timer : peer;
		if (epoll_ctl(loop, EPOLL_CTL_ADD, event.data.fd, &event))
			return 1;
	}
	if (timerfd_settime(timer, 0, &each, NULL))
		return 1;
	while (work_goes_on()) {
		int count = epoll_wait(loop, &event, 1, -1);
		if (count == 1 && take_event(event.data.fd, peer))
			return 1;
	}
	return 0;
}

static inline int event_loop_run(int count, char **arguments)
{
	int ends[2];

	work_begin(count, arguments);
	request_loops = work_loops(600, 'A');
	house_loops = work_loops(1250, 'B');
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		return 1;
	pid_t peer = fork();
	close(ends[peer ? 0 : 1]);
	if (!peer) {
		run_peer(ends[0]);
		_exit(0);
	}
	int failed = run_loop(ends[1]);
	close(ends[1]);
	waitpid(peer, NULL, 0);
	if (!failed)
		work_end();
	return failed;
}
