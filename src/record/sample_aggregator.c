/* SPDX-License-Identifier: BSD-2-Clause */
/* sample_aggregator - call chains as a tree of addresses, and the samples at its nodes. */
#include "record/sample_aggregator.h"

#include "base/cleanup.h"
#include "base/hash.h"
#include "base/hash_map.h"
#include "base/memory.h"
#include "base/text.h"
#include "record/address_names.h"
#include "symbolize/kernel/system_calls.h"
#include "symbolize/python.h"
#include "symbolize/source_lines.h"
#include "wire/wait_class.h"

#include <string.h>

#define OBJECT_KERNEL 0x7fffffffu
#define OBJECT_PROCESS 0x80000000u /* | process: code without a file */
#define LARGE_BYTES (48u << 20)
#define THREAD_KEPT_NS 10000000000ull

/* A frame of a call chain. Callers have lower indexes than what they call. */
struct node {
	uint32_t caller; /* index; 0: the root, which is no frame */
	uint32_t object; /* of symbols, + 1; or OBJECT_*; WIRE_OBJECT_UNKNOWN */
	uint64_t offset;
	int64_t stack_id; /* in the profile */
};

struct thread {
	struct recording_thread row;
	char command[16];
	uint64_t key[2], seen_ns; /* of thread_ids; the last sample's time */
};

struct aggregate {
	struct recording_stack_sample row; /* its texts are borrowed */
	uint32_t node, thread;
	bool is_changed;
};

struct wakeup {
	struct recording_wakeup row;
	uint32_t node, thread;
	bool is_changed;
};

struct sample_aggregator {
	struct symbols *symbols;
	struct mapped_files *mapped_files;
	const struct wait_classifier *classifier;
	struct resources *resources;
	const struct kallsyms *kernel;
	struct source_lines *source_lines;
	uint64_t period_ns;
	ARRAY(struct node) nodes;
	ARRAY(struct thread) threads;
	ARRAY(struct aggregate) aggregates;
	ARRAY(struct wakeup) wakeups;
	struct hash_map node_ids, thread_ids, aggregate_ids, addresses, subclasses, wakeup_ids;
	struct hash_map frames; /* (object, offset) -> number of the frame's row */
	struct hash_map waits;  /* functions of the kernel itself: 1: it only waits, 0: not */
	struct hash_map sites; /* (such a function, call and scheduler's word): index of verdicts */
	ARRAY(struct off_cpu_class) verdicts;
	struct hash_map rows; /* (enum named_by, the name's key) -> number of the frame's row */
	ARRAY(int64_t) frame_ids;
	struct hash_map tail_calls; /* (stack << 32 | object, offset) -> index of tail_stacks */
	ARRAY(int64_t) tail_stacks;
	struct address_names names; /* of the nodes that are written now */
	size_t written_nodes, written_threads;
	uint64_t now_ns; /* of the last sample */
	struct sample_aggregator_totals totals;
};

struct sample_aggregator *sample_aggregator_new(struct symbols *symbols,
						struct mapped_files *mapped_files,
						const struct wait_classifier *classifier,
						struct resources *resources,
						const struct kallsyms *kernel, uint64_t period_ns)
{
	struct sample_aggregator *aggregator = memory_new(1, sizeof(*aggregator));
	aggregator->symbols = symbols;
	aggregator->mapped_files = mapped_files;
	aggregator->classifier = classifier;
	aggregator->resources = resources;
	aggregator->kernel = kernel;
	aggregator->period_ns = period_ns;
	aggregator->source_lines = source_lines_new();
	(void)array_add(&aggregator->nodes); /* the root */
	aggregator->written_nodes = 1;
	return aggregator;
}

static void clear_rows(struct sample_aggregator *aggregator)
{
	sample_aggregator_forget_names(aggregator);
	array_free(&aggregator->nodes);
	array_free(&aggregator->aggregates);
	array_free(&aggregator->wakeups);
	array_free(&aggregator->tail_stacks);
	hash_map_clear(&aggregator->node_ids);
	hash_map_clear(&aggregator->aggregate_ids);
	hash_map_clear(&aggregator->addresses);
	hash_map_clear(&aggregator->wakeup_ids);
	hash_map_clear(&aggregator->tail_calls);
}

