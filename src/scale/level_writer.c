/* SPDX-License-Identifier: BSD-2-Clause */
/* level_writer - a slice is the difference of two snapshots. */
#include "scale/level_writer.h"

struct level_writer {
	struct profile *profile;
	int64_t run_id;
};

static int write_level(struct level_writer *writer, unsigned slice, uint64_t begin_ns,
		       unsigned threads, const struct scale_level *level, struct error *error)
{
	const __u64 *waiting = level->waiting_ns;
	struct recording_level row = {
		.run_id = writer->run_id,
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
	return profile_set_level(writer->profile, &row, error);
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

static int write_steal(struct level_writer *writer, unsigned slice, const struct snapshot *from,
		       const struct snapshot *to, struct error *error)
{
	struct recording_steal row = {writer->run_id, slice, to->stolen_ns - from->stolen_ns};
	return row.stolen_ns ? profile_add_steal(writer->profile, &row, error) : 0;
}

/* The difference of two snapshots; slice 0 is the whole run. */
static int write_slice(struct level_writer *writer, unsigned slice, const struct snapshot *begin,
		       const struct snapshot *end, struct error *error)
{
	const struct scale_totals *from = &begin->totals, *to = &end->totals;
	int code = slice ? write_steal(writer, slice, begin, end, error) : 0;

	for (unsigned i = 0; i < SCALE_LEVELS && !code; i++) {
		struct scale_level level = level_between(&from->levels[i], &to->levels[i]);
		if (level.wall_ns)
			code = write_level(writer, slice, from->last_ns - to->begin_ns, i, &level,
					   error);
	}
	return code;
}

int level_writer_write(struct profile *profile, int64_t run_id, const struct time_series *series,
		       struct error *error)
{
	struct level_writer writer = {profile, run_id};
	size_t count = series->snapshots.count;
	const struct snapshot *snapshots = series->snapshots.items;

	if (!count)
		return 0;
	struct snapshot start = {.totals.last_ns = snapshots[0].totals.begin_ns};
	int code = write_slice(&writer, 0, &start, &snapshots[count - 1], error);
	for (size_t i = 0; i < count && !code; i++)
		code = write_slice(&writer, (unsigned)i + 1, i ? &snapshots[i - 1] : &start,
				   &snapshots[i], error);
	return code;
}
