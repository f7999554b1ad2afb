/* SPDX-License-Identifier: BSD-2-Clause */
/* hosts - how the work of a recording is spread over hosts. */
#include "analyze/samples/hosts.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static bool is_equal(const char *one, const char *other)
{
	return one && other ? !strcmp(one, other) : one == other;
}

static struct samples_host *host_named(struct samples_hosts *hosts, const char *name)
{
	for (size_t i = 0; i < hosts->count; i++)
		if (is_equal(hosts->items[i].name, name))
			return &hosts->items[i];
	hosts->items[hosts->count] = (struct samples_host){.name = name};
	return &hosts->items[hosts->count++];
}

static int by_load(const void *one, const void *other)
{
	const struct samples_host *a = one, *b = other;

	return a->busy < b->busy ? 1 : a->busy > b->busy ? -1 : 0;
}

struct samples_hosts samples_hosts(const struct samples *samples)
{
	const struct recording *recording = samples->recording;
	struct samples_hosts hosts = {
		.items = memory_new(recording->runs.count + 1, sizeof(*hosts.items))};
	double sum = 0;

	for (size_t i = 0; i < recording->runs.count; i++)
		host_named(&hosts, recording->runs.items[i].host)->wall_ns +=
			recording->runs.items[i].wall_ns;
	for (size_t i = 0; i < samples->count; i++) {
		const struct samples_entry *entry = &samples->entries[i];
		if (entry->run && entry->stack_sample->class <= CLASS_KERNEL)
			host_named(&hosts, entry->run->host)->cpu_ns +=
				entry->stack_sample->weight_ns;
	}
	for (size_t i = 0; i < hosts.count; i++) {
		struct samples_host *host = &hosts.items[i];
		host->busy = host->wall_ns ? (double)host->cpu_ns / (double)host->wall_ns : 0;
		sum += host->busy;
	}
	qsort(hosts.items, hosts.count, sizeof(*hosts.items), by_load);
	if (sum > 0)
		hosts.imbalance = hosts.items[0].busy * (double)hosts.count / sum - 1;
	return hosts;
}

void samples_hosts_clear(struct samples_hosts *hosts)
{
	free(hosts->items);
	*hosts = (struct samples_hosts){0};
}
