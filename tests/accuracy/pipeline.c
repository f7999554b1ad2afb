/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pipeline - two processes and a pipe(2) of sixteen items between them: they wait in the kernel for
 * a full or an empty pipe.
 *
 * period = max(500 * A, 350 * B)
 * set = A B
 */
#include "work.h"

#include <sys/wait.h>

#define ITEM 4096 /* a page: one slot of the pipe */

WORK_FUNCTION void produce(uint64_t loops)
{
	WORK(loops); /* target A */
}

WORK_FUNCTION void consume(uint64_t loops)
{
	WORK(loops); /* target B */
}

static void run_producer(int out)
{
	static char item[ITEM];
	uint64_t loops = work_loops(500, 'A');

	do {
		produce(loops);
	} while (work_goes_on() && write(out, item, sizeof(item)) == sizeof(item));
}

static void run_consumer(int in)
{
	static char item[ITEM];
	uint64_t loops = work_loops(350, 'B');

	while (read(in, item, sizeof(item)) == sizeof(item)) {
		consume(loops);
		LEVER_PROGRESS_NAMED("item");
		work.visits++;
	}
}

int main(int count, char **arguments)
{
	int ends[2];

	work_begin(count, arguments);
	if (pipe(ends))
		return 1;
	pid_t producer = fork();
	if (!producer) {
		close(ends[0]);
		run_producer(ends[1]);
		_exit(0);
	}
	close(ends[1]);
	run_consumer(ends[0]);
	waitpid(producer, NULL, 0);
	work_end();
	return 0;
}
