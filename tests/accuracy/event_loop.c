/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * event_loop - one thread answers a client that always has a request waiting, and keeps house
 * each 5 ms by a timer. The timer goes by the wall clock, so its work has its share of the
 * thread whatever else becomes faster.
 *
 * period = 600 * A / (1 - 0.25 * B)
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

/* Three requests under way. */
static void run_peer(int socket)
{
	char byte = 0;

	for (int i = 0; i < 2; i++)
		if (write(socket, &byte, 1) != 1)
			_exit(1);
	while (write(socket, &byte, 1) == 1 && read(socket, &byte, 1) == 1)
		;
}

int main(int count, char **arguments)
{
	return event_loop_run(count, arguments);
}
