/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * process_barrier - four processes, more than the machine has cores: each does its work and meets
 * the others at a barrier in shared memory.
 *
 * period = measured
 */
#include "work.h"

#include <sys/mman.h>
#include <sys/wait.h>

#define PROCESSES 4

struct meeting {
	pthread_barrier_t done, begins;
	volatile int is_over;
};

WORK_FUNCTION void sort(uint64_t loops)
{
	WORK(loops); /* target A */
}

WORK_FUNCTION void merge(uint64_t loops)
{
	WORK(loops); /* target B */
}

static void run(struct meeting *meeting, int is_first)
{
	uint64_t sort_loops = work_loops(700, 'A'), merge_loops = work_loops(300, 'B');

	while (!meeting->is_over) {
		sort(sort_loops);
		merge(merge_loops);
		pthread_barrier_wait(&meeting->done);
		if (is_first) {
			LEVER_PROGRESS_NAMED("round");
			work.visits++;
			meeting->is_over = !work_goes_on();
		}
		pthread_barrier_wait(&meeting->begins);
	}
}

int main(int count, char **arguments)
{
	struct meeting *meeting = mmap(NULL, sizeof(*meeting), PROT_READ | PROT_WRITE,
				       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_barrierattr_t shared;

	if (meeting == MAP_FAILED)
		return 1;
	pthread_barrierattr_init(&shared);
	pthread_barrierattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
	pthread_barrier_init(&meeting->done, &shared, PROCESSES);
	pthread_barrier_init(&meeting->begins, &shared, PROCESSES);
	work_begin(count, arguments);
	for (int i = 1; i < PROCESSES; i++)
		if (!fork()) {
			run(meeting, 0);
			_exit(0);
		}
	run(meeting, 1);
	while (wait(NULL) > 0)
		continue;
	work_end();
	return 0;
}