void sample_aggregator_free(struct sample_aggregator *aggregator)
{
	if (!aggregator)
		return;
	clear_rows(aggregator);
	array_free(&aggregator->threads);
	hash_map_clear(&aggregator->thread_ids);
	hash_map_clear(&aggregator->subclasses);
	hash_map_clear(&aggregator->waits);
	hash_map_clear(&aggregator->sites);
	array_free(&aggregator->verdicts);
	source_lines_free(aggregator->source_lines);
	free(aggregator);
}

void sample_aggregator_forget_names(struct sample_aggregator *aggregator)
{
	hash_map_clear(&aggregator->frames);
	hash_map_clear(&aggregator->rows);
	array_free(&aggregator->frame_ids);
	name_sparing_forget(&aggregator->names.sparing);
}

void sample_aggregator_spare_names(struct sample_aggregator *aggregator, bool is_sparing)
{
	name_sparing_set(&aggregator->names.sparing, aggregator->mapped_files, is_sparing,
			 aggregator->now_ns);
}

bool sample_aggregator_is_large(const struct sample_aggregator *aggregator)
{
	const struct hash_map *maps[] = {
		&aggregator->node_ids,  &aggregator->thread_ids, &aggregator->aggregate_ids,
		&aggregator->addresses, &aggregator->wakeup_ids, &aggregator->frames,
		&aggregator->rows,      &aggregator->tail_calls,
	};
	size_t bytes = aggregator->nodes.capacity * sizeof(*aggregator->nodes.items) +
		       aggregator->threads.capacity * sizeof(*aggregator->threads.items) +
		       aggregator->aggregates.capacity * sizeof(*aggregator->aggregates.items) +
		       aggregator->wakeups.capacity * sizeof(*aggregator->wakeups.items);

	for (size_t i = 0; i < sizeof(maps) / sizeof(*maps); i++)
		bytes += maps[i]->capacity * sizeof(*maps[i]->entries);
	return bytes > LARGE_BYTES;
}

static void forget_threads(struct sample_aggregator *aggregator)
{
	size_t kept = 0;

	hash_map_clear(&aggregator->thread_ids);
	for (size_t i = 0; i < aggregator->threads.count; i++) {
		const struct thread *thread = &aggregator->threads.items[i];
		if (thread->seen_ns + THREAD_KEPT_NS < aggregator->now_ns)
			continue;
		hash_map_set(&aggregator->thread_ids, thread->key[0], thread->key[1],
			     (uint32_t)kept);
		aggregator->threads.items[kept++] = *thread;
	}
	aggregator->threads.count = aggregator->written_threads = kept;
	aggregator->threads.capacity = kept + 1;
	aggregator->threads.items =
		memory_resize(aggregator->threads.items, kept + 1, sizeof(struct thread));
}

void sample_aggregator_forget(struct sample_aggregator *aggregator)
{
	clear_rows(aggregator);
	source_lines_free(aggregator->source_lines); /* files may have changed */
	aggregator->source_lines = source_lines_new();
	forget_threads(aggregator);
	(void)array_add(&aggregator->nodes); /* the root */
	aggregator->written_nodes = 1;
}

const struct sample_aggregator_totals *sample_aggregator_totals(
	const struct sample_aggregator *aggregator)
{
	return &aggregator->totals;
}

/* ---- adding ---- */

static uint32_t node_for(struct sample_aggregator *aggregator, uint32_t caller, uint32_t object,
			 uint64_t offset)
{
	uint64_t first = (uint64_t)caller << 32 | object;
	uint32_t node = hash_map_get(&aggregator->node_ids, first, offset);

	if (node != HASH_MAP_NONE)
		return node;
	node = (uint32_t)aggregator->nodes.count;
	*array_add(&aggregator->nodes) =
		(struct node){.caller = caller, .object = object, .offset = offset};
	hash_map_set(&aggregator->node_ids, first, offset, node);
	return node;
}

