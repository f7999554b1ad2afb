/* SPDX-License-Identifier: BSD-2-Clause */
/* replay - simulates the recorded run on other cores, if a simulation on its own cores succeeds. */
#include "analyze/scale/parts.h"

#include <math.h>

double scale_replay_on(const struct scale *scale, unsigned cores, const unsigned *host_cores)
{
	struct replay_settings settings = {
		.cores = cores,
		.host_cores = host_cores,
		.growth = scale->growth,
		.wake_delay_ns = scale->log->wake_delay_ns,
	};
	return replay_run(&scale->log->replay, &settings);
}

/* Why the log cannot be simulated; NULL if it can. To be freed. */
static char *refusal_of_log(const struct scale *scale, const struct scale_run *recorded)
{
	for (size_t i = 0; i < scale->hosts.count; i++)
		if (!scale->hosts.items[i].recorded_cores)
			return text_format("there is no log of host %s",
					   scale->hosts.items[i].name);
	if (recorded->conditions->is_cut)
		return text_copy("the log is cut: there were too many switches");
	if (recorded->run->lost)
		return text_format("%llu switches are missing in the log",
				   (unsigned long long)recorded->run->lost);
	return NULL;
}

static char *refusal_of_check(const struct scale_check *check)
{
	if (!isfinite(check->replayed_ns) || check->replayed_ns <= 0)
		return text_copy("threads wait for wake-ups that are not in the log");
	if (fabs(check->error) > SCALE_REPLAY_ERROR_MOST)
		return text_format(
			"a simulation of the recorded run differs from its own time by %+.1f %%",
			100 * check->error);
	return NULL;
}

/* The slice's time, and the running time of its threads. */
static struct log_steal steal_of(const struct recording *recording,
				 const struct recording_steal *row)
{
	struct log_steal steal = {0};
	double running = 0;

	for (size_t i = 0; i < recording->levels.count; i++) {
		const struct recording_level *level = &recording->levels.items[i];
		if (level->run_id != row->run_id || level->slice != row->slice)
			continue;
		steal.begin_ns = level->begin_ns;
		steal.length_ns += level->wall_ns;
		running += (double)level->running_ns;
	}
	steal.part = running > 0 ? fmin(1, (double)row->stolen_ns / running) : 0;
	return steal;
}

static struct log_steals find_steals(struct scale *scale)
{
	const struct recording *recording = scale->recording;
	int64_t run = scale->recorded.items[scale->recorded.count - 1].run->id;

	for (size_t i = 0; i < recording->steals.count; i++)
		if (recording->steals.items[i].run_id == run)
			*array_add(&scale->steals) =
				steal_of(recording, &recording->steals.items[i]);
	return scale_steals(scale);
}

struct log_steals scale_steals(const struct scale *scale)
{
	return (struct log_steals){scale->steals.items, scale->steals.count};
}

struct timeline *scale_timeline(const struct scale *scale)
{
	if (!scale->recorded.count)
		return NULL;
	return timeline_of_run(scale->recording,
			       scale->recorded.items[scale->recorded.count - 1].run);
}

/* On the cores that it ran on, which hosts may have different numbers of. */
static double replay_as_recorded(const struct scale *scale, unsigned cores)
{
	unsigned *host_cores = memory_new(scale->hosts.count + 1, sizeof(*host_cores));

	for (size_t i = 0; i < scale->hosts.count; i++)
		host_cores[i] = scale->hosts.items[i].recorded_cores;
	double time_ns = scale_replay_on(scale, cores, scale->hosts.count ? host_cores : NULL);
	free(host_cores);
	return time_ns;
}

void scale_find_replay(struct scale *scale, const struct timeline *timeline)
{
	struct scale_check *check = &scale->check;

	const struct scale_run *recorded = &scale->recorded.items[scale->recorded.count - 1];
	check->is_there = true;
	check->logged_ns = recorded->own_ns;
	check->refusal = refusal_of_log(scale, recorded);
	if (check->refusal)
		return;
	struct log_steals steals = find_steals(scale);
	scale->log =
		log_replay_new(timeline, recorded->parallel->cores, scale->growth, NULL, &steals);
	if (!scale->log) {
		check->refusal = text_copy("the log does not show how the program began");
		return;
	}
	check->replayed_ns = replay_as_recorded(scale, recorded->parallel->cores);
	check->error = check->replayed_ns / check->logged_ns - 1;
	check->refusal = refusal_of_check(check);
	check->has_passed = !check->refusal;
}

double scale_replay_ratio(const struct scale *scale, unsigned cores)
{
	bool is_recorded = cores == scale->cores;

	if (!scale->check.has_passed)
		return NAN;
	for (size_t i = 0; i < scale->hosts.count; i++)
		is_recorded = is_recorded && scale->hosts.items[i].recorded_cores == cores;
	return is_recorded ? 1 : scale_replay_on(scale, cores, NULL) / scale->check.replayed_ns;
}
