/* SPDX-License-Identifier: BSD-2-Clause */
/* flows - sorts marks by name, number and time, so that partners are neighbours. */
#include "analyze/flows.h"

struct end {
	uint64_t time_ns, id;
	unsigned word;
	bool is_out;
};

struct flows {
	ARRAY(struct end) ends;
	uint64_t left_out;
};

struct flows *flows_new(void)
{
	return memory_new(1, sizeof(struct flows));
}

void flows_free(struct flows *flows)
{
	array_free(&flows->ends);
	free(flows);
}

void flows_add(struct flows *flows, const struct mark *mark)
{
	if (flows->ends.count == FLOWS_MOST) {
		flows->left_out++;
		return;
	}
	*array_add(&flows->ends) = (struct end){.time_ns = mark->time_ns,
						.id = mark->value,
						.word = mark->word,
						.is_out = mark->kind == MARK_FLOW_OUT};
}

static int by_partner(const void *left, const void *right)
{
	const struct end *a = left, *b = right;

	if (a->word != b->word)
		return a->word < b->word ? -1 : 1;
	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns ? -1 : 1;
	return b->is_out - a->is_out;
}

static int by_total(const void *left, const void *right)
{
	const struct spans_flow *a = left, *b = right;

	if (a->total_ns != b->total_ns)
		return a->total_ns > b->total_ns ? -1 : 1;
	return a->word < b->word ? -1 : a->word > b->word;
}

/* All of one name: `count` ends in order. */
static void add_row(struct spans *spans, const struct end *ends, size_t count)
{
	struct spans_flow *flow = array_add(&spans->flows);
	struct lengths lengths = {0};
	const struct end *open = NULL;

	flow->word = ends[0].word;
	for (size_t i = 0; i < count; i++) {
		bool is_same = open && open->id == ends[i].id;
		flow->lost += open && (!is_same || ends[i].is_out);
		flow->lost += !ends[i].is_out && !is_same;
		if (!ends[i].is_out && is_same)
			lengths_add(&lengths, ends[i].time_ns - open->time_ns);
		open = ends[i].is_out ? &ends[i] : NULL;
	}
	flow->lost += open != NULL;
	flow->count = lengths.count;
	flow->total_ns = lengths.total_ns;
	flow->durations = spans_percentiles_of(&lengths);
	lengths_release(&lengths);
}

void flows_find(struct flows *flows, struct spans *spans)
{
	const struct end *ends = flows->ends.items;
	size_t begin = 0;

	if (!flows->ends.count)
		return;
	qsort(flows->ends.items, flows->ends.count, sizeof(*flows->ends.items), by_partner);
	for (size_t i = 1; i <= flows->ends.count; i++) {
		if (i < flows->ends.count && ends[i].word == ends[begin].word)
			continue;
		add_row(spans, ends + begin, i - begin);
		begin = i;
	}
	qsort(spans->flows.items, spans->flows.count, sizeof(*spans->flows.items), by_total);
	spans->flows_left_out = flows->left_out;
}