static uint32_t user_node_for(struct sample_aggregator *aggregator, uint32_t caller, uint32_t tgid,
			      const struct record_frame *frame)
{
	uint32_t object = frame->object;
	uint64_t offset = frame->offset;

	if (object == WIRE_OBJECT_PYTHON) {
		object = symbols_python_object(aggregator->symbols) + 1;
	} else if (object == WIRE_OBJECT_NO_FILE) {
		object = OBJECT_PROCESS | tgid;
	} else if (object == WIRE_OBJECT_UNKNOWN &&
		   mapped_files_locate(aggregator->mapped_files, tgid, frame->offset, &object,
				       &offset)) {
		object++;
	}
	return node_for(aggregator, caller, object, offset);
}

/* Modules come and go, and other functions then have their addresses. */
static bool stays(const struct kallsyms_function *function)
{
	return function && !function->module;
}

static bool is_wait_function(struct sample_aggregator *aggregator,
			     const struct kallsyms_function *function)
{
	uint32_t known = stays(function) ? hash_map_get(&aggregator->waits, function->start, 0) :
					   HASH_MAP_NONE;

	if (known == HASH_MAP_NONE) {
		known = wait_classifier_is_wait_function(function->name);
		if (stays(function))
			hash_map_set(&aggregator->waits, function->start, 0, known);
	}
	return known;
}

/* Off CPU the innermost frames are the scheduler's and lever's own: it begins at their caller. */
static uint32_t first_kernel_frame(struct sample_aggregator *aggregator,
				   const struct record_sample *sample)
{
	uint32_t first = 0;

	if (sample->flags & RECORD_ON_CPU)
		return 0;
	for (; first < sample->kernel_count; first++) {
		const struct kallsyms_function *function =
			kallsyms_at(aggregator->kernel, sample->kernel[first]);
		bool is_bpf = function && function->module && !strcmp(function->module, "bpf");
		if (function && !is_bpf && !is_wait_function(aggregator, function))
			break;
	}
	return first;
}

static uint32_t chain_for(struct sample_aggregator *aggregator, const struct record_sample *sample,
			  uint32_t kernel_first)
{
	uint32_t node = 0;

	for (uint32_t i = sample->user_count; i-- > 0;)
		node = user_node_for(aggregator, node, sample->tgid, &sample->user[i]);
	for (uint32_t i = sample->kernel_count; i-- > kernel_first;)
		node = node_for(aggregator, node, OBJECT_KERNEL, sample->kernel[i]);
	return node;
}

/* A thread that changes its name becomes another row. */
static uint32_t thread_for(struct sample_aggregator *aggregator, const struct record_sample *sample)
{
	uint64_t first = (uint64_t)sample->tgid << 32 | sample->tid;
	uint64_t second =
		hash_bytes(sample->command, strnlen(sample->command, sizeof(sample->command)));
	uint32_t index = hash_map_get(&aggregator->thread_ids, first, second);

	aggregator->now_ns = sample->time_ns;
	if (index != HASH_MAP_NONE) {
		aggregator->threads.items[index].seen_ns = sample->time_ns;
		return index;
	}
	index = (uint32_t)aggregator->threads.count;
	struct thread *thread = array_add(&aggregator->threads);
	memcpy(thread->command, sample->command, sizeof(thread->command));
	thread->command[sizeof(thread->command) - 1] = 0;
	thread->row.pid = sample->tgid;
	thread->row.tid = sample->tid;
	thread->key[0] = first;
	thread->key[1] = second;
	thread->seen_ns = sample->time_ns;
	hash_map_set(&aggregator->thread_ids, first, second, index);
	return index;
}

/* Numbers the different values, from 0. */
static uint32_t number_for(struct hash_map *map, uint64_t what, const char *of)
{
	uint32_t number = hash_map_get(map, what, (uintptr_t)of);
	if (number == HASH_MAP_NONE) {
		number = (uint32_t)map->count;
		hash_map_set(map, what, (uintptr_t)of, number);
	}
	return number;
}

struct sample_key {
	uint32_t node, thread;
	struct off_cpu_class verdict;
	int call;
	uint64_t address;
	const char *resource;
};

