/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * process_pool - a parent hands jobs to three processes, a pipe for each, and reads their answers
 * from one pipe. On two cores a process that is woken may wait for one.
 *
 * period = measured
 */
#include "work.h"

#include <signal.h>
#include <sys/wait.h>

#define PROCESSES 3

static char job[256];

WORK_FUNCTION void prepare(uint64_t loops)
{
	WORK(loops); /* target A */
}

WORK_FUNCTION void execute(uint64_t loops)
{
	WORK(loops); /* target B */
}

WORK_FUNCTION void merge(uint64_t loops)
{
	WORK(loops);
}

static void run_child(int jobs, int answers, unsigned char number)
{
	uint64_t loops = work_loops(900, 'B');

	while (read(jobs, job, sizeof(job)) == sizeof(job)) {
		execute(loops);
		if (write(answers, &number, 1) != 1)
			break;
	}
	_exit(0);
}

static void run_parent(const int *jobs, int answers)
{
	uint64_t prepare_loops = work_loops(150, 'A'), merge_loops = work_loops(200, 'C');
	unsigned char number;

	while (work_goes_on() && read(answers, &number, 1) == 1) {
		prepare(prepare_loops);
		if (write(jobs[number], job, sizeof(job)) != sizeof(job))
			break;
		merge(merge_loops);
		work.visits++;
		LEVER_PROGRESS_NAMED("answer");
	}
}

int main(int count, char **arguments)
{
	int ends[2], answers[2], jobs[PROCESSES];
	pid_t children[PROCESSES];

	work_begin(count, arguments);
	if (pipe(answers))
		return 1;
	for (int i = 0; i < PROCESSES; i++) {
		if (pipe(ends))
			return 1;
		jobs[i] = ends[1];
		children[i] = fork();
		if (!children[i])
			run_child(ends[0], answers[1], (unsigned char)i);
		if (write(jobs[i], job, sizeof(job)) != sizeof(job))
			return 1;
	}
	run_parent(jobs, answers[0]);
	work_end();
	for (int i = 0; i < PROCESSES; i++) {
		kill(children[i], SIGKILL);
		waitpid(children[i], NULL, 0);
	}
	return 0;
}
