/* SPDX-License-Identifier: BSD-2-Clause */
/* sampled_code - samples get locations; the collector gets the ranges of scope and target. */
#include "experiment/target/sampled_code.h"

#include "base/memory.h"
#include "experiment/target/address_lookup.h"
#include "experiment/target/call_chains.h"
#include "experiment/target/chain_edges.h"
#include "experiment/target/code_ranges.h"
#include "experiment/target/collector_sink.h"
#include "experiment/target/jit_maps.h"
#include "experiment/target/mapped_files.h"
#include "experiment/target/process_names.h"
#include "experiment/target/python_events.h"
#include "experiment/target/spin_code.h"
#include "experiment/target/target_levels.h"

#include <string.h>

struct sampled_code {
	struct target_lookup lookup;
	struct mapped_files *files;
	struct spin_code *spins;
	struct call_chains *chains;
	struct sampled_time time;        /* of all code */
	uint64_t on_cpu_ns, faults_ns;   /* of `time`; sampled_code_fault_share */
	struct sampled_location retries; /* its threads: those in loops that retry */
	ARRAY(struct sampled_location) locations;
	ARRAY(struct target_spec) watched;
	const struct target_kind_row *kind; /* of the targets to be drawn; NULL: code */
	struct kernel_callers_found callers;
	uint64_t scope_generation;
	uint32_t scope_objects;
	bool is_scope_sent;
	bool is_pool, is_disturbed, counts_chains;
	struct focus focus;
	struct call_edges edges, import_edges;
	uint32_t last;                                  /* location of the last sample */
	uint32_t functions[CALL_CHAINS_FUNCTIONS_MOST]; /* of the sample's chain, innermost first */
	size_t function_count;
	/* of the window that is measured */
	uint32_t armed; /* location; SYMBOLS_NONE: none */
	struct target_spec target;
	const struct target_set *standing;
	uint64_t target_generation;
	uint64_t window_since_ns, unrecognized_ns, alone_ns;
};

void sampled_code_free(struct sampled_code *code)
{
	if (!code)
		return;
	array_free(&code->locations);
	array_free(&code->watched);
	array_free(&code->callers.items);
	process_names_free(code->lookup.process_names);
	call_chains_free(code->chains);
	call_edges_release(&code->edges);
	call_edges_release(&code->import_edges);
	focus_release(&code->focus);
	address_lookup_free(code->lookup.addresses);
	jit_maps_free(code->lookup.jit_maps);
	mapped_files_free(code->files);
	spin_code_free(code->spins);
	free(code);
}

struct target_lookup *sampled_code_lookup(struct sampled_code *code)
{
	return &code->lookup;
}

char *sampled_code_warnings(const struct sampled_code *code)
{
	char *text = text_copy(mapped_files_warnings(code->files));

	text_add_line(&text, text_copy(jit_maps_warnings(code->lookup.jit_maps)));
	return text;
}

struct sampled_code *sampled_code_new(struct symbols *symbols, struct collector *collector)
{
	struct sampled_code *code = memory_new(1, sizeof(*code));
	const struct mapped_files_sink sink = collector_sink(collector);

	code->armed = SYMBOLS_NONE;
	code->lookup.symbols = symbols;
	code->lookup.collector = collector;
	code->lookup.jit_maps = jit_maps_new(symbols);
	for (size_t i = 0; i < WIRE_POINTS_MOST; i++)
		code->lookup.span_locations[i] = SYMBOLS_NONE;
	code->files = mapped_files_new(symbols, &sink);
	code->spins = spin_code_new(symbols, collector);
	code->chains = call_chains_new(symbols, code->lookup.jit_maps);
	code->lookup.addresses = address_lookup_new(symbols, code->lookup.jit_maps);
	if (symbols_object_count(symbols))
		mapped_files_announce(code->files, 0); /* the program's own file */
	return code;
}

void sampled_code_on_callers(struct sampled_code *code, const struct kernel_callers *callers)
{
	call_chains_on_callers(code->chains, callers);
}

void sampled_code_on_object(struct sampled_code *code, const struct kernel_object_event *event)
{
	if (mapped_files_on_object(code->files, event))
		sampled_code_update_scope(code, NULL);
}