static struct aggregate *aggregate_for(struct sample_aggregator *aggregator,
				       const struct sample_key *key)
{
	uint64_t first = (uint64_t)key->thread << 32 | key->node;
	uint64_t second = (uint64_t)key->verdict.class << 60 |
			  (uint64_t)number_for(&aggregator->subclasses, 0, key->verdict.subclass)
				  << 48 |
			  (uint64_t)(unsigned)(key->call + 1) << 32 |
			  number_for(&aggregator->addresses, key->address, key->resource);
	uint32_t index = hash_map_get(&aggregator->aggregate_ids, first, second);

	if (index != HASH_MAP_NONE)
		return &aggregator->aggregates.items[index];
	hash_map_set(&aggregator->aggregate_ids, first, second,
		     (uint32_t)aggregator->aggregates.count);
	struct aggregate *aggregate = array_add(&aggregator->aggregates);
	aggregate->node = key->node;
	aggregate->thread = key->thread;
	aggregate->row.class = key->verdict.class;
	aggregate->row.subclass = (char *)(uintptr_t)key->verdict.subclass;
	aggregate->row.system_call = (char *)(uintptr_t)system_call_name(key->call);
	aggregate->row.address = key->address;
	aggregate->row.resource = (char *)(uintptr_t)key->resource;
	return aggregate;
}

/*
 * A sample that stands for one sampling point, like one on CPU, has the square of its weight as an
 * unbiased estimate of its variance, if such samples are rare. A sample that stands for many points
 * is a long interval whose ends are known to less than a period: at most a quarter of the period's
 * square. Where only one of `inverse_chance` waits is sampled, that choice adds its own variance.
 */
static void count(struct sample_aggregator *aggregator, const struct sample_key *key,
		  uint64_t weight_ns, unsigned inverse_chance)
{
	struct aggregate *aggregate = aggregate_for(aggregator, key);
	double weight = (double)weight_ns, period = (double)aggregator->period_ns;
	double inverse = inverse_chance ? inverse_chance : 1;
	bool is_single = key->verdict.class <= CLASS_KERNEL || weight < 1.5 * inverse * period;

	aggregate->row.samples++;
	aggregate->row.weight_ns += weight_ns;
	aggregate->row.variance +=
		is_single ? weight * weight :
			    weight * weight * (1 - 1 / inverse) + inverse * period * period / 4;
	aggregate->is_changed = true;
	aggregator->totals.samples++;
	aggregator->totals.weight_ns += weight_ns;
	aggregator->totals.by_class_ns[key->verdict.class] += weight_ns;
}

/* Matching each site with all rules anew took a tenth of the recorder's time. */
static struct off_cpu_class classify_wait(struct sample_aggregator *aggregator,
					  const struct kallsyms_function *function, int call,
					  bool is_io_wait)
{
	struct wait_site site = {
		.is_io_wait = is_io_wait,
		.function = function ? function->name : NULL,
		.call = system_call_name(call),
	};
	uint64_t second = (uint64_t)(uint32_t)call << 1 | is_io_wait;

	if (!stays(function))
		return wait_classifier_classify(aggregator->classifier, &site);
	uint32_t known = hash_map_get(&aggregator->sites, function->start, second);
	if (known == HASH_MAP_NONE) {
		known = (uint32_t)aggregator->verdicts.count;
		*array_add(&aggregator->verdicts) =
			wait_classifier_classify(aggregator->classifier, &site);
		hash_map_set(&aggregator->sites, function->start, second, known);
	}
	return aggregator->verdicts.items[known];
}

static struct off_cpu_class classify(struct sample_aggregator *aggregator,
				     const struct record_sample *sample, uint32_t kernel_first)
{
	if (sample->flags & RECORD_ON_CPU)
		return (struct off_cpu_class){sample->kernel_count ? CLASS_KERNEL : CLASS_USER,
					      NULL};
	if (sample->flags & RECORD_PREEMPTED)
		return (struct off_cpu_class){CLASS_RUNNABLE, NULL};
	const struct kallsyms_function *function =
		kernel_first < sample->kernel_count ?
			kallsyms_at(aggregator->kernel, sample->kernel[kernel_first]) :
			NULL;
	return classify_wait(aggregator, function, sample->system_call,
			     sample->flags & RECORD_IO_WAIT);
}

static bool is_futex(int call)
{
	const char *name = system_call_name(call);
	return name && wait_reason_of_call_name(name) == WAIT_FOR_THREAD;
}

