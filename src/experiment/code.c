/* SPDX-License-Identifier: BSD-2-Clause */
/* code - samples get places, and the kernel side gets the ranges of scope and target. */
#include "experiment/code.h"

#include "base/memory.h"
#include "base/own.h"
#include "experiment/files.h"

#include <string.h>
#include <unistd.h>

#define CODE_CACHE_SLOTS 4096
#define JIT_FIRST_TRY 16 /* samples of a process without a file before its JIT map is looked for */

struct cached {
	uint32_t object, place;
	uint64_t offset;
};

struct jit {
	uint32_t tgid, object; /* SYMBOLS_NONE: no map found yet */
	unsigned samples;
};

struct code {
	struct symbols *symbols;
	struct collector *collector;
	struct files *files;
	ARRAY(struct code_place) places;
	ARRAY(struct jit) jits;
	ARRAY(uint32_t) watched;
	struct cached cache[CODE_CACHE_SLOTS];
	uint64_t cache_generation;
	uint64_t scope_generation;
	uint32_t scope_objects;
	bool is_scope_told;
};

void code_free(struct code *code)
{
	if (!code)
		return;
	array_free(&code->places);
	array_free(&code->jits);
	array_free(&code->watched);
	files_free(code->files);
	free(code);
}

const char *code_warnings(const struct code *code)
{
	return files_warnings(code->files);
}

static int name_object(void *context, const struct kernel_file *file, uint32_t object)
{
	return collector_name_object(context, file, object);
}

static int set_unwind(void *context, uint32_t object, const struct kernel_unwind_row *rows,
		      size_t count)
{
	return collector_set_unwind(context, object, rows, count);
}

struct code *code_new(struct symbols *symbols, struct collector *collector)
{
	struct code *code = memory_new(1, sizeof(*code));
	struct files_sink sink = {.context = collector,
				  .name_object = name_object,
				  .set_unwind = set_unwind};

	code->symbols = symbols;
	code->collector = collector;
	code->files = files_new(symbols, &sink);
	if (symbols_object_count(symbols))
		files_tell(code->files, 0); /* the program's own file */
	return code;
}

void code_on_object(struct code *code, const struct kernel_object_event *event)
{
	if (files_on_object(code->files, event))
		code_update_scope(code, NULL);
}

static struct jit *jit_of(struct code *code, uint32_t tgid)
{
	for (size_t i = 0; i < code->jits.count; i++)
		if (code->jits.items[i].tgid == tgid)
			return &code->jits.items[i];
	struct jit *jit = array_add(&code->jits);
	jit->tgid = tgid;
	jit->object = SYMBOLS_NONE;
	return jit;
}

/* The object of JIT code in this process; looks for its map rarely. */
static uint32_t jit_object(struct code *code, uint32_t tgid)
{
	struct jit *jit = jit_of(code, tgid);
	unsigned samples = ++jit->samples;

	if (samples >= JIT_FIRST_TRY && !(samples & (samples - 1))) { /* at powers of two */
		AUTO(text) char *path = text_format("/tmp/perf-%u.map", tgid);
		uint32_t object;
		if (!access(path, R_OK) && !symbols_add_jit(code->symbols, path, &object, NULL))
			jit->object = object;
	}
	return jit->object;
}

static uint32_t find_place(struct code *code, uint32_t tgid, uint32_t kernel_object,
			   uint64_t offset)
{
	if (kernel_object == KERNEL_OBJECT_UNKNOWN)
		return SYMBOLS_NONE;
	if (kernel_object == KERNEL_OBJECT_NO_FILE) {
		uint32_t object = jit_object(code, tgid);
		return object == SYMBOLS_NONE ? SYMBOLS_NONE :
						symbols_place_at(code->symbols, object, offset);
	}
	struct cached *slot = &code->cache[(offset ^ offset >> 12 ^ kernel_object * 2654435761u) %
					   CODE_CACHE_SLOTS];
	if (code->cache_generation != symbols_generation(code->symbols)) {
		memset(code->cache, 0, sizeof(code->cache));
		code->cache_generation = symbols_generation(code->symbols);
	}
	if (slot->object != kernel_object || slot->offset != offset) {
		slot->place = symbols_place_at(code->symbols, kernel_object - 1, offset);
		slot->object = kernel_object;
		slot->offset = offset;
	}
	return slot->place;
}

static void count_sample(struct code *code, uint32_t place, const struct kernel_sample *sample)
{
	while (code->places.count <= place)
		(void)array_add(&code->places);
	struct code_place *counted = &code->places.items[place];
	counted->samples++;
	counted->sampled_ns += sample->weight_ns;
	if (!(sample->flags & KERNEL_SAMPLE_FAST))
		counted->calm_sampled_ns += sample->weight_ns;
	counted->recent_ns += (double)sample->weight_ns;
}

