/* SPDX-License-Identifier: BSD-2-Clause */
/* spin_code - asks symbols for a function's spin loops once, and sends all of them on. */
#include "experiment/target/spin_code.h"

#include "base/memory.h"

struct object_code {
	struct ranges functions; /* that were looked at, or single bytes outside of any */
	struct ranges loops, helpers;
};

struct spin_code {
	struct symbols *symbols;
	struct collector *collector;
	ARRAY(struct object_code) objects;
};

struct spin_code *spin_code_new(struct symbols *symbols, struct collector *collector)
{
	struct spin_code *code = memory_new(1, sizeof(*code));

	code->symbols = symbols;
	code->collector = collector;
	return code;
}

void spin_code_free(struct spin_code *code)
{
	if (!code)
		return;
	for (size_t i = 0; i < code->objects.count; i++) {
		ranges_clear(&code->objects.items[i].functions);
		ranges_clear(&code->objects.items[i].loops);
		ranges_clear(&code->objects.items[i].helpers);
	}
	array_free(&code->objects);
	free(code);
}

static void add_ranges(struct wire_range *all, size_t *count, uint32_t object,
		       const struct ranges *ranges, uint32_t value)
{
	for (size_t i = 0; i < ranges->count && *count < WIRE_RANGES_MOST; i++)
		all[(*count)++] = (struct wire_range){.object = object,
						      .value = value,
						      .start = ranges->items[i].start,
						      .end = ranges->items[i].end};
}

static int by_start(const void *a, const void *b)
{
	const struct wire_range *left = a, *right = b;
	if (left->object != right->object)
		return left->object < right->object ? -1 : 1;
	return left->start < right->start ? -1 : left->start > right->start;
}

/* Of too many ranges the last are left out: threads in them count as working. */
static void send(struct spin_code *code)
{
	struct wire_range *all = memory_new(WIRE_RANGES_MOST, sizeof(*all));
	size_t count = 0;

	for (size_t i = 0; i < code->objects.count; i++) {
		const struct object_code *object = &code->objects.items[i];
		struct ranges helpers = {0};
		for (size_t j = 0; j < object->helpers.count; j++)
			ranges_cut(&object->loops, object->helpers.items[j].start,
				   object->helpers.items[j].end, &helpers);
		add_ranges(all, &count, (uint32_t)i + 1, &object->loops, WIRE_SPIN_LOOP);
		add_ranges(all, &count, (uint32_t)i + 1, &helpers, WIRE_SPIN_HELPER);
		ranges_clear(&helpers);
	}
	qsort(all, count, sizeof(*all), by_start);
	collector_set_spins(code->collector, all, count);
	free(all);
}

static void look_at(struct spin_code *code, uint32_t object, uint64_t offset)
{
	struct object_code *own = &code->objects.items[object];
	struct range function = {.start = offset, .end = offset + 1};
	size_t loops = own->loops.count, helpers = own->helpers.count;

	if (!symbols_spin_loops(code->symbols, object, offset, &function, &own->loops,
				&own->helpers))
		function = (struct range){.start = offset, .end = offset + 1};
	ranges_include(&own->functions, function.start, function.end);
	if (own->loops.count == loops && own->helpers.count == helpers)
		return;
	ranges_merge(&own->loops);
	ranges_merge(&own->helpers);
	send(code);
}

bool spin_code_on_sample(struct spin_code *code, uint32_t wire_object, uint64_t offset)
{
	if (wire_object == WIRE_OBJECT_UNKNOWN || wire_object >= WIRE_OBJECTS_MOST ||
	    wire_object > symbols_object_count(code->symbols))
		return false;
	uint32_t object = wire_object - 1;
	while (code->objects.count <= object)
		(void)array_add(&code->objects);
	if (!ranges_has(&code->objects.items[object].functions, offset))
		look_at(code, object, offset);
	return ranges_has(&code->objects.items[object].loops, offset);
}
