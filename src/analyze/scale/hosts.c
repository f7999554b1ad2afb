/* SPDX-License-Identifier: BSD-2-Clause */
/* hosts - counts of each host of a job, from the runs made beside those of the first one. */
#include "analyze/scale/parts.h"

#include <string.h>

struct run_list {
	struct scale_run *items;
	size_t count, capacity;
};

static bool is_counted(const struct scale *scale, int64_t first_run_id)
{
	for (size_t i = 0; i < scale->runs.count; i++)
		if (scale->runs.items[i].run->id == first_run_id)
			return true;
	return false;
}

static bool is_recorded(const struct scale *scale, int64_t first_run_id)
{
	size_t count = scale->recorded.count;
	return count && scale->recorded.items[count - 1].run->id == first_run_id;
}

static struct scale_host *host_named(struct scale *scale, const char *name)
{
	for (size_t i = 1; i < scale->hosts.count; i++)
		if (!strcmp(scale->hosts.items[i].name, name))
			return &scale->hosts.items[i];
	return NULL;
}

static void sum_up(struct scale_host *host, const struct run_list *runs)
{
	host->runs = (unsigned)runs->count;
	host->wall_ns = scale_pool_levels(&host->levels, runs->items, runs->count);
	for (size_t i = 0; i < runs->count; i++) {
		host->cores = runs->items[i].parallel->cores;
		host->machine_cores = runs->items[i].parallel->machine_cores;
	}
	for (size_t i = 0; i < host->levels.count && host->wall_ns > 0; i++) {
		const struct parallel_level *level = &host->levels.items[i];
		double share = level->wall_ns / host->wall_ns;
		host->cpu_ns += parallel_cpu_ns(level);
		host->mean_active += share * level->threads;
		host->mean_running += level->running_ns / host->wall_ns;
		host->idle_share += level->threads ? 0 : share;
		host->serial_share += level->threads == 1 ? share : 0;
	}
}

/* Its runs beside those that are profiled. */
static void count_host(const struct scale *scale, struct scale_host *host)
{
	const struct recording *recording = scale->recording;
	struct run_list runs = {0};

	for (size_t i = 0; i < recording->parallels.count; i++) {
		const struct recording_parallel *parallel = &recording->parallels.items[i];
		const struct recording_run *run = recording_run(recording, parallel->run_id);
		int64_t first = recording_first_run(recording, parallel->run_id);
		if (!run || !first || !run->host || strcmp(run->host, host->name))
			continue;
		if (is_recorded(scale, first))
			host->recorded_cores = parallel->cores;
		if (is_counted(scale, first))
			*array_add(&runs) = scale_run_of(recording, parallel);
	}
	sum_up(host, &runs);
	for (size_t i = 0; i < runs.count; i++)
		free(runs.items[i].levels);
	array_free(&runs);
}

static void add_first(struct scale *scale)
{
	struct scale_host *first = array_add(&scale->hosts);
	const struct run_list runs = {.items = scale->runs.items, .count = scale->runs.count};
	const char *name = scale->runs.items[0].run->host;

	*first = (struct scale_host){.name = name ? name : "?"};
	sum_up(first, &runs);
	if (scale->recorded.count)
		first->recorded_cores =
			scale->recorded.items[scale->recorded.count - 1].parallel->cores;
}

static void find_hosts(struct scale *scale,
		       bool (*is_wanted)(const struct scale *scale, int64_t first_run_id))
{
	const struct recording *recording = scale->recording;

	for (size_t i = 0; i < recording->parallels.count && scale->runs.count; i++) {
		int64_t run_id = recording->parallels.items[i].run_id;
		const struct recording_run *run = recording_run(recording, run_id);
		int64_t first = recording_first_run(recording, run_id);
		if (!run || !run->host || !is_wanted(scale, first))
			continue;
		if (!scale->hosts.count)
			add_first(scale);
		if (host_named(scale, run->host))
			continue;
		struct scale_host *host = array_add(&scale->hosts);
		*host = (struct scale_host){.name = run->host};
		count_host(scale, host);
	}
}

/* First those of the log, in its order; then those that only counted. */
void scale_find_hosts(struct scale *scale)
{
	find_hosts(scale, is_recorded);
	find_hosts(scale, is_counted);
}

/* ---- which host limits ---- */

static void add_gain(struct scale *scale, size_t index, unsigned cores)
{
	struct scale_host *host = &scale->hosts.items[index];
	unsigned *host_cores = memory_new(scale->hosts.count, sizeof(*host_cores));

	for (size_t i = 0; i < scale->hosts.count; i++)
		host_cores[i] = scale->hosts.items[i].recorded_cores;
	host_cores[index] = cores;
	*array_add(&host->gains) = (struct scale_host_gain){
		.cores = cores,
		.wall_ns = scale->own_ns * scale_replay_on(scale, cores, host_cores) /
			   scale->check.replayed_ns,
	};
	free(host_cores);
}

void scale_find_host_gains(struct scale *scale)
{
	for (size_t i = 0; i < scale->hosts.count && scale->check.has_passed; i++)
		for (size_t j = 0; j < scale->predictions.count; j++)
			if (scale->predictions.items[j].model == SCALE_REPLAY)
				add_gain(scale, i, scale->predictions.items[j].cores);
}