static bool place_holds(struct code *code, uint32_t place, uint32_t object, uint64_t offset)
{
	const struct symbols_range *ranges;
	size_t low = 0, high = symbols_place_ranges(code->symbols, place, &ranges);

	if (symbols_place(code->symbols, place)->object + 1 != object)
		return false;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (ranges[middle].end <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low < symbols_place_ranges(code->symbols, place, &ranges) &&
	       ranges[low].start <= offset;
}

void code_on_sample(struct code *code, const struct kernel_sample *sample)
{
	uint32_t object = sample->scope_object;
	uint64_t offset = sample->scope_offset;

	if (sample->flags & KERNEL_SAMPLE_NO_SCOPE) {
		/* The kernel side may not know the scope of this file yet. */
		object = sample->leaf_object;
		offset = sample->leaf_offset;
	}
	if (sample->leaf_object == KERNEL_OBJECT_NO_FILE)
		jit_object(code, sample->tgid); /* a caller in scope must not hide it */
	uint32_t place = find_place(code, sample->tgid, object, offset);
	if (place != SYMBOLS_NONE)
		count_sample(code, place, sample);
	for (size_t i = 0; i < code->watched.count; i++) {
		uint32_t watched = code->watched.items[i];
		if (watched != place && place_holds(code, watched, object, offset))
			count_sample(code, watched, sample);
	}
}

void code_watch(struct code *code, uint32_t place)
{
	*array_add(&code->watched) = place;
	while (code->places.count <= place)
		(void)array_add(&code->places);
}

void code_age(struct code *code)
{
	for (size_t i = 0; i < code->places.count; i++) {
		double *recent = &code->places.items[i].recent_ns;
		*recent = *recent < 1 ? 0 : *recent / 2;
	}
}

const struct code_place *code_places(const struct code *code, size_t *count)
{
	*count = code->places.count;
	return code->places.items;
}

static bool is_jit(const struct code *code, uint32_t object)
{
	for (size_t i = 0; i < code->jits.count; i++)
		if (code->jits.items[i].object == object)
			return true;
	return false;
}

static uint32_t kernel_object_of(const struct code *code, uint32_t object)
{
	return is_jit(code, object) ? KERNEL_OBJECT_NO_FILE : object + 1;
}

static int by_start(const void *a, const void *b)
{
	const struct kernel_range *left = a, *right = b;
	if (left->object != right->object)
		return left->object < right->object ? -1 : 1;
	return left->start < right->start ? -1 : left->start > right->start;
}

/* Drops overlaps, which JIT maps of several processes may have. */
static size_t merge_ranges(struct kernel_range *ranges, size_t count)
{
	size_t kept = 0;

	qsort(ranges, count, sizeof(*ranges), by_start);
	for (size_t i = 0; i < count; i++) {
		struct kernel_range *last = kept ? &ranges[kept - 1] : NULL;
		if (last && last->object == ranges[i].object && ranges[i].start <= last->end &&
		    ranges[i].value == last->value) {
			if (ranges[i].end > last->end)
				last->end = ranges[i].end;
		} else {
			ranges[kept++] = ranges[i];
		}
	}
	return kept;
}

int code_update_scope(struct code *code, struct error *error)
{
	ARRAY(struct kernel_range) all = {0};
	uint32_t objects = symbols_object_count(code->symbols);

	if (code->is_scope_told && code->scope_objects == objects &&
	    code->scope_generation == symbols_generation(code->symbols))
		return 0;
	for (uint32_t object = 0; object < objects; object++) {
		const struct symbols_range *ranges;
		size_t count = symbols_scope_ranges(code->symbols, object, &ranges);
		for (size_t i = 0; i < count; i++) {
			struct kernel_range *range = array_add(&all);
			range->object = kernel_object_of(code, object);
			range->start = ranges[i].start;
			range->end = ranges[i].end;
		}
	}
	size_t count = merge_ranges(all.items, all.count);
	int failed = collector_set_scope(code->collector, all.items, count);
	free(all.items);
	if (failed)
		return error_set(
			error, failed,
			"the scope has %zu pieces, %d are the most; narrow it with --scope", count,
			KERNEL_RANGES_MOST);
	code->is_scope_told = true;
	code->scope_objects = objects;
	code->scope_generation = symbols_generation(code->symbols);
	return 0;
}

void code_widen_scope(struct code *code)
{
	uint32_t objects = symbols_object_count(code->symbols);
	struct kernel_range *all = memory_new(objects, sizeof(*all));

	for (uint32_t i = 0; i < objects; i++)
		all[i] = (struct kernel_range){.object = i + 1, .start = 0, .end = UINT64_MAX};
	if (!collector_set_scope(code->collector, all, objects))
		code->is_scope_told = false; /* the true scope must be told again */
	free(all);
}

struct kernel_range *code_ranges(struct code *code, uint32_t place, uint32_t value, size_t *count)
{
	const struct symbols_range *ranges;
	size_t found = symbols_place_ranges(code->symbols, place, &ranges);
	struct kernel_range *made = memory_new(found, sizeof(*made));
	uint32_t object = symbols_place(code->symbols, place)->object;

	for (size_t i = 0; i < found; i++)
		made[i] = (struct kernel_range){.object = kernel_object_of(code, object),
						.value = value,
						.start = ranges[i].start,
						.end = ranges[i].end};
	*count = merge_ranges(made, found);
	return made;
}

int code_set_target(struct code *code, uint32_t place, struct error *error)
{
	size_t count;
	struct kernel_range *ranges = code_ranges(code, place, 0, &count);
	int failed = collector_set_target(code->collector, ranges, count);

	free(ranges);
	return failed ? error_set(error, failed, "'%s' has %zu pieces of code, %d are the most",
				  symbols_place(code->symbols, place)->name, count,
				  KERNEL_RANGES_MOST) :
			0;
}
