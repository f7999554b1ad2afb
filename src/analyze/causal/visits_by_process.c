/* SPDX-License-Identifier: BSD-2-Clause */
/* visits_by_process - adds up a point's visits by process. */
#include "analyze/causal/visits_by_process.h"

#include "base/text.h"

static void add(struct visits_by_process *visits_by_process,
		const struct recording_process_visits *row)
{
	for (size_t i = 0; i < visits_by_process->count; i++) {
		struct process_visits *process_visits = &visits_by_process->items[i];
		if (process_visits->pid == row->pid &&
		    text_equals(process_visits->command, row->command)) {
			process_visits->visits += row->visits;
			return;
		}
	}
	*array_add(visits_by_process) =
		(struct process_visits){row->pid, row->command, row->visits};
}

static int by_visits(const void *left, const void *right)
{
	const struct process_visits *a = left, *b = right;

	if (a->visits != b->visits)
		return a->visits < b->visits ? 1 : -1;
	return a->pid < b->pid ? -1 : a->pid > b->pid;
}

/* Of one run; 0 if it has no figures by process. */
static uint64_t known_visits(const struct recording *recording, int64_t run_id, int64_t point_id)
{
	uint64_t visits = 0;

	for (size_t i = 0; i < recording->process_visits.count; i++) {
		const struct recording_process_visits *row = &recording->process_visits.items[i];
		if (row->run_id == run_id && row->point_id == point_id)
			visits += row->visits;
	}
	return visits;
}

struct visits_by_process visits_by_process_of(const struct recording *recording, int64_t point_id)
{
	struct visits_by_process visits_by_process = {0};

	for (size_t i = 0; i < recording->process_visits.count; i++)
		if (recording->process_visits.items[i].point_id == point_id)
			add(&visits_by_process, &recording->process_visits.items[i]);
	if (visits_by_process.count)
		qsort(visits_by_process.items, visits_by_process.count,
		      sizeof(*visits_by_process.items), by_visits);
	for (size_t i = 0; i < recording->totals.count; i++) {
		const struct recording_total *total = &recording->totals.items[i];
		if (total->point_id != point_id)
			continue;
		uint64_t known = known_visits(recording, total->run_id, point_id);
		if (known && total->visits > known)
			visits_by_process.unknown += total->visits - known;
	}
	return visits_by_process;
}

void visits_by_process_release(struct visits_by_process *visits_by_process)
{
	array_free(visits_by_process);
}
