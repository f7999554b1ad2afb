/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * event_loop_wait - one thread asks a server and works on each answer, one request at a time, and
 * keeps house each 5 ms by a timer, while it waits for an answer or in the way of it.
 *
 * period = measured
 * cuts = 25 50 75
 */
#include "event_loop.h"

WORK_FUNCTION void answer(uint64_t loops)
{
	WORK(loops); /* target A */
}

WORK_FUNCTION void keep_house(uint64_t loops)
{
	WORK(loops); /* target B */
}

WORK_FUNCTION void serve(uint64_t loops)
{
	WORK(loops); /* target C */
}

static void run_peer(int socket)
{
	char byte = 0;

	while (write(socket, &byte, 1) == 1 && read(socket, &byte, 1) == 1)
		serve(work_loops(300, 'C'));
}

int main(int count, char **arguments)
{
	return event_loop_run(count, arguments);
}
