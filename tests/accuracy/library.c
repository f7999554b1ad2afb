/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * library - the targets' time passes in libc, for one of them several calls deep. Neither libc nor
 * the calling functions keep frame pointers, so the calling line is found by unwind tables only.
 *
 * period = measured
 */
#include "work.h"

#include <string.h>

#define WITHOUT_FRAME_POINTER __attribute__((optimize("omit-frame-pointer")))
#define BLOCK 16384

static char from[BLOCK], to[BLOCK];

WORK_FUNCTION WITHOUT_FRAME_POINTER void copy(unsigned rounds, size_t length)
{
	for (unsigned i = 0; i < rounds; i++) {
		from[i % BLOCK]++;
		memmove(to, from, length); /* target A */
	}
}

WORK_FUNCTION WITHOUT_FRAME_POINTER void print(unsigned rounds)
{
	char text[64];

	for (unsigned i = 0; i < rounds; i++)
		snprintf(text, sizeof(text), "%.17g", 1.0 / (i + 3)); /* target B */
}

WORK_FUNCTION void compute(uint64_t loops)
{
	WORK(loops); /* target C */
}

int main(int count, char **arguments)
{
	work_begin(count, arguments);
	unsigned copies = (unsigned)work_left_of(1500, 'A');
	unsigned texts = (unsigned)work_left_of(600, 'B');
	uint64_t loops = work_loops(400, 'C');

	while (work_goes_on()) {
		copy(copies, sizeof(to));
		print(texts);
		compute(loops);
		LEVER_PROGRESS_NAMED("round");
		work.visits++;
	}
	work_end();
	return 0;
}
