/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of analyze/visitors.h: visits add up by process, and what is missing is told. */
#include "analyze/visitors.h"

#include "check.h"

static void add(struct recording *recording, int64_t run, unsigned pid, const char *command,
		uint64_t visits)
{
	*array_add(&recording->visitors) =
		(struct recording_visitor){run, 1, pid, command ? text_copy(command) : NULL,
					   visits};
}

TEST("visits of a process in several runs are added up, most visits come first")
{
	struct recording *recording = memory_new(1, sizeof(*recording));

	add(recording, 1, 10, "worker", 5);
	add(recording, 1, 11, "worker", 7);
	add(recording, 2, 10, "worker", 4);
	add(recording, 2, 10, NULL, 1);
	struct visitors visitors = visitors_of(recording, 1);
	CHECK_EQUAL(visitors.count, 3);
	CHECK_EQUAL(visitors.items[0].pid, 10);
	CHECK_EQUAL(visitors.items[0].visits, 9);
	CHECK_EQUAL(visitors.items[1].visits, 7);
	CHECK(!visitors.items[2].command);
	visitors_release(&visitors);
	visitors = visitors_of(recording, 2);
	CHECK_EQUAL(visitors.count, 0);
	visitors_release(&visitors);
	recording_free(recording);
}

TEST("visits that no process is known for are told, but not of runs without figures by process")
{
	struct recording *recording = memory_new(1, sizeof(*recording));

	add(recording, 1, 10, "worker", 5);
	*array_add(&recording->totals) = (struct recording_total){1, 1, 8};
	*array_add(&recording->totals) = (struct recording_total){2, 1, 100};
	*array_add(&recording->totals) = (struct recording_total){1, 2, 100};
	struct visitors visitors = visitors_of(recording, 1);
	CHECK_EQUAL(visitors.count, 1);
	CHECK_EQUAL(visitors.unknown, 3);
	visitors_release(&visitors);
	recording_free(recording);
}