void sampled_code_on_far_file(struct sampled_code *code, const struct collector_far_file *file)
{
	if (mapped_files_on_far(code->files, file))
		sampled_code_update_scope(code, NULL);
}

void sampled_code_on_python_code(struct sampled_code *code, const struct wire_python_code *event,
				 size_t bytes)
{
	if (python_events_are_whole(event, bytes))
		python_events_on_code(code->lookup.symbols, event);
}

static uint32_t find_location(struct sampled_code *code, uint32_t tgid, uint32_t kernel_object,
			      uint64_t offset)
{
	return address_lookup_location(code->lookup.addresses, tgid, kernel_object, offset);
}

static struct sampled_location *location_entry(struct sampled_code *code, uint32_t location)
{
	while (code->locations.count <= location)
		(void)array_add(&code->locations);
	return &code->locations.items[location];
}

static void count_sample(struct sampled_code *code, uint32_t location,
			 const struct wire_sample *sample)
{
	struct sampled_location *counted = location_entry(code, location);

	if (code->is_disturbed)
		return;
	counted->samples++;
	counted->sampled_ns += sample->weight_ns;
	focus_count(&code->focus, location, sample->weight_ns);
	if (location == code->armed && !(sample->flags & WIRE_SAMPLE_TARGET) &&
	    sample->time_ns >= code->window_since_ns)
		code->unrecognized_ns += sample->weight_ns;
	if (sample->flags & WIRE_SAMPLE_SPEEDUP)
		return;
	uint64_t alone_ns =
		sampled_location_alone(counted, sample->tid, sample->time_ns, sample->weight_ns);
	counted->baseline_sampled_ns += sample->weight_ns;
	counted->baseline_alone_ns += alone_ns;
	if (location == code->armed && sample->time_ns >= code->window_since_ns)
		code->alone_ns += alone_ns;
}

/* The innermost location: blocks are drawn in proportion to this. */
static void count_recent(struct sampled_code *code, uint32_t location,
			 const struct wire_sample *sample)
{
	location_entry(code, location)->recent_ns += (double)sample->weight_ns;
}

/* Compared with the locations' times, so by the same samples. */
static void add_edges(struct sampled_code *code, uint32_t line, const struct wire_sample *sample)
{
	struct sampled_chain chain = {.functions = code->functions,
				      .count = code->function_count,
				      .line = line,
				      .process = SYMBOLS_NONE};

	if (code->is_disturbed || !chain.count)
		return;
	if (code->is_pool)
		chain.process = target_kind_row(TARGET_PROCESS)->location_of(&code->lookup, sample);
	chain_edges_add(code->lookup.symbols, &chain,
			(double)(sample->weight_ns * CALL_CHAINS_ONE_OF), &code->edges,
			&code->import_edges);
}

/* Locations of the kernel that a call chain went through; each once. */
struct passed {
	uint32_t locations[2 * KERNEL_CHAIN_MOST];
	size_t count;
};

static bool pass(struct passed *passed, uint32_t location)
{
	for (size_t i = 0; i < passed->count; i++)
		if (passed->locations[i] == location)
			return false;
	if (passed->count == sizeof(passed->locations) / sizeof(*passed->locations))
		return false;
	passed->locations[passed->count++] = location;
	return true;
}

/* Is the target what the thread did: its system call, its span? */
static bool is_activity_of(struct sampled_code *code, uint32_t location,
			   const struct wire_sample *sample)
{
	enum target_kind kind = symbols_location(code->lookup.symbols, location)->kind;
	const struct target_kind_row *row = target_kind_row(kind);

	return row && row->location_of && row->location_of(&code->lookup, sample) == location;
}

static void pass_watched(struct sampled_code *code, uint64_t address, struct passed *passed)
{
	uint32_t object;
	uint64_t offset;

	if (!address_lookup_kernel(code->lookup.addresses, address, &object, &offset))
		return;
	for (size_t i = 0; i < code->watched.count; i++) {
		const struct target_spec *watched = &code->watched.items[i];
		size_t count;
		const struct target_member *members = target_spec_members(watched, &count);
		for (size_t j = 0; j < count; j++)
			if (!members[j].classes && members[j].code != SYMBOLS_NONE &&
			    code_ranges_hold(&code->lookup, members[j].code, object, offset))
				pass(passed, watched->location);
	}
}

