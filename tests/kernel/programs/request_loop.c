/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * request_loop - a server without any point, and its clients.
 *
 *	request_loop serve PORT LOOPS            works on each request, answers, never ends
 *	request_loop cork PORT LOOPS             the same, and holds each answer back to its end
 *	request_loop tend PORT LOOPS             the same beside a thread that wakes each 50 ms
 *	request_loop sweep PORT LOOPS            beside one that naps, and waits for a lock
 *	request_loop hand PORT LOOPS             by two workers, who are handed connections
 *	request_loop ask PORT LOOPS SECONDS      takes an answer, works, asks again: a closed loop
 *	request_loop tick PORT MICROSECONDS SECONDS   asks at this interval: an open loop
 *
 * The closed loop has two requests under way, so that client and server work at the same time.
 * Clients print their requests per second.
 */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t answering = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) static void work(long loops)
{
	for (volatile long i = 0; i < loops; i++)
		;
}

__attribute__((noinline)) static void think(long loops)
{
	for (volatile long i = 0; i < loops; i++)
		;
}

static double seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static struct sockaddr_in address_of(const char *port)
{
	return (struct sockaddr_in){.sin_family = AF_INET,
				    .sin_port = htons((uint16_t)atoi(port)),
				    .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static bool holds_back;

static ssize_t answer(int connection, const char *text, size_t size)
{
	int held = 1, sent = 0;

	if (!holds_back)
		return write(connection, text, size);
	setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &sent, sizeof(sent));
	setsockopt(connection, IPPROTO_TCP, TCP_CORK, &held, sizeof(held));
	ssize_t written = write(connection, text, size);
	setsockopt(connection, IPPROTO_TCP, TCP_CORK, &sent, sizeof(sent));
	return written;
}

static int serve(const char *port, long loops)
{
	struct sockaddr_in address = address_of(port);
	int listener = socket(AF_INET, SOCK_STREAM, 0), epoll = epoll_create1(0), one = 1;
	struct epoll_event event = {.events = EPOLLIN, .data.fd = listener};
	char request[64];

	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(listener, (struct sockaddr *)&address, sizeof(address)) || listen(listener, 64))
		return 1;
	epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event);
	for (;;) {
		struct epoll_event ready;
		if (epoll_wait(epoll, &ready, 1, -1) != 1)
			continue;
		if (ready.data.fd == listener) {
			event.data.fd = accept(listener, NULL, NULL);
			setsockopt(event.data.fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
			epoll_ctl(epoll, EPOLL_CTL_ADD, event.data.fd, &event);
			continue;
		}
		ssize_t size = read(ready.data.fd, request, sizeof(request));
		if (size <= 0) {
			close(ready.data.fd);
			continue;
		}
		pthread_mutex_lock(&answering);
		work(loops);
		pthread_mutex_unlock(&answering);
		if (answer(ready.data.fd, request, (size_t)size) != size)
			close(ready.data.fd);
	}
}

/* Waits for a condition that seldom comes, as a log's writer does, and prints its CPU time. */
static void *look_after(void *unused)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

	(void)unused;
	pthread_mutex_lock(&mutex);
	for (;;) {
		struct timespec until, cpu;
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += 50000000;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		pthread_cond_timedwait(&condition, &mutex, &until);
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
		printf("%.4f\n", (double)cpu.tv_sec + 1e-9 * (double)cpu.tv_nsec);
		fflush(stdout);
	}
	return NULL;
}

static void *sweep(void *unused)
{
	(void)unused;
	for (;;) {
		usleep(1000);
		pthread_mutex_lock(&answering);
		pthread_mutex_unlock(&answering);
	}
	return NULL;
}

/* One thread waits for connections, two answer, and a fourth commits their answers. */
static struct {
	pthread_mutex_t mutex;
	pthread_cond_t handed, asked, committed;
	int connections[64], count;
	long wanted, done;
} hands = {PTHREAD_MUTEX_INITIALIZER,
	   PTHREAD_COND_INITIALIZER,
	   PTHREAD_COND_INITIALIZER,
	   PTHREAD_COND_INITIALIZER,
	   {0},
	   0,
	   0,
	   0};
static int hand_epoll;

__attribute__((noinline)) static int next_connection(void)
{
	pthread_mutex_lock(&hands.mutex);
	while (!hands.count)
		pthread_cond_wait(&hands.handed, &hands.mutex);
	int connection = hands.connections[--hands.count];
	pthread_mutex_unlock(&hands.mutex);
	return connection;
}

__attribute__((noinline)) static void commit(void)
{
	pthread_mutex_lock(&hands.mutex);
	long own = ++hands.wanted;
	pthread_cond_signal(&hands.asked);
	while (hands.done < own)
		pthread_cond_wait(&hands.committed, &hands.mutex);
	pthread_mutex_unlock(&hands.mutex);
}

