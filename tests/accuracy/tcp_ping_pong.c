/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tcp_ping_pong - a client and a server on 127.0.0.1, one request at a time:
 * neither works while the other does.
 *
 * period = measured
 */
#include "connection.h"

WORK_FUNCTION void prepare(uint64_t loops)
{
	WORK(loops); /* target A */
}

WORK_FUNCTION void serve(uint64_t loops)
{
	WORK(loops); /* target B */
}

static void preparing(void)
{
	prepare(work_loops(400, 'A'));
}

static void serving(void)
{
	serve(work_loops(600, 'B'));
}

int main(int count, char **arguments)
{
	work_begin(count, arguments);
	int failed = connection_run(preparing, serving, 1);
	work_end();
	return failed;
}
