/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tcp_requests - a client and a server on 127.0.0.1, four requests under way, each
 * on a core of its own: both work at the same time.
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
	int failed = connection_run(preparing, serving, 4);
	work_end();
	return failed;
}
