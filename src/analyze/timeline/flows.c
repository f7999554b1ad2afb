/* SPDX-License-Identifier: BSD-2-Clause */
/* flows - sorts marks by name, number and time, so that partners are neighbours. */
#include "analyze/timeline/flows.h"

struct flow_end {
	uint64_t time_ns, id;
	unsigned name_id;
	bool is_out;
};

struct flows {
	ARRAY(struct flow_end) flow_ends;
	uint64_t left_out;
};

struct flows *flows_new(void)
{
	return memory_new(1, sizeof(struct flows));
}

void flows_free(struct flows *flows)
{
	array_free(&flows->flow_ends);
	free(flows);
}

void flows_add(struct flows *flows, const struct mark *mark)
{
	if (flows->flow_ends.count == FLOWS_MOST) {
		flows->left_out++;
		return;
	}
	*array_add(&flows->flow_ends) = (struct flow_end){.time_ns = mark->time_ns,
							  .id = mark->value,
							  .name_id = mark->name_id,
							  .is_out = mark->kind == MARK_FLOW_OUT};
}

static int by_partner(const void *left, const void *right)
{
	const struct flow_end *a = left, *b = right;

	if (a->name_id != b->name_id)
		return a->name_id < b->name_id ? -1 : 1;
	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns ? -1 : 1;
	return b->is_out - a->is_out;
}

static int by_total(const void *left, const void *right)
{
	const struct flow *a = left, *b = right;

	if (a->total_ns != b->total_ns)
		return a->total_ns > b->total_ns ? -1 : 1;
	return a->name_id < b->name_id ? -1 : a->name_id > b->name_id;
}

/* A row for the `count` ends of one name. */
static void add_row(struct flow_list *found, const struct flow_end *flow_ends, size_t count)
{
	struct flow *flow = array_add(found);
	struct histogram histogram = {0};
	const struct flow_end *open = NULL;

	flow->name_id = flow_ends[0].name_id;
	for (size_t i = 0; i < count; i++) {
		bool is_same = open && open->id == flow_ends[i].id;
		flow->lost += open && (!is_same || flow_ends[i].is_out);
		flow->lost += !flow_ends[i].is_out && !is_same;
		if (!flow_ends[i].is_out && is_same)
			histogram_add(&histogram, flow_ends[i].time_ns - open->time_ns);
		open = flow_ends[i].is_out ? &flow_ends[i] : NULL;
	}
	flow->lost += open != NULL;
	flow->count = histogram.count;
	flow->total_ns = histogram.total_ns;
	flow->durations = percentiles_of(&histogram);
	histogram_release(&histogram);
}

uint64_t flows_find(struct flows *flows, struct flow_list *found)
{
	const struct flow_end *flow_ends = flows->flow_ends.items;
	size_t begin = 0;

	if (!flows->flow_ends.count)
		return 0;
	qsort(flows->flow_ends.items, flows->flow_ends.count, sizeof(*flows->flow_ends.items),
	      by_partner);
	for (size_t i = 1; i <= flows->flow_ends.count; i++) {
		if (i < flows->flow_ends.count && flow_ends[i].name_id == flow_ends[begin].name_id)
			continue;
		add_row(found, flow_ends + begin, i - begin);
		begin = i;
	}
	qsort(found->items, found->count, sizeof(*found->items), by_total);
	return flows->left_out;
}