static void *commit_all(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&hands.mutex);
	for (;;) {
		while (hands.done == hands.wanted)
			pthread_cond_wait(&hands.asked, &hands.mutex);
		long wanted = hands.wanted;
		pthread_mutex_unlock(&hands.mutex);
		usleep(2000);
		pthread_mutex_lock(&hands.mutex);
		hands.done = wanted;
		pthread_cond_broadcast(&hands.committed);
	}
	return NULL;
}

static void *answer_handed(void *loops)
{
	char request[64];

	for (;;) {
		int connection = next_connection();
		struct epoll_event event = {.events = EPOLLIN | EPOLLONESHOT,
					    .data.fd = connection};
		ssize_t size = read(connection, request, sizeof(request));
		if (size <= 0) {
			close(connection);
			continue;
		}
		work(*(long *)loops);
		commit();
		if (write(connection, request, (size_t)size) == size)
			epoll_ctl(hand_epoll, EPOLL_CTL_MOD, connection, &event);
	}
	return NULL;
}

static int hand(const char *port, long loops)
{
	struct sockaddr_in address = address_of(port);
	int listener = socket(AF_INET, SOCK_STREAM, 0), one = 1;
	struct epoll_event event = {.events = EPOLLIN, .data.fd = listener};
	pthread_t threads[3];

	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(listener, (struct sockaddr *)&address, sizeof(address)) || listen(listener, 64))
		return 1;
	hand_epoll = epoll_create1(0);
	epoll_ctl(hand_epoll, EPOLL_CTL_ADD, listener, &event);
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, i ? answer_handed : commit_all, &loops);
	for (;;) {
		struct epoll_event ready;
		if (epoll_wait(hand_epoll, &ready, 1, -1) != 1)
			continue;
		if (ready.data.fd == listener) {
			event.events = EPOLLIN | EPOLLONESHOT;
			event.data.fd = accept(listener, NULL, NULL);
			setsockopt(event.data.fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
			epoll_ctl(hand_epoll, EPOLL_CTL_ADD, event.data.fd, &event);
			continue;
		}
		pthread_mutex_lock(&hands.mutex);
		hands.connections[hands.count++] = ready.data.fd;
		pthread_cond_signal(&hands.handed);
		pthread_mutex_unlock(&hands.mutex);
	}
}

static int connect_to(const char *port)
{
	struct sockaddr_in address = address_of(port);
	int connection = socket(AF_INET, SOCK_STREAM, 0), one = 1;

	if (connect(connection, (struct sockaddr *)&address, sizeof(address)))
		exit(1);
	setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	return connection;
}

static int ask(const char *port, long loops, double seconds)
{
	int connections[] = {connect_to(port), connect_to(port)};
	double start = seconds_now();
	long requests = 0;
	char letter = 0;

	for (int i = 0; i < 2; i++)
		if (write(connections[i], &letter, 1) != 1)
			return 1;
	while (seconds_now() - start < seconds) {
		int connection = connections[requests++ % 2];
		if (read(connection, &letter, 1) != 1)
			return 1;
		think(loops);
		if (write(connection, &letter, 1) != 1)
			return 1;
	}
	printf("%.2f\n", (double)requests / (seconds_now() - start));
	return 0;
}

static int tick(const char *port, long interval_us, double seconds)
{
	int connection = connect_to(port);
	double start = seconds_now(), next = start;
	long requests = 0;
	char letter = 0;

	while (seconds_now() - start < seconds) {
		next += 1e-6 * (double)interval_us;
		while (seconds_now() < next)
			usleep((useconds_t)interval_us / 2);
		if (write(connection, &letter, 1) != 1 || read(connection, &letter, 1) != 1)
			return 1;
		requests++;
	}
	printf("%.2f\n", (double)requests / (seconds_now() - start));
	return 0;
}

int main(int argc, char **argv)
{
	holds_back = argc == 4 && !strcmp(argv[1], "cork");
	if (argc == 4 && (holds_back || !strcmp(argv[1], "serve")))
		return serve(argv[2], atol(argv[3]));
	if (argc == 4 && !strcmp(argv[1], "hand"))
		return hand(argv[2], atol(argv[3]));
	pthread_t thread;
	if (argc == 4 && !strcmp(argv[1], "tend") &&
	    !pthread_create(&thread, NULL, look_after, NULL))
		return serve(argv[2], atol(argv[3]));
	if (argc == 4 && !strcmp(argv[1], "sweep") && !pthread_create(&thread, NULL, sweep, NULL))
		return serve(argv[2], atol(argv[3]));
	if (argc == 5 && !strcmp(argv[1], "ask"))
		return ask(argv[2], atol(argv[3]), atof(argv[4]));
	if (argc == 5 && !strcmp(argv[1], "tick"))
		return tick(argv[2], atol(argv[3]), atof(argv[4]));
	return 2;
}
