/* SPDX-License-Identifier: BSD-2-Clause */
/* workers - each number once. */
#include "base/workers.h"

#include "check.h"

#include <stdatomic.h>

#define NUMBERS 10000

static atomic_uint calls[NUMBERS];

static void count_call(void *argument, size_t number)
{
	atomic_uint *all = argument;

	atomic_fetch_add(all, 1);
	atomic_fetch_add(&calls[number], 1);
}

TEST("each number is worked on once")
{
	atomic_uint all = 0;

	workers_run(NUMBERS, count_call, &all);
	CHECK(all == NUMBERS);
	for (size_t i = 0; i < NUMBERS; i++)
		CHECK(calls[i] == 1);
}

TEST("without numbers nothing is called, and a few need no thread")
{
	atomic_uint all = 0;

	workers_run(0, count_call, &all);
	CHECK(all == 0);
	workers_run(3, count_call, &all);
	CHECK(all == 3);
}