static void pass_watched_activities(struct sampled_code *code, const struct wire_sample *sample,
				    struct passed *passed)
{
	for (size_t i = 0; i < code->watched.count; i++) {
		const struct target_spec *watched = &code->watched.items[i];
		size_t count;
		const struct target_member *members = target_spec_members(watched, &count);
		for (size_t j = 0; j < count; j++)
			if (!members[j].classes && members[j].code != SYMBOLS_NONE &&
			    is_activity_of(code, members[j].code, sample))
				pass(passed, watched->location);
	}
}

/*
 * A sample in the kernel counts for each function that its call chain went through, as the engine
 * charges it; but only for functions that were the innermost one before, or are watched.
 */
static void on_chain(struct sampled_code *code, const struct kernel_chain *chain)
{
	const struct wire_sample *sample = &chain->sample;
	uint32_t user_location =
		find_location(code, sample->tgid, chain->user_object, chain->user_offset);
	bool is_of_kernel = sample->scope_object == WIRE_OBJECT_KERNEL;
	struct passed passed = {0};

	uint32_t innermost = is_of_kernel ? find_location(code, sample->tgid, WIRE_OBJECT_KERNEL,
							  sample->scope_offset) :
					    user_location;
	if (innermost != SYMBOLS_NONE) {
		count_recent(code, innermost, sample);
		count_sample(code, innermost, sample);
	}
	if (is_of_kernel && innermost != SYMBOLS_NONE) {
		kernel_callers_count(&code->callers, innermost, user_location, sample);
		pass(&passed, innermost);
	}
	size_t begin = passed.count;
	for (uint32_t i = 0; i < chain->count && i < KERNEL_CHAIN_MOST; i++) {
		uint64_t address = chain->addresses[i] - (i ? 1 : 0);
		uint32_t location = find_location(code, sample->tgid, WIRE_OBJECT_KERNEL, address);
		if (location != SYMBOLS_NONE && location_entry(code, location)->recent_ns > 0)
			pass(&passed, location);
		pass_watched(code, address, &passed);
	}
	pass_watched_activities(code, sample, &passed);
	for (size_t i = begin; i < passed.count; i++) {
		count_sample(code, passed.locations[i], sample);
		kernel_callers_count(&code->callers, passed.locations[i], user_location, sample);
	}
}

const struct kernel_caller *sampled_code_callers(const struct sampled_code *code, size_t *count)
{
	*count = code->callers.items.count;
	return code->callers.items.items;
}

static bool member_holds(struct sampled_code *code, const struct target_member *member,
			 const struct wire_sample *sample, uint32_t kernel_object, uint64_t offset)
{
	uint32_t object = address_lookup_object(code->lookup.addresses, kernel_object);
	uint32_t class = sample->flags >> WIRE_SAMPLE_CLASS_SHIFT & WIRE_SAMPLE_CLASS_MASK;

	if (member->classes && !(member->classes & WAIT_CLASS_BIT(class)))
		return false;
	if (member->code == SYMBOLS_NONE || is_activity_of(code, member->code, sample))
		return true;
	if (kernel_object == WIRE_OBJECT_KERNEL &&
	    !address_lookup_kernel(code->lookup.addresses, offset, &object, &offset))
		return false;
	return code_ranges_hold(&code->lookup, member->code, object, offset);
}

static bool watched_holds(struct sampled_code *code, const struct target_spec *watched,
			  const struct wire_sample *sample, uint32_t kernel_object, uint64_t offset)
{
	size_t count;
	const struct target_member *members = target_spec_members(watched, &count);

	for (size_t i = 0; i < count; i++)
		if (member_holds(code, &members[i], sample, kernel_object, offset))
			return true;
	return false;
}

/* Its samples are counted by their call chains. */
static bool is_inclusive(const struct sampled_code *code, const struct target_spec *watched)
{
	size_t count;
	const struct target_member *members = target_spec_members(watched, &count);

	for (size_t i = 0; i < count; i++)
		if (members[i].code != SYMBOLS_NONE &&
		    symbols_location(code->lookup.symbols, members[i].code)->kind ==
			    TARGET_INCLUSIVE)
			return true;
	return false;
}

