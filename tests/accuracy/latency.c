/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * latency - requests one after the other, with work of their own (A, B) and work between them (C),
 * which changes their rate but not their latency.
 *
 * latency = 450 * A + 150 * B
 */
#include "work.h"

WORK_FUNCTION void search(uint64_t loops)
{
	WORK(loops); /* target A */
}

WORK_FUNCTION void reply(uint64_t loops)
{
	WORK(loops); /* target B */
}

WORK_FUNCTION void tidy(uint64_t loops)
{
	WORK(loops); /* target C */
}

int main(int count, char **arguments)
{
	work_begin(count, arguments);
	uint64_t search_loops = work_loops(450, 'A'), reply_loops = work_loops(150, 'B');
	uint64_t tidy_loops = work_loops(400, 'C');

	while (work_goes_on()) {
		uint64_t begin_ns = work_now_ns();
		LEVER_BEGIN("request");
		search(search_loops);
		reply(reply_loops);
		LEVER_END("request");
		work.latency_ns += work_now_ns() - begin_ns;
		work.requests++;
		tidy(tidy_loops);
	}
	work_end();
	return 0;
}