static void name_resource(struct sample_aggregator *aggregator, const struct record_sample *sample,
			  struct sample_key *key)
{
	enum sample_class class = key->verdict.class;

	if (key->address && sample->lock_name)
		key->resource =
			resources_told_lock(aggregator->resources, sample->tgid, sample->lock_name);
	else if (key->address)
		key->resource = resources_lock(aggregator->resources, sample->tgid, key->address);
	else if (class == CLASS_IO || class == CLASS_OTHER)
		key->resource = resources_file(aggregator->resources, sample);
}

static void add_wakeup(struct sample_aggregator *aggregator, const struct record_sample *sample)
{
	uint32_t node = chain_for(aggregator, sample, 0), thread = thread_for(aggregator, sample);
	uint64_t first = (uint64_t)thread << 32 | node;
	uint64_t second = sample->argument ^ (uint64_t)sample->waiter_tgid << 48;
	uint32_t index = hash_map_get(&aggregator->wakeup_ids, first, second);

	if (index == HASH_MAP_NONE) {
		index = (uint32_t)aggregator->wakeups.count;
		hash_map_set(&aggregator->wakeup_ids, first, second, index);
		*array_add(&aggregator->wakeups) =
			(struct wakeup){.row = {.pid = sample->waiter_tgid,
						.address = sample->argument},
					.node = node,
					.thread = thread};
	}
	struct wakeup *wakeup = &aggregator->wakeups.items[index];
	wakeup->row.samples++;
	wakeup->row.weight_ns += sample->weight_ns;
	wakeup->is_changed = true;
}

void sample_aggregator_add(struct sample_aggregator *aggregator, const struct record_sample *sample)
{
	if (sample->kernel_count > RECORD_KERNEL_FRAMES_MOST ||
	    sample->user_count > RECORD_USER_FRAMES_MOST)
		return;
	if (sample->kind == RECORD_EVENT_WAKEUP) {
		add_wakeup(aggregator, sample);
		return;
	}
	uint32_t kernel_first = first_kernel_frame(aggregator, sample);
	struct sample_key key = {
		.node = chain_for(aggregator, sample, kernel_first),
		.thread = thread_for(aggregator, sample),
		.verdict = classify(aggregator, sample, kernel_first),
		.call = sample->system_call,
	};
	if (key.verdict.class == CLASS_LOCK && is_futex(key.call))
		key.address = sample->argument;
	name_resource(aggregator, sample, &key);
	if (sample->weight_ns)
		count(aggregator, &key, sample->weight_ns, sample->inverse_chance);
	key.verdict = (struct off_cpu_class){CLASS_RUNNABLE, NULL};
	key.address = 0;
	key.resource = NULL;
	if (sample->waiting_ns)
		count(aggregator, &key, sample->waiting_ns, sample->inverse_chance);
}

/* ---- naming and writing ---- */

static uint32_t add_frame(struct sample_aggregator *aggregator, struct profile *profile,
			  const struct recording_frame *frame, uint64_t what, uint64_t which,
			  struct error *error)
{
	uint32_t number = hash_map_get(&aggregator->rows, what, which);
	struct recording_frame row = *frame;

	if (number != HASH_MAP_NONE)
		return number;
	AUTO(text) char *says = source_lines_content(aggregator->source_lines, row.file, row.line);
	row.content = says;
	if (profile_add_frame(profile, &row, error))
		return HASH_MAP_NONE;
	number = (uint32_t)aggregator->frame_ids.count;
	*array_add(&aggregator->frame_ids) = row.id;
	hash_map_set(&aggregator->rows, what, which, number);
	return number;
}

enum named_by { NAMED_BY_LOCATION, NAMED_BY_SYMBOL, NAMED_BY_KERNEL, NAMED_BY_NONE };

static uint32_t kernel_frame(struct sample_aggregator *aggregator, struct profile *profile,
			     uint64_t address, struct error *error)
{
	const struct kallsyms_function *function = kallsyms_at(aggregator->kernel, address);
	struct recording_frame frame = {.kind = FRAME_KERNEL};

	if (function) {
		frame.function = (char *)(uintptr_t)function->name;
		frame.object = (char *)(uintptr_t)function->module;
	}
	return add_frame(aggregator, profile, &frame, NAMED_BY_KERNEL,
			 function ? function->start : 0, error);
}

