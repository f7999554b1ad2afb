/* SPDX-License-Identifier: BSD-2-Clause */
/* visits_by_process - visits add up by process, and unknown ones are counted. */
#include "analyze/causal/visits_by_process.h"

#include "check.h"

static void add(struct recording *recording, int64_t run, unsigned pid, const char *command,
		uint64_t visits)
{
	*array_add(&recording->process_visits) =
		(struct recording_process_visits){run, 1, pid, command ? text_copy(command) : NULL,
						  visits};
}

TEST("visits of a process in several runs are added up, most visits come first")
{
	struct recording *recording = memory_new(1, sizeof(*recording));

	add(recording, 1, 10, "worker", 5);
	add(recording, 1, 11, "worker", 7);
	add(recording, 2, 10, "worker", 4);
	add(recording, 2, 10, NULL, 1);
	struct visits_by_process visits_by_process = visits_by_process_of(recording, 1);
	CHECK_EQUAL(visits_by_process.count, 3);
	CHECK_EQUAL(visits_by_process.items[0].pid, 10);
	CHECK_EQUAL(visits_by_process.items[0].visits, 9);
	CHECK_EQUAL(visits_by_process.items[1].visits, 7);
	CHECK(!visits_by_process.items[2].command);
	visits_by_process_release(&visits_by_process);
	visits_by_process = visits_by_process_of(recording, 2);
	CHECK_EQUAL(visits_by_process.count, 0);
	visits_by_process_release(&visits_by_process);
	recording_free(recording);
}

TEST("visits of unknown processes are counted, but not those of runs without figures by process")
{
	struct recording *recording = memory_new(1, sizeof(*recording));

	add(recording, 1, 10, "worker", 5);
	*array_add(&recording->totals) = (struct recording_total){1, 1, 8};
	*array_add(&recording->totals) = (struct recording_total){2, 1, 100};
	*array_add(&recording->totals) = (struct recording_total){1, 2, 100};
	struct visits_by_process visits_by_process = visits_by_process_of(recording, 1);
	CHECK_EQUAL(visits_by_process.count, 1);
	CHECK_EQUAL(visits_by_process.unknown, 3);
	visits_by_process_release(&visits_by_process);
	recording_free(recording);
}