/* A thread that is alone in such loops has nothing to retry. */
static void count_retry(struct sampled_code *code, const struct wire_sample *sample,
			uint64_t weight_ns)
{
	uint32_t location = call_chains_retry(code->chains);

	if (location == SYMBOLS_NONE || code->is_disturbed || sample->flags & WIRE_SAMPLE_WAITING)
		return;
	if (sampled_location_alone(&code->retries, sample->tid, sample->time_ns, weight_ns) <
	    weight_ns)
		location_entry(code, location)->retried_ns += weight_ns;
}

/* For all functions of its call chain, and for the samples whose callers are not known. */
static void count_chain(struct sampled_code *code, const struct wire_sample *sample)
{
	const uint32_t *locations;
	size_t count = call_chains_take(code->chains, sample, &locations);
	struct wire_sample all = *sample;

	all.weight_ns *= CALL_CHAINS_ONE_OF;
	count_retry(code, sample, all.weight_ns);
	if (!code->counts_chains)
		return;
	size_t inside = focus_begin(&code->focus, code->lookup.symbols, locations, count);
	for (size_t i = 0; i < count; i++) {
		code->focus.is_inside = i < inside;
		count_recent(code, locations[i], &all);
		count_sample(code, locations[i], &all);
	}
	code->focus.is_inside = inside;
	memcpy(code->functions, locations, count * sizeof(*locations));
	code->function_count = count;
	for (size_t i = 0; i < code->watched.count; i++) {
		const struct target_spec *watched = &code->watched.items[i];
		if (watched->set && is_inclusive(code, watched) &&
		    (target_spec_is_among(watched, locations, count) ||
		     watched_holds(code, watched, sample, sample->scope_object,
				   sample->scope_offset)))
			count_sample(code, watched->location, &all);
	}
}

/* A system call stands inside the innermost function. */
static void count_activity(struct sampled_code *code, const struct target_kind_row *kind,
			   const struct wire_sample *sample)
{
	uint32_t location = kind->location_of(&code->lookup, sample);

	if (location == SYMBOLS_NONE)
		return;
	count_recent(code, location, sample);
	count_sample(code, location, sample);
	if (code->function_count && kind->kind != TARGET_PROCESS && !code->is_disturbed)
		call_edges_add(&code->edges, code->functions[0], location,
			       (double)(sample->weight_ns * CALL_CHAINS_ONE_OF));
}

/* Returns whether samples count for what the thread did. */
static bool on_activity(struct sampled_code *code, const struct wire_sample *sample)
{
	if (code->is_pool)
		count_activity(code, target_kind_row(TARGET_PROCESS), sample);
	if (!code->kind || !code->kind->location_of)
		return false;
	count_activity(code, code->kind, sample);
	return !code->is_pool;
}

const struct call_edges *sampled_code_edges(const struct sampled_code *code)
{
	return &code->edges;
}

const struct call_edges *sampled_code_import_edges(const struct sampled_code *code)
{
	return &code->import_edges;
}

double sampled_code_fault_share(const struct sampled_code *code)
{
	return code->is_pool && code->on_cpu_ns ?
		       (double)code->faults_ns / (double)code->on_cpu_ns :
		       0;
}

/* System calls are told with the samples, but not where functions of the kernel are. */
static void count_fault(struct sampled_code *code, const struct wire_sample *sample)
{
	if (sample->flags & (WIRE_SAMPLE_WAITING | WIRE_SAMPLE_CHAIN) || code->is_disturbed)
		return;
	code->on_cpu_ns += sample->weight_ns;
	if (sample->flags & WIRE_SAMPLE_IN_KERNEL && sample->system_call < 0)
		code->faults_ns += sample->weight_ns;
}

uint64_t sampled_code_time_ns(const struct sampled_code *code)
{
	return code->time.ns;
}