/* The object of generated code, if the process tells it. */
static uint32_t jit_object(struct sample_aggregator *aggregator, uint32_t process)
{
	AUTO(text) char *refused = NULL;
	AUTO(text) char *path = symbols_jit_path(process & ~OBJECT_PROCESS, &refused);
	uint32_t object;

	if (!path || symbols_add_jit(aggregator->symbols, path, &object, NULL))
		return SYMBOLS_NONE;
	return object;
}

static uint32_t user_frame(struct sample_aggregator *aggregator, struct profile *profile,
			   const struct node *node, struct error *error)
{
	struct recording_frame frame = {.kind = FRAME_USER};
	uint32_t object = node->object & OBJECT_PROCESS ? jit_object(aggregator, node->object) :
							  node->object - 1;

	bool is_untold = node->object & OBJECT_PROCESS && object == SYMBOLS_NONE;
	if (is_untold)
		frame.function = (char *)(uintptr_t)SYMBOLS_JIT_UNTOLD;
	if (node->object == WIRE_OBJECT_UNKNOWN || object == SYMBOLS_NONE)
		return add_frame(aggregator, profile, &frame, NAMED_BY_NONE, is_untold, error);
	frame.object = (char *)(uintptr_t)symbols_object(aggregator->symbols, object)->path;
	uint32_t place = address_names_location(&aggregator->names, aggregator->symbols, object,
						node->offset);
	if (place != SYMBOLS_NONE) {
		const struct symbols_location *found = symbols_location(aggregator->symbols, place);
		frame.function =
			(char *)(uintptr_t)(found->function ? found->function : found->name);
		frame.file = (char *)(uintptr_t)found->file;
		frame.line = found->line;
		return add_frame(aggregator, profile, &frame, NAMED_BY_LOCATION, place, error);
	}
	const char *name = symbols_function_at(aggregator->symbols, object, node->offset);
	frame.function = (char *)(uintptr_t)name;
	return add_frame(aggregator, profile, &frame, NAMED_BY_SYMBOL, (uintptr_t)name, error);
}

/* Adds the stack of the node's frame and the caller's stack. */
static int write_stack(struct sample_aggregator *aggregator, struct profile *profile,
		       const struct node *node, int64_t *stack, struct error *error)
{
	uint32_t number = hash_map_get(&aggregator->frames, node->object, node->offset);

	if (number == HASH_MAP_NONE) {
		number = node->object == OBJECT_KERNEL ?
				 kernel_frame(aggregator, profile, node->offset, error) :
				 user_frame(aggregator, profile, node, error);
		if (number == HASH_MAP_NONE)
			return error->code;
		hash_map_set(&aggregator->frames, node->object, node->offset, number);
	}
	struct recording_stack row = {
		.caller_id = (uint64_t)*stack,
		.frame_id = aggregator->frame_ids.items[number],
	};
	int code = profile_add_stack(profile, &row, error);
	*stack = row.id;
	return code;
}

static bool is_in_file(const struct node *node)
{
	return node->object != WIRE_OBJECT_UNKNOWN && node->object < OBJECT_KERNEL;
}

/* A function that ended in a jump: one stack for all nodes below the same call. */
static int write_tail_call(struct sample_aggregator *aggregator, struct profile *profile,
			   const struct symbols_address *jump, int64_t *stack, struct error *error)
{
	struct node node = {.object = jump->object + 1, .offset = jump->offset};
	uint64_t first = (uint64_t)*stack << 32 | node.object;
	uint32_t known = hash_map_get(&aggregator->tail_calls, first, node.offset);

	if (known != HASH_MAP_NONE) {
		*stack = aggregator->tail_stacks.items[known];
		return 0;
	}
	int code = write_stack(aggregator, profile, &node, stack, error);
	hash_map_set(&aggregator->tail_calls, first, node.offset,
		     (uint32_t)aggregator->tail_stacks.count);
	*array_add(&aggregator->tail_stacks) = *stack;
	return code;
}

