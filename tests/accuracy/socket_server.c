/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * socket_server - one thread waits by epoll for the requests of three clients, threads too, on
 * socket pairs. A client thinks between two requests.
 *
 * period = measured
 */
#include "work.h"

#include <sys/epoll.h>
#include <sys/socket.h>

#define CLIENTS 3
#define MESSAGE 64

static int clients[CLIENTS], poll_set;

WORK_FUNCTION void serve(uint64_t loops)
{
	WORK(loops); /* target A */
}

WORK_FUNCTION void think(uint64_t loops)
{
	WORK(loops); /* target B */
}

static void *run_client(void *end)
{
	uint64_t loops = work_loops(500, 'B');
	char message[MESSAGE] = {0};
	int socket = *(int *)end;

	do
		think(loops);
	while (send(socket, message, MESSAGE, 0) == MESSAGE &&
	       recv(socket, message, MESSAGE, MSG_WAITALL) == MESSAGE);
	return end;
}

static int answer(int socket, uint64_t loops)
{
	char message[MESSAGE];

	if (recv(socket, message, MESSAGE, MSG_WAITALL) != MESSAGE)
		return 0;
	serve(loops);
	if (send(socket, message, MESSAGE, 0) != MESSAGE)
		return 0;
	work.visits++;
	LEVER_PROGRESS_NAMED("request");
	return 1;
}

static int connect_client(int *client)
{
	int ends[2];
	struct epoll_event event = {.events = EPOLLIN};
	pthread_t thread;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		return 0;
	event.data.fd = ends[0];
	*client = ends[1];
	return !epoll_ctl(poll_set, EPOLL_CTL_ADD, ends[0], &event) &&
	       !pthread_create(&thread, NULL, run_client, client);
}

int main(int count, char **arguments)
{
	work_begin(count, arguments);
	uint64_t loops = work_loops(300, 'A');
	poll_set = epoll_create1(0);
	for (int i = 0; i < CLIENTS; i++)
		if (!connect_client(&clients[i]))
			return 1;
	while (work_goes_on()) {
		struct epoll_event events[CLIENTS];
		int ready = epoll_wait(poll_set, events, CLIENTS, 100);
		for (int i = 0; i < ready; i++)
			if (!answer(events[i].data.fd, loops))
				return 1;
	}
	work_end();
	return 0;
}
