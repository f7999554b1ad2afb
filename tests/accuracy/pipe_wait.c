/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pipe_wait - one thread waits in read(2) for another's work, through a pipe: the line that waits
 * has nothing to gain, since it waits for the other thread's work.
 *
 * period = 1000 * B + 0 * A
 */
#include "work.h"

static int ends[2];

WORK_FUNCTION ssize_t receive(char *byte)
{
	return read(ends[0], byte, 1); /* target A */
}

WORK_FUNCTION void produce(uint64_t loops)
{
	WORK(loops); /* target B */
}

static void *run_receiver(void *unused)
{
	char byte;

	while (receive(&byte) == 1) {
		LEVER_PROGRESS_NAMED("handed");
		work.visits++;
	}
	return unused;
}

int main(int count, char **arguments)
{
	pthread_t receiver;

	work_begin(count, arguments);
	uint64_t loops = work_loops(1000, 'B');
	if (pipe(ends))
		return 1;
	pthread_create(&receiver, NULL, run_receiver, NULL);
	do {
		produce(loops);
	} while (write(ends[1], "", 1) == 1 && work_goes_on());
	close(ends[1]);
	pthread_join(receiver, NULL);
	work_end();
	return 0;
}
