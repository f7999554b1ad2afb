// SPDX-License-Identifier: BSD-2-Clause
/*
 * hosts - one program on two hosts: a client on the first sends requests over TCP, a server on the
 * second answers. LEVER_HOST_INDEX says which it is.
 *
 *     hosts SERVER_ADDRESS PORT SECONDS PREPARE SERVE SHARED
 *
 * The last three are steps of work for each request, in thousands: by the client, by the server,
 * and by both in the same function. Each host has a core of its own. Prints visits a second.
 *
 *     hosts - 0 SECONDS
 *
 * Nothing is sent: the first host only prepares, the second only serves, and prints every 20 ms the
 * time (CLOCK_MONOTONIC, ms) and for how much of its CPU time (us) it did not compute.
 */
#include "lever.h"
#include "steps.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static __attribute__((noinline)) void prepare(double thousands)
{
	STEPS(thousands, 1);
}

static __attribute__((noinline)) void serve(double thousands)
{
	STEPS(thousands, 2);
}

static __attribute__((noinline)) void shared(double thousands)
{
	STEPS(thousands, 3);
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void stay_on_core(int core)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(core, &set);
	sched_setaffinity(0, sizeof(set), &set); /* fails on one core, where it is as well */
}

struct server {
	union {
		struct sockaddr any;
		struct sockaddr_in four;
		struct sockaddr_in6 six;
	} address;
	socklen_t size;
};

/* One with ':' is of IPv6. */
static struct server server_of(const char *text, const char *port)
{
	struct server server = {.size = sizeof(server.address.four)};

	server.address.four.sin_family = AF_INET;
	server.address.four.sin_port = htons((unsigned short)atoi(port));
	if (strchr(text, ':')) {
		server.size = sizeof(server.address.six);
		server.address.any.sa_family = AF_INET6;
		inet_pton(AF_INET6, text, &server.address.six.sin6_addr);
	} else {
		inet_pton(AF_INET, text, &server.address.four.sin_addr);
	}
	return server;
}

static int socket_for(const struct server *server)
{
	return socket(server->address.any.sa_family, SOCK_STREAM, 0);
}

static int run_server(int socket_id, const struct server *server, double own, double both)
{
	int one = 1;
	char request;

	setsockopt(socket_id, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(socket_id, &server->address.any, server->size) || listen(socket_id, 1))
		return 1;
	int connection = accept(socket_id, NULL, NULL);
	setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	while (read(connection, &request, 1) == 1) {
		serve(own);
		shared(both);
		if (write(connection, &request, 1) != 1)
			break;
	}
	return 0;
}

static int run_client(int socket_id, const struct server *server, double seconds, double own,
		      double both)
{
	int tries = 0, one = 1;
	char answer = 0;

	while (connect(socket_id, &server->address.any, server->size)) {
		if (++tries > 200)
			return 1;
		usleep(50000);
		close(socket_id);
		socket_id = socket_for(server);
	}
	setsockopt(socket_id, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	double begin = now();
	unsigned long visits = 0;
	while (now() - begin < seconds) {
		prepare(own);
		shared(both);
		if (write(socket_id, &answer, 1) != 1 || read(socket_id, &answer, 1) != 1)
			return 1;
		LEVER_PROGRESS_NAMED("request");
		visits++;
	}
	printf("%.1f requests a second\n", (double)visits / (now() - begin));
	return 0;
}

static double cpu_now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Of a slot of 20 ms. Its own work takes 3 us between two readings, a tick up to 60. */
static void serve_and_tell(void)
{
	double since = now(), last = cpu_now(), paused = 0;

	while (now() - since < 0.02) {
		serve(10);
		LEVER_PROGRESS_NAMED("request");
		double cpu = cpu_now();
		paused += cpu - last > 300e-6 ? cpu - last : 0;
		last = cpu;
	}
	printf("at %.0f paused %.0f\n", now() * 1e3, paused * 1e6);
	fflush(stdout);
}

static void run_alone(int host, double seconds)
{
	double begin = now();

	while (now() - begin < seconds) {
		if (host)
			serve_and_tell();
		else
			prepare(20);
		LEVER_PROGRESS_NAMED("request");
	}
}

int main(int count, char **arguments)
{
	const char *index = getenv("LEVER_HOST_INDEX");

	if (count != 7 && count != 4)
		return 2;
	struct server server = server_of(arguments[1], arguments[2]);
	int host = index ? atoi(index) : 0;
	stay_on_core(host);
	if (count == 4) {
		run_alone(host, atof(arguments[3]));
		return 0;
	}
	int socket_id = socket_for(&server);
	return host ? run_server(socket_id, &server, atof(arguments[5]), atof(arguments[6])) :
		      run_client(socket_id, &server, atof(arguments[3]), atof(arguments[4]),
				 atof(arguments[6]));
}
