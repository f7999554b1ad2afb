/* SPDX-License-Identifier: BSD-2-Clause */
/* code - samples get places, and the kernel side gets the ranges of scope and target. */
#include "experiment/target/sampled_code.h"

#include "base/cleanup.h"
#include "base/memory.h"
#include "experiment/target/mapped_files.h"

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
	struct mapped_files *mapped_files;
	ARRAY(struct sampled_location) places;
	ARRAY(struct jit) jits;
	ARRAY(struct target_code) watched;
	enum target_kind chosen;                /* TARGET_SYSTEM_CALL, TARGET_SPAN; else code */
	uint32_t span_places[WIRE_POINTS_MOST]; /* by point; SYMBOLS_NONE: not asked for yet */
	ARRAY(struct kernel_caller) callers;
	struct cached cache[CODE_CACHE_SLOTS];
	uint64_t cache_generation;
	uint64_t scope_generation;
	uint32_t scope_objects;
	bool is_scope_told;
};

void sampled_code_free(struct code *code)
{
	if (!code)
		return;
	array_free(&code->places);
	array_free(&code->jits);
	array_free(&code->watched);
	array_free(&code->callers);
	mapped_files_free(code->mapped_files);
	free(code);
}

const char *sampled_code_warnings(const struct code *code)
{
	return mapped_files_warnings(code->mapped_files);
}

static int name_object(void *context, const struct wire_file *file, uint32_t object)
{
	return collector_name_object(context, file, object);
}

static int set_unwind(void *context, uint32_t object, const struct wire_unwind_row *rows,
		      size_t count)
{
	return collector_set_unwind(context, object, rows, count);
}

struct code *sampled_code_new(struct symbols *symbols, struct collector *collector)
{
	struct code *code = memory_new(1, sizeof(*code));
	struct mapped_files_sink sink = {.context = collector,
					 .name_object = name_object,
					 .set_unwind = set_unwind};

	code->symbols = symbols;
	code->collector = collector;
	memset(code->span_places, 0xff, sizeof(code->span_places)); /* SYMBOLS_NONE */
	code->mapped_files = mapped_files_new(symbols, &sink);
	if (symbols_object_count(symbols))
		mapped_files_announce(code->mapped_files, 0); /* the program's own file */
	return code;
}

