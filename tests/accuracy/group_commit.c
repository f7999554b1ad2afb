/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * group_commit - a database's processes write a common log: each answers some requests of its
 * client, then commits. Who finds the log free flushes all that is written; the others sleep, each
 * at a semaphore of its own in shared memory, and find their part flushed, or flush in turn. One
 * client process has a connection to each. The truth is measured with flushes left out: nobody then
 * waits for the log, and fewer wake-ups and switches save core time that no pause can take away, so
 * far less is told than comes true (docs/decisions.md, "Group commit").
 *
 * period = measured
 * cuts = 50 100
 */
#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "work.h"

enum { SERVERS = 4, REQUESTS = 7 };

static struct log {
	atomic_flag guard;
	bool is_held, waits[SERVERS];
	sem_t wakes[SERVERS];
	atomic_ulong written, flushed;
} * shared_log;
static int file;

static void log_lock(void)
{
	while (atomic_flag_test_and_set(&shared_log->guard))
		sched_yield();
}

/* Returns true with the log held; false when who held it has released it. */
static bool log_acquire_or_wait(int server)
{
	log_lock();
	bool is_free = !shared_log->is_held;
	if (is_free)
		shared_log->is_held = true;
	else
		shared_log->waits[server] = true;
	atomic_flag_clear(&shared_log->guard);
	if (!is_free)
		while (sem_wait(&shared_log->wakes[server]))
			;
	return is_free;
}

static void log_release(void)
{
	bool waited[SERVERS];

	log_lock();
	shared_log->is_held = false;
	for (int i = 0; i < SERVERS; i++) {
		waited[i] = shared_log->waits[i];
		shared_log->waits[i] = false;
	}
	atomic_flag_clear(&shared_log->guard);
	for (int i = 0; i < SERVERS; i++)
		if (waited[i])
			sem_post(&shared_log->wakes[i]);
}

static void flush(void)
{
	static const char block[8192];
	static double sum;

	if (pwrite(file, block, sizeof(block), 0) < 0)
		exit(1);
	sum += work_left_of(1, 'A');
	if (sum < 1)
		return;
	sum -= 1;
	if (fdatasync(file)) /* target A is syscall:fdatasync */
		exit(1);
}

static void commit(int server)
{
	unsigned long own = atomic_fetch_add(&shared_log->written, 1) + 1;

	while (atomic_load(&shared_log->flushed) < own) {
		if (!log_acquire_or_wait(server))
			continue;
		unsigned long all = atomic_load(&shared_log->written);
		if (atomic_load(&shared_log->flushed) < own) {
			flush();
			atomic_store(&shared_log->flushed, all);
		}
		log_release();
	}
}

static void serve(int server, int connection)
{
	uint64_t loops = (uint64_t)(15 * work.loops_per_us);
	char message = 0;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (int i = 0; read(connection, &message, 1) == 1; i++) {
		WORK(loops);
		if (i % REQUESTS == REQUESTS - 1)
			commit(server);
		if (write(connection, &message, 1) != 1)
			break;
	}
	_exit(0);
}

static void request_all(struct pollfd *connections)
{
	uint64_t loops = (uint64_t)(3 * work.loops_per_us);
	unsigned requests[SERVERS] = {0};
	char message = 0;

	while (work_goes_on()) {
		poll(connections, SERVERS, -1);
		for (int i = 0; i < SERVERS; i++) {
			if (!connections[i].revents)
				continue;
			if (read(connections[i].fd, &message, 1) != 1)
				exit(1);
			WORK(loops);
			if (requests[i]++ % REQUESTS == 0) {
				work.visits++;
				LEVER_PROGRESS_NAMED("transaction");
			}
			if (write(connections[i].fd, &message, 1) != 1)
				exit(1);
		}
	}
}

int main(int count, char **arguments)
{
	struct pollfd connections[SERVERS];
	char first = 0;

	work_begin(count, arguments);
	file = work_file();
	shared_log = mmap(NULL, sizeof(*shared_log), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	for (int i = 0; i < SERVERS; i++) {
		int pair[2];
		sem_init(&shared_log->wakes[i], 1, 0);
		if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
			return 1;
		if (!fork())
			serve(i, pair[0]);
		close(pair[0]);
		connections[i] = (struct pollfd){.fd = pair[1], .events = POLLIN};
	}
	for (int i = 0; i < SERVERS; i++)
		if (write(connections[i].fd, &first, 1) != 1)
			return 1;
	request_all(connections);
	for (int i = 0; i < SERVERS; i++)
		close(connections[i].fd);
	work_end();
	return 0;
}
