/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * spans - annotated regions as targets: two threads call the same functions, and only their spans
 * differ. Inner spans are targets of their own.
 *
 * period = max(900 * A + 300, 800 * B + 200 * C)
 */
#include "rounds.h"

WORK_FUNCTION void compute(uint64_t loops)
{
	WORK(loops);
}

static void decode(void)
{
	LEVER_BEGIN("decode");
	compute(work_loops(900, 'A')); /* target A is span:decode */
	LEVER_END("decode");
	compute((uint64_t)(300 * work.loops_per_us));
}

static void draw(void)
{
	LEVER_SPAN("draw");
	compute(work_loops(800, 'B')); /* target B is span:draw */
	LEVER_SPAN("flush");
	compute(work_loops(200, 'C')); /* target C is span:flush */
}

int main(int count, char **arguments)
{
	work_begin(count, arguments);
	rounds_run(decode, draw);
	work_end();
	return 0;
}
