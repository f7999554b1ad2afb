/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * connection - a client and a server process on a TCP connection of this machine: the client
 * prepares requests and sends them, the server works on each and answers. An answer is one visit.
 */
#pragma once

#include "work.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/wait.h>

typedef void connection_work(void);

static inline int connection_pair(int *listener, struct sockaddr_in *address)
{
	socklen_t size = sizeof(*address);

	*address = (struct sockaddr_in){.sin_family = AF_INET,
					.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	*listener = socket(AF_INET, SOCK_STREAM, 0);
	return *listener < 0 || bind(*listener, (struct sockaddr *)address, size) ||
	       listen(*listener, 1) || getsockname(*listener, (struct sockaddr *)address, &size);
}

/* Where several requests are under way: what the scheduler puts together cannot work together. */
static inline void connection_pin(int in_flight, int core)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(core, &set);
	if (in_flight > 1)
		sched_setaffinity(0, sizeof(set),
				  &set); /* fails on one core, where it is as well */
}

static inline void connection_serve(int listener, connection_work *serve)
{
	int connection = accept(listener, NULL, NULL), one = 1;
	char request;

	setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	while (read(connection, &request, 1) == 1) {
		serve();
		if (write(connection, &request, 1) != 1)
			break;
	}
	_exit(0);
}

/* With `in_flight` requests sent and not yet answered, until the time is over. */
static inline int connection_run(connection_work *prepare, connection_work *serve, int in_flight)
{
	struct sockaddr_in address;
	int listener, one = 1;
	char answer = 0;

	if (connection_pair(&listener, &address))
		return 1;
	pid_t server = fork();
	connection_pin(in_flight, !server);
	if (!server)
		connection_serve(listener, serve);
	int connection = socket(AF_INET, SOCK_STREAM, 0);
	if (connect(connection, (struct sockaddr *)&address, sizeof(address)))
		return 1;
	setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	for (int i = 1; i < in_flight; i++)
		if (write(connection, &answer, 1) != 1)
			return 1;
	while (work_goes_on()) {
		prepare();
		if (write(connection, &answer, 1) != 1 || read(connection, &answer, 1) != 1)
			return 1;
		LEVER_PROGRESS_NAMED("answer");
		work.visits++;
	}
	close(connection);
	waitpid(server, NULL, 0);
	return 0;
}
