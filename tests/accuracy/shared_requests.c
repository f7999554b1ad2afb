/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * shared_requests - a client process puts requests into a ring in shared memory; four processes
 * take and serve them, and count under a mutex that they share. Eight requests are under way.
 *
 * period = measured
 */
#include "work.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

enum { PROCESSES = 4, UNDER_WAY = 8 };

struct shared {
	pthread_mutex_t ring, table;
	pthread_cond_t has_request, has_answer;
	int requests, answers; /* under `ring` */
	long counts;           /* under `table` */
};
static struct shared *shared;

WORK_FUNCTION void serve(void)
{
	WORK(work_loops(260, 'A')); /* target A */
}

WORK_FUNCTION void account(void)
{
	WORK(work_loops(90, 'B')); /* target B */
}

WORK_FUNCTION void ask(void)
{
	WORK(work_loops(40, 'C')); /* target C */
}

static void run_server(void)
{
	for (;;) {
		pthread_mutex_lock(&shared->ring);
		while (!shared->requests)
			pthread_cond_wait(&shared->has_request, &shared->ring);
		shared->requests--;
		pthread_mutex_unlock(&shared->ring);
		serve();
		pthread_mutex_lock(&shared->table);
		account();
		shared->counts++;
		pthread_mutex_unlock(&shared->table);
		pthread_mutex_lock(&shared->ring);
		shared->answers++;
		pthread_cond_signal(&shared->has_answer);
		pthread_mutex_unlock(&shared->ring);
	}
}

static void run_client(void)
{
	for (int under_way = 0; work_goes_on(); under_way++) {
		ask();
		pthread_mutex_lock(&shared->ring);
		shared->requests++;
		pthread_cond_signal(&shared->has_request);
		if (under_way >= UNDER_WAY) {
			while (!shared->answers)
				pthread_cond_wait(&shared->has_answer, &shared->ring);
			shared->answers--;
			work.visits++;
			LEVER_PROGRESS_NAMED("answer");
		}
		pthread_mutex_unlock(&shared->ring);
	}
}

static void share(void)
{
	pthread_mutexattr_t mutex;
	pthread_condattr_t condition;
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	pthread_mutexattr_init(&mutex);
	pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED);
	pthread_condattr_init(&condition);
	pthread_condattr_setpshared(&condition, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&shared->ring, &mutex);
	pthread_mutex_init(&shared->table, &mutex);
	pthread_cond_init(&shared->has_request, &condition);
	pthread_cond_init(&shared->has_answer, &condition);
}

int main(int count, char **arguments)
{
	pid_t children[PROCESSES];
	work_begin(count, arguments);
	share();
	for (int i = 0; i < PROCESSES; i++)
		if (!(children[i] = fork()))
			run_server();
	run_client();
	work_end();
	for (int i = 0; i < PROCESSES; i++) {
		kill(children[i], SIGKILL);
		waitpid(children[i], NULL, 0);
	}
	return 0;
}