/* Whether the sample is in a spin loop: that is waiting, and counts for no target. */
static bool on_spin(struct sampled_code *code, const struct wire_sample *sample)
{
	bool is_off_cpu = sample->flags & WIRE_SAMPLE_WAITING;
	bool has_scope = !(sample->flags & WIRE_SAMPLE_NO_SCOPE);
	bool spins = sample->flags & WIRE_SAMPLE_SPINS;

	if (!code->is_disturbed) {
		code->time.ns += sample->weight_ns;
		code->time.baseline_ns +=
			sample->flags & WIRE_SAMPLE_SPEEDUP ? 0 : sample->weight_ns;
	}
	if (is_off_cpu)
		return false;
	spins |= spin_code_on_sample(code->spins, sample->leaf_object, sample->leaf_offset);
	if (has_scope) /* a helper's caller is a loop that has to be known */
		spin_code_on_sample(code->spins, sample->scope_object, sample->scope_offset);
	if (!spins || !has_scope)
		return spins;
	uint32_t location =
		find_location(code, sample->tgid, sample->scope_object, sample->scope_offset);
	if (location != SYMBOLS_NONE && !code->is_disturbed)
		location_entry(code, location)->spun_ns += sample->weight_ns;
	return true;
}

/* A wait for another thread is the time of its class alone; code is not charged with it. */
static bool on_lock_wait(struct sampled_code *code, const struct wire_sample *sample)
{
	uint32_t class = sample->flags >> WIRE_SAMPLE_CLASS_SHIFT & WIRE_SAMPLE_CLASS_MASK;

	if (!code->is_pool || class != WAIT_CLASS_LOCK)
		return false;
	for (size_t i = 0; i < code->watched.count; i++) {
		const struct target_spec *watched = &code->watched.items[i];
		if (!target_spec_has_class(watched, class))
			continue;
		count_recent(code, watched->location, sample);
		count_sample(code, watched->location, sample);
	}
	return true;
}

/*
 * Of code in scope. The kernel side may not know the scope of this file yet, nor code that was
 * compiled a moment ago: a caller in scope, as the interpreter, must not stand for it.
 */
static uint32_t innermost_location(struct sampled_code *code, const struct wire_sample *sample,
				   uint32_t *object, uint64_t *offset)
{
	bool has_scope = !(sample->flags & WIRE_SAMPLE_NO_SCOPE);
	bool is_leaf = has_scope && sample->scope_object == sample->leaf_object &&
		       sample->scope_offset == sample->leaf_offset;
	uint32_t location = SYMBOLS_NONE;

	*object = sample->leaf_object;
	*offset = sample->leaf_offset;
	if (!has_scope || is_leaf || *object == WIRE_OBJECT_NO_FILE)
		location = find_location(code, sample->tgid, *object, *offset);
	if (!has_scope || location != SYMBOLS_NONE)
		return location;
	*object = sample->scope_object;
	*offset = sample->scope_offset;
	return is_leaf ? location : find_location(code, sample->tgid, *object, *offset);
}

void sampled_code_on_sample(struct sampled_code *code, const struct wire_sample *sample)
{
	code->function_count = 0;
	code->focus.has_chain = false;
	code->last = SYMBOLS_NONE;
	count_fault(code, sample);
	if (on_spin(code, sample) || on_lock_wait(code, sample))
		return;
	if (sample->flags & WIRE_SAMPLE_CALLERS)
		count_chain(code, sample);
	if (on_activity(code, sample)) {
		add_edges(code, SYMBOLS_NONE, sample);
		return;
	}
	if (sample->flags & WIRE_SAMPLE_CHAIN) {
		add_edges(code, SYMBOLS_NONE, sample);
		on_chain(code, (const struct kernel_chain *)(const void *)sample);
		return;
	}
	uint32_t object, location;
	uint64_t offset;

	location = code->last = innermost_location(code, sample, &object, &offset);
	if (location != SYMBOLS_NONE) {
		count_recent(code, location, sample);
		count_sample(code, location, sample);
	}
	add_edges(code, location, sample);
	for (size_t i = 0; i < code->watched.count; i++) {
		const struct target_spec *watched = &code->watched.items[i];
		if (watched->location == location || is_inclusive(code, watched) ||
		    !watched_holds(code, watched, sample, object, offset))
			continue;
		count_recent(code, watched->location, sample);
		count_sample(code, watched->location, sample);
	}
}

