/* SPDX-License-Identifier: BSD-2-Clause */
/* rows - levels of parallelism between two moments. */
#include "scale/rows.h"

struct rows {
	struct profile *profile;
	int64_t run_id;
};

static int write_level(struct rows *rows, unsigned slice, uint64_t begin_ns, unsigned threads,
		       const struct scale_level *level, struct error *error)
{
	const __u64 *waiting = level->waiting_ns;
	struct recording_level row = {
		.run_id = rows->run_id,
		.slice = slice,
		.threads = threads,
		.begin_ns = begin_ns,
		.wall_ns = level->wall_ns,
		.running_ns = level->running_ns,
		.displaced_ns = level->displaced_ns,
		.lock_ns = waiting[SCALE_LOCK - SCALE_LOCK],
		.io_ns = waiting[SCALE_IO - SCALE_LOCK],
		.timer_ns = waiting[SCALE_TIMER - SCALE_LOCK],
		.condition_ns = waiting[SCALE_CONDITION - SCALE_LOCK],
		.other_ns = waiting[SCALE_OTHER - SCALE_LOCK],
	};
	return profile_set_level(rows->profile, &row, error);
}

static struct scale_level level_between(const struct scale_level *from,
					const struct scale_level *to)
{
	struct scale_level between = {
		.wall_ns = to->wall_ns - from->wall_ns,
		.running_ns = to->running_ns - from->running_ns,
		.displaced_ns = to->displaced_ns - from->displaced_ns,
	};
	for (size_t i = 0; i < SCALE_WAITS; i++)
		between.waiting_ns[i] = to->waiting_ns[i] - from->waiting_ns[i];
	return between;
}

static int write_theft(struct rows *rows, unsigned slice, const struct moment *from,
		       const struct moment *to, struct error *error)
{
	struct recording_theft row = {rows->run_id, slice, to->stolen_ns - from->stolen_ns};
	return row.stolen_ns ? profile_add_theft(rows->profile, &row, error) : 0;
}

/* What happened between two moments: slice 0 from the start to the end. */
static int write_slice(struct rows *rows, unsigned slice, const struct moment *begin,
		       const struct moment *end, struct error *error)
{
	const struct scale_totals *from = &begin->totals, *to = &end->totals;
	int code = slice ? write_theft(rows, slice, begin, end, error) : 0;

	for (unsigned i = 0; i < SCALE_LEVELS && !code; i++) {
		struct scale_level level = level_between(&from->levels[i], &to->levels[i]);
		if (level.wall_ns)
			code = write_level(rows, slice, from->last_ns - to->begin_ns, i, &level,
					   error);
	}
	return code;
}

int rows_write_course(struct profile *profile, int64_t run_id, const struct course *course,
		      struct error *error)
{
	struct rows rows = {profile, run_id};
	size_t count = course->moments.count;
	const struct moment *moments = course->moments.items;

	if (!count)
		return 0;
	struct moment start = {.totals.last_ns = moments[0].totals.begin_ns};
	int code = write_slice(&rows, 0, &start, &moments[count - 1], error);
	for (size_t i = 0; i < count && !code; i++)
		code = write_slice(&rows, (unsigned)i + 1, i ? &moments[i - 1] : &start,
				   &moments[i], error);
	return code;
}