static bool may_have_jumps(const struct node *caller, const struct node *node)
{
	return node->caller && is_in_file(caller) && is_in_file(node);
}

/* All that the new nodes need, with two questions. */
static void ask_for_names(struct sample_aggregator *aggregator)
{
	struct address_names *names = &aggregator->names;

	for (size_t i = aggregator->written_nodes; i < aggregator->nodes.count; i++) {
		const struct node *node = &aggregator->nodes.items[i];
		const struct node *caller = &aggregator->nodes.items[node->caller];
		struct symbols_address at = {.object = node->object - 1, .offset = node->offset};
		struct symbols_address call = {.object = caller->object - 1,
					       .offset = caller->offset};
		if (may_have_jumps(caller, node))
			address_names_want_jumps(names, &call, &at);
		if (is_in_file(node) &&
		    hash_map_get(&aggregator->frames, node->object, at.offset) == HASH_MAP_NONE)
			address_names_want(names, at.object, at.offset);
	}
	address_names_ask(names, aggregator->symbols);
}

static int write_node(struct sample_aggregator *aggregator, struct profile *profile,
		      struct node *node, struct error *error)
{
	const struct node *caller = &aggregator->nodes.items[node->caller];
	const struct symbols_address *jumps = NULL;
	bool has_asked = may_have_jumps(caller, node);
	size_t count = has_asked ? address_names_next_jumps(&aggregator->names, &jumps) : 0;
	int64_t stack = caller->stack_id;
	int code = 0;
	for (size_t i = 0; i < count && !code; i++)
		code = write_tail_call(aggregator, profile, &jumps[i], &stack, error);
	code = code ? code : write_stack(aggregator, profile, node, &stack, error);
	node->stack_id = stack;
	return code;
}

static int write_aggregate(struct sample_aggregator *aggregator, struct profile *profile,
			   struct aggregate *aggregate, struct error *error)
{
	const struct thread *thread = &aggregator->threads.items[aggregate->thread];

	aggregate->row.run_id = thread->row.run_id;
	aggregate->row.thread_id = thread->row.id;
	aggregate->row.stack_id = (uint64_t)aggregator->nodes.items[aggregate->node].stack_id;
	aggregate->is_changed = false;
	return profile_set_stack_sample(profile, &aggregate->row, error);
}

static int write_wakeup(struct sample_aggregator *aggregator, struct profile *profile,
			struct wakeup *wakeup, struct error *error)
{
	const struct thread *thread = &aggregator->threads.items[wakeup->thread];

	wakeup->row.run_id = thread->row.run_id;
	wakeup->row.thread_id = thread->row.id;
	wakeup->row.stack_id = (uint64_t)aggregator->nodes.items[wakeup->node].stack_id;
	wakeup->is_changed = false;
	return profile_set_wakeup(profile, &wakeup->row, error);
}

int sample_aggregator_write(struct sample_aggregator *aggregator, struct profile *profile,
			    int64_t run_id, struct error *error)
{
	int code = 0;

	ask_for_names(aggregator);
	for (; aggregator->written_nodes < aggregator->nodes.count && !code;
	     aggregator->written_nodes++)
		code = write_node(aggregator, profile,
				  &aggregator->nodes.items[aggregator->written_nodes], error);
	address_names_clear(&aggregator->names);
	aggregator->totals.spared_names = aggregator->names.sparing.places;
	for (; aggregator->written_threads < aggregator->threads.count && !code;
	     aggregator->written_threads++) {
		struct thread *thread = &aggregator->threads.items[aggregator->written_threads];
		thread->row.run_id = run_id;
		thread->row.command = thread->command;
		code = profile_add_thread(profile, &thread->row, error);
		thread->row.command = NULL; /* the array may move the text */
	}
	for (size_t i = 0; i < aggregator->aggregates.count && !code; i++)
		if (aggregator->aggregates.items[i].is_changed)
			code = write_aggregate(aggregator, profile,
					       &aggregator->aggregates.items[i], error);
	for (size_t i = 0; i < aggregator->wakeups.count && !code; i++)
		if (aggregator->wakeups.items[i].is_changed)
			code = write_wakeup(aggregator, profile, &aggregator->wakeups.items[i],
					    error);
	return code;
}