void sampled_code_on_object(struct code *code, const struct kernel_object_event *event)
{
	if (mapped_files_on_object(code->mapped_files, event))
		sampled_code_update_scope(code, NULL);
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

/* The object and offset of an address in the kernel, also in a module that was loaded just now. */
static bool kernel_offset(struct code *code, uint64_t address, uint32_t *object, uint64_t *offset)
{
	symbols_refresh_kernel(code->symbols, address);
	return symbols_kernel_offset(code->symbols, address, object, offset);
}

static uint32_t find_place(struct code *code, uint32_t tgid, uint32_t kernel_object,
			   uint64_t offset)
{
	if (kernel_object == WIRE_OBJECT_UNKNOWN)
		return SYMBOLS_NONE;
	uint32_t object_id = kernel_object - 1;
	uint64_t address = offset;
	if (kernel_object == WIRE_OBJECT_KERNEL &&
	    !kernel_offset(code, address, &object_id, &offset))
		return SYMBOLS_NONE;
	if (kernel_object == WIRE_OBJECT_NO_FILE) {
		uint32_t object = jit_object(code, tgid);
		return object == SYMBOLS_NONE ? SYMBOLS_NONE :
						symbols_location_at(code->symbols, object, offset);
	}
	struct cached *slot = &code->cache[(address ^ address >> 12 ^ kernel_object * 2654435761u) %
					   CODE_CACHE_SLOTS];
	if (code->cache_generation != symbols_generation(code->symbols)) {
		memset(code->cache, 0, sizeof(code->cache));
		code->cache_generation = symbols_generation(code->symbols);
	}
	if (slot->object != kernel_object || slot->offset != address) {
		slot->place = symbols_location_at(code->symbols, object_id, offset);
		slot->object = kernel_object;
		slot->offset = address;
	}
	return slot->place;
}

static struct sampled_location *place_of(struct code *code, uint32_t place)
{
	while (code->places.count <= place)
		(void)array_add(&code->places);
	return &code->places.items[place];
}

static void count_sample(struct code *code, uint32_t place, const struct wire_sample *sample)
{
	struct sampled_location *counted = place_of(code, place);
	counted->samples++;
	counted->sampled_ns += sample->weight_ns;
	if (!(sample->flags & WIRE_SAMPLE_SPEEDUP))
		counted->baseline_sampled_ns += sample->weight_ns;
}

/* The innermost place: blocks are drawn in proportion to this. */
static void count_recent(struct code *code, uint32_t place, const struct wire_sample *sample)
{
	place_of(code, place)->recent_ns += (double)sample->weight_ns;
}

static bool place_holds(struct code *code, uint32_t place, uint32_t object, uint64_t offset)
{
	const struct range *ranges;
	size_t low = 0, high = symbols_location_ranges(code->symbols, place, &ranges);

	if (symbols_location(code->symbols, place)->object != object)
		return false;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (ranges[middle].end <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low < symbols_location_ranges(code->symbols, place, &ranges) &&
	       ranges[low].start <= offset;
}

static void count_caller(struct code *code, uint32_t place, uint32_t user_place,
			 const struct kernel_chain *chain)
{
	struct kernel_caller *caller = NULL;

	for (size_t i = 0; i < code->callers.count && !caller; i++) {
		struct kernel_caller *one = &code->callers.items[i];
		if (one->place == place && one->user_place == user_place &&
		    one->system_call == chain->sample.system_call)
			caller = one;
	}
	if (!caller) {
		caller = array_add(&code->callers);
		*caller = (struct kernel_caller){.place = place,
						 .user_place = user_place,
						 .system_call = chain->sample.system_call};
	}
	caller->samples++;
	caller->sampled_ns += chain->sample.weight_ns;
}

/* Which places of the kernel the chain went through; each once. */
struct passed {
	uint32_t places[2 * KERNEL_CHAIN_MOST];
	size_t count;
};

static bool pass(struct passed *passed, uint32_t place)
{
	for (size_t i = 0; i < passed->count; i++)
		if (passed->places[i] == place)
			return false;
	if (passed->count == sizeof(passed->places) / sizeof(*passed->places))
		return false;
	passed->places[passed->count++] = place;
	return true;
}

static void pass_watched(struct code *code, uint64_t address, struct passed *passed)
{
	uint32_t object;
	uint64_t offset;

	for (size_t i = 0; i < code->watched.count; i++) {
		const struct target_code *watched = &code->watched.items[i];
		if (!watched->classes && kernel_offset(code, address, &object, &offset) &&
		    place_holds(code, watched->code, object, offset))
			pass(passed, watched->place);
	}
}

static uint32_t place_of_span(struct code *code, uint32_t point)
{
	if (point >= WIRE_POINTS_MOST || point >= collector_point_count(code->collector))
		return SYMBOLS_NONE;
	if (code->span_places[point] == SYMBOLS_NONE)
		code->span_places[point] =
			symbols_span(code->symbols, collector_point(code->collector, point)->name);
	return code->span_places[point];
}

/* A target that is the sample's system call or span. */
static bool is_activity_of(struct code *code, uint32_t place, const struct wire_sample *sample)
{
	uint32_t object = symbols_location(code->symbols, place)->object;

	if (symbols_is_system_calls(code->symbols, object))
		return sample->system_call >= 0 &&
		       place == symbols_system_call(code->symbols, sample->system_call);
	return symbols_is_spans(code->symbols, object) &&
	       place == place_of_span(code, sample->span);
}

static void pass_watched_activities(struct code *code, const struct wire_sample *sample,
				    struct passed *passed)
{
	for (size_t i = 0; i < code->watched.count; i++) {
		const struct target_code *watched = &code->watched.items[i];
		if (!watched->classes && is_activity_of(code, watched->code, sample))
			pass(passed, watched->place);
	}
}

/*
 * A sample in the kernel counts for each function that its chain went through, as the experiments
 * count it; for those only that have been the innermost one themselves, or are watched.
 */
static void on_chain(struct code *code, const struct kernel_chain *chain)
{
	const struct wire_sample *sample = &chain->sample;
	uint32_t user_place =
		find_place(code, sample->tgid, chain->user_object, chain->user_offset);
	bool is_of_kernel = sample->scope_object == WIRE_OBJECT_KERNEL;
	struct passed passed = {0};

	uint32_t innermost = is_of_kernel ? find_place(code, sample->tgid, WIRE_OBJECT_KERNEL,
						       sample->scope_offset) :
					    user_place;
	if (innermost != SYMBOLS_NONE) {
		count_recent(code, innermost, sample);
		count_sample(code, innermost, sample);
	}
	if (is_of_kernel && innermost != SYMBOLS_NONE) {
		count_caller(code, innermost, user_place, chain);
		pass(&passed, innermost);
	}
	size_t begin = passed.count;
	for (uint32_t i = 0; i < chain->count && i < KERNEL_CHAIN_MOST; i++) {
		uint64_t address = chain->addresses[i] - (i ? 1 : 0);
		uint32_t place = find_place(code, sample->tgid, WIRE_OBJECT_KERNEL, address);
		if (place != SYMBOLS_NONE && place_of(code, place)->recent_ns > 0)
			pass(&passed, place);
		pass_watched(code, address, &passed);
	}
	pass_watched_activities(code, sample, &passed);
	for (size_t i = begin; i < passed.count; i++) {
		count_sample(code, passed.places[i], sample);
		count_caller(code, passed.places[i], user_place, chain);
	}
}

const struct kernel_caller *sampled_code_callers(const struct code *code, size_t *count)
{
	*count = code->callers.count;
	return code->callers.items;
}

static bool watched_holds(struct code *code, const struct target_code *watched,
			  const struct wire_sample *sample, uint32_t kernel_object, uint64_t offset)
{
	uint32_t object = kernel_object - 1;
	uint32_t class = sample->flags >> WIRE_SAMPLE_CLASS_SHIFT & WIRE_SAMPLE_CLASS_MASK;

	if (watched->classes && !(watched->classes & WAIT_CLASS_BIT(class)))
		return false;
	if (watched->code == SYMBOLS_NONE || is_activity_of(code, watched->code, sample))
		return true;
	if (kernel_object == WIRE_OBJECT_KERNEL && !kernel_offset(code, offset, &object, &offset))
		return false;
	return place_holds(code, watched->code, object, offset);
}

/* Returns whether samples count for what the task did. */
static bool on_activity(struct code *code, const struct wire_sample *sample)
{
	uint32_t place = SYMBOLS_NONE;

	if (code->chosen == TARGET_SYSTEM_CALL && sample->system_call >= 0)
		place = symbols_system_call(code->symbols, sample->system_call);
	else if (code->chosen == TARGET_SPAN)
		place = place_of_span(code, sample->span);
	if (place != SYMBOLS_NONE) {
		count_recent(code, place, sample);
		count_sample(code, place, sample);
	}
	return code->chosen == TARGET_SYSTEM_CALL || code->chosen == TARGET_SPAN;
}

void sampled_code_on_sample(struct code *code, const struct wire_sample *sample)
{
	if (on_activity(code, sample))
		return;
	if (sample->flags & WIRE_SAMPLE_CHAIN) {
		on_chain(code, (const struct kernel_chain *)(const void *)sample);
		return;
	}
	uint32_t object = sample->scope_object;
	uint64_t offset = sample->scope_offset;

	if (sample->flags & WIRE_SAMPLE_NO_SCOPE) {
		/* The kernel side may not know the scope of this file yet. */
		object = sample->leaf_object;
		offset = sample->leaf_offset;
	}
	if (sample->leaf_object == WIRE_OBJECT_NO_FILE)
		jit_object(code, sample->tgid); /* a caller in scope must not hide it */
	uint32_t place = find_place(code, sample->tgid, object, offset);
	if (place != SYMBOLS_NONE) {
		count_recent(code, place, sample);
		count_sample(code, place, sample);
	}
	for (size_t i = 0; i < code->watched.count; i++) {
		const struct target_code *watched = &code->watched.items[i];
		if (watched->place == place ||
		    !watched_holds(code, watched, sample, object, offset))
			continue;
		count_recent(code, watched->place, sample);
		count_sample(code, watched->place, sample);
	}
}

void sampled_code_watch(struct code *code, const struct target_code *target)
{
	*array_add(&code->watched) = *target;
	place_of(code, target->place);
}

void sampled_code_set_kind(struct code *code, enum target_kind kind)
{
	code->chosen = kind;
}

/* WIRE_POINTS_MOST: there is none. */
static uint32_t point_of_span(const struct code *code, const char *name)
{
	uint32_t count = collector_point_count(code->collector);

	for (uint32_t i = 0; i < count; i++) {
		const struct wire_point *point = collector_point(code->collector, i);
		if (point->kind == POINTS_BEGIN && !strcmp(point->name, name))
			return i;
	}
	return WIRE_POINTS_MOST;
}

bool sampled_code_has_span(const struct code *code, const char *name)
{
	return point_of_span(code, name) < WIRE_POINTS_MOST;
}

static struct wire_range *span_ranges(const struct code *code, uint32_t place, size_t *count)
{
	const char *name = symbols_location(code->symbols, place)->name;
	uint32_t point = point_of_span(code, name + strlen(SYMBOLS_SPAN_PREFIX));
	struct wire_range *range = memory_new(1, sizeof(*range));

	*range = (struct wire_range){.object = WIRE_OBJECT_SPANS,
				     .start = point,
				     .end = (uint64_t)point + 1};
	*count = 1;
	return range;
}

void sampled_code_age(struct code *code)
{
	for (size_t i = 0; i < code->places.count; i++) {
		double *recent = &code->places.items[i].recent_ns;
		*recent = *recent < 1 ? 0 : *recent / 2;
	}
}

const struct sampled_location *sampled_code_locations(const struct code *code, size_t *count)
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
	if (symbols_is_kernel(code->symbols, object))
		return WIRE_OBJECT_KERNEL;
	if (symbols_is_system_calls(code->symbols, object))
		return WIRE_OBJECT_SYSTEM_CALLS;
	return is_jit(code, object) ? WIRE_OBJECT_NO_FILE : object + 1;
}

static int by_start(const void *a, const void *b)
{
	const struct wire_range *left = a, *right = b;
	if (left->object != right->object)
		return left->object < right->object ? -1 : 1;
	return left->start < right->start ? -1 : left->start > right->start;
}

/* Drops overlaps, which JIT maps of several processes may have. */
static size_t merge_ranges(struct wire_range *ranges, size_t count)
{
	size_t kept = 0;

	qsort(ranges, count, sizeof(*ranges), by_start);
	for (size_t i = 0; i < count; i++) {
		struct wire_range *last = kept ? &ranges[kept - 1] : NULL;
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

static struct wire_range kernel_range_of(const struct code *code, uint32_t object,
					 const struct range *range)
{
	uint64_t start = symbols_kernel_address(code->symbols, object, range->start);

	return (struct wire_range){.object = kernel_object_of(code, object),
				   .start = start,
				   .end = start + (range->end - range->start)};
}

struct scope_ranges {
	struct wire_range *items;
	size_t count, capacity;
};

/* Time in the scheduler belongs to who waits. */
static void add_scope_range(const struct code *code, struct scope_ranges *all,
			    struct wire_range range)
{
	struct wire_range rest = range;
	uint64_t start, end;

	symbols_scheduler(code->symbols, &start, &end);
	if (range.object != WIRE_OBJECT_KERNEL || range.end <= start || range.start >= end) {
		*array_add(all) = range;
		return;
	}
	range.end = start;
	rest.start = end;
	if (range.start < range.end)
		*array_add(all) = range;
	if (rest.start < rest.end)
		*array_add(all) = rest;
}

int sampled_code_update_scope(struct code *code, struct error *error)
{
	struct scope_ranges all = {0};
	uint32_t objects = symbols_object_count(code->symbols);

	if (code->is_scope_told && code->scope_objects == objects &&
	    code->scope_generation == symbols_generation(code->symbols))
		return 0;
	for (uint32_t object = 0; object < objects; object++) {
		const struct range *ranges;
		size_t count = symbols_scope_ranges(code->symbols, object, &ranges);
		for (size_t i = 0; i < count; i++) {
			add_scope_range(code, &all, kernel_range_of(code, object, &ranges[i]));
		}
	}
	size_t count = merge_ranges(all.items, all.count);
	int failed = collector_set_scope(code->collector, all.items, count);
	free(all.items);
	if (failed)
		return error_set(
			error, failed,
			"the scope has %zu pieces, %d are the most; narrow it with --scope", count,
			WIRE_RANGES_MOST);
	code->is_scope_told = true;
	code->scope_objects = objects;
	code->scope_generation = symbols_generation(code->symbols);
	return 0;
}

void sampled_code_widen_scope(struct code *code)
{
	uint32_t objects = symbols_object_count(code->symbols);
	struct wire_range *all = memory_new(objects, sizeof(*all));

	for (uint32_t i = 0; i < objects; i++)
		all[i] = (struct wire_range){.object = i + 1, .start = 0, .end = UINT64_MAX};
	if (!collector_set_scope(code->collector, all, objects))
		code->is_scope_told = false; /* the true scope must be told again */
	free(all);
}

struct wire_range *sampled_code_ranges(struct code *code, uint32_t place, uint32_t value,
				       size_t *count)
{
	uint32_t object = symbols_location(code->symbols, place)->object;
	if (symbols_is_spans(code->symbols, object))
		return span_ranges(code, place, count);
	const struct range *ranges;
	size_t found = symbols_location_ranges(code->symbols, place, &ranges);
	struct wire_range *made = memory_new(found, sizeof(*made));

	for (size_t i = 0; i < found; i++) {
		made[i] = kernel_range_of(code, object, &ranges[i]);
		made[i].value = value;
	}
	*count = merge_ranges(made, found);
	return made;
}

int sampled_code_set_target(struct code *code, const struct target_code *target,
			    struct error *error)
{
	size_t count = 0;
	bool is_code = target->code != SYMBOLS_NONE;
	struct wire_range *ranges =
		is_code ? sampled_code_ranges(code, target->code, 0, &count) : NULL;
	int failed = collector_set_target(code->collector, ranges, count, target->classes);

	free(ranges);
	return failed ? error_set(error, failed, "'%s' has %zu pieces of code, %d are the most",
				  symbols_location(code->symbols, target->place)->name, count,
				  WIRE_RANGES_MOST) :
			0;
}
