/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pipe_stages - three processes, joined by pipes that hold one page: each stage waits in the kernel
 * for the one before and the one behind, and on two cores also for a core.
 *
 * period = measured
 */
#include "work.h"

#include <fcntl.h>
#include <sys/wait.h>

#define ITEM 4096 /* a page */

static char item[ITEM];

WORK_FUNCTION void produce(uint64_t loops)
{
	WORK(loops); /* target A */
}

WORK_FUNCTION void transform(uint64_t loops)
{
	WORK(loops); /* target B */
}

WORK_FUNCTION void consume(uint64_t loops)
{
	WORK(loops); /* target C */
}

static void run_producer(int out)
{
	uint64_t loops = work_loops(400, 'A');

	do {
		produce(loops);
	} while (work_goes_on() && write(out, item, sizeof(item)) == sizeof(item));
}

static void run_middle(int in, int out)
{
	uint64_t loops = work_loops(700, 'B');

	while (read(in, item, sizeof(item)) == sizeof(item)) {
		transform(loops);
		if (write(out, item, sizeof(item)) != sizeof(item))
			break;
	}
}

static void run_consumer(int in)
{
	uint64_t loops = work_loops(500, 'C');

	while (read(in, item, sizeof(item)) == sizeof(item)) {
		consume(loops);
		LEVER_PROGRESS_NAMED("item");
		work.visits++;
	}
}

static void open_pipe(int ends[2])
{
	if (pipe(ends) || fcntl(ends[1], F_SETPIPE_SZ, ITEM) != ITEM) {
		perror("a pipe of one page");
		exit(1);
	}
}

int main(int count, char **arguments)
{
	int first[2], second[2];

	work_begin(count, arguments);
	open_pipe(first);
	if (!fork()) {
		close(first[0]);
		run_producer(first[1]);
		_exit(0);
	}
	close(first[1]);
	open_pipe(second);
	if (!fork()) {
		close(second[0]);
		run_middle(first[0], second[1]);
		_exit(0);
	}
	close(first[0]);
	close(second[1]);
	run_consumer(second[0]);
	while (wait(NULL) > 0)
		continue;
	work_end();
	return 0;
}