struct focus *sampled_code_focus(struct sampled_code *code)
{
	return &code->focus;
}

uint32_t sampled_code_last(const struct sampled_code *code)
{
	return code->last;
}

void sampled_code_set_disturbed(struct sampled_code *code, bool is_disturbed)
{
	code->is_disturbed = is_disturbed;
}

void sampled_code_begin_window(struct sampled_code *code, uint64_t time_ns)
{
	code->window_since_ns = time_ns;
	code->unrecognized_ns = code->alone_ns = 0;
}

uint64_t sampled_code_unrecognized_ns(const struct sampled_code *code)
{
	return code->unrecognized_ns;
}

uint64_t sampled_code_alone_ns(const struct sampled_code *code)
{
	return code->alone_ns;
}

void sampled_code_watch(struct sampled_code *code, const struct target_spec *target)
{
	*array_add(&code->watched) = *target;
	location_entry(code, target->location);
}

void sampled_code_watch_late(struct sampled_code *code, const struct target_spec *target)
{
	sampled_code_watch(code, target);
	struct sampled_location *location = location_entry(code, target->location);
	if (!location->samples)
		location->missed = code->time;
}

struct sampled_location sampled_code_whole(const struct sampled_code *code, uint32_t location)
{
	return sampled_location_whole(&code->locations.items[location], &code->time);
}

void sampled_code_set_pool(struct sampled_code *code)
{
	code->is_pool = true;
	code->kind = target_kind_row(TARGET_SYSTEM_CALL);
}

void sampled_code_set_chains(struct sampled_code *code, bool are_counted)
{
	code->counts_chains = are_counted;
}

void sampled_code_set_kind(struct sampled_code *code, enum target_kind kind)
{
	code->kind = target_kind_row(kind);
}

void sampled_code_age(struct sampled_code *code)
{
	for (size_t i = 0; i < code->locations.count; i++) {
		double *recent = &code->locations.items[i].recent_ns;
		*recent = *recent < 1 ? 0 : *recent / 2;
	}
}

const struct sampled_location *sampled_code_locations(const struct sampled_code *code,
						      size_t *count)
{
	*count = code->locations.count;
	return code->locations.items;
}

int sampled_code_update_scope(struct sampled_code *code, struct error *error)
{
	uint32_t objects = symbols_object_count(code->lookup.symbols);
	size_t count;

	if (code->is_scope_sent && code->scope_objects == objects &&
	    code->scope_generation == symbols_generation(code->lookup.symbols))
		return 0;
	struct wire_range *ranges = code_ranges_of_scope(&code->lookup, &count);
	int failed = collector_set_scope(code->lookup.collector, ranges, count);
	free(ranges);
	if (failed)
		return error_set(error, failed,
				 "the scope has %zu ranges of code, at most %d are possible; "
				 "narrow it with --scope",
				 count, WIRE_RANGES_MOST);
	code->is_scope_sent = true;
	code->scope_objects = objects;
	code->scope_generation = symbols_generation(code->lookup.symbols);
	return 0;
}

int sampled_code_set_target(struct sampled_code *code, const struct target_spec *target,
			    const struct target_set *standing, struct error *error)
{
	code->target = *target;
	code->standing = standing;
	code->target_generation = symbols_generation(code->lookup.symbols);
	int failed = target_levels_send(&code->lookup, target, standing, error);

	code->armed = failed ? SYMBOLS_NONE : target->location;
	return failed;
}

bool sampled_code_is_jit(const struct sampled_code *code, uint32_t location)
{
	return jit_maps_has(code->lookup.jit_maps,
			    symbols_location(code->lookup.symbols, location)->object);
}

bool sampled_code_follow_jit(struct sampled_code *code)
{
	const struct symbols *symbols = code->lookup.symbols;
	bool has_maps = jit_maps_refresh(code->lookup.jit_maps);

	if (!has_maps || sampled_code_update_scope(code, NULL) || code->armed == SYMBOLS_NONE ||
	    code->target_generation == symbols_generation(symbols))
		return has_maps;
	code->target_generation = symbols_generation(symbols);
	target_levels_resend(&code->lookup, &code->target, code->standing);
	return has_maps;
}
