/* SPDX-License-Identifier: BSD-2-Clause */
/* samples - filters stack samples, and adds them up under keys. */
#include "analyze/samples/samples.h"

#include "base/cleanup.h"
#include "base/hash.h"
#include "base/hash_map.h"
#include "base/workers.h"

#include <fnmatch.h>
#include <math.h>
#include <string.h>

#define QUANTILE_975 1.959963984540054 /* of the normal distribution */

typedef const struct recording_frame **frames_array;
CLEANUP_DEFINE(frames, frames_array, free, NULL)

const struct recording_frame **samples_chain(const struct recording *recording, uint64_t stack_id,
					     size_t *count)
{
	ARRAY(const struct recording_frame *) chain = {0};

	while (stack_id) {
		const struct recording_stack *stack = recording_stack(recording, (int64_t)stack_id);
		*array_add(&chain) = recording_frame(recording, stack->frame_id);
		stack_id = stack->caller_id;
	}
	*count = chain.count;
	return chain.items;
}

static const char *text_or_empty(const char *text)
{
	return text ? text : "";
}

static bool any_function_fits(const struct recording_frame **chain, size_t count, const char *glob)
{
	for (size_t i = 0; i < count; i++)
		if (chain[i]->function && !fnmatch(glob, chain[i]->function, 0))
			return true;
	return false;
}

/* Code of the system, less interesting than the program's own line. */
static bool is_system_code(const struct recording_frame *frame)
{
	static const char *const objects[] = {"/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/"};
	static const char *const files[] = {"/usr/include/", "/usr/lib/", "/rustc/"};

	for (size_t i = 0; frame->object && i < sizeof(objects) / sizeof(*objects); i++)
		if (!strncmp(objects[i], frame->object, strlen(objects[i])))
			return true;
	for (size_t i = 0; frame->file && i < sizeof(files) / sizeof(*files); i++)
		if (!strncmp(files[i], frame->file, strlen(files[i])))
			return true;
	return false;
}

static void note_user_frame(struct samples_entry *entry, const struct recording_frame *frame)
{
	bool wants_own = frame->function && !entry->own;
	bool wants_site =
		frame->line &&
		(!entry->site || (entry->site != entry->own && is_system_code(entry->site)));

	entry->user = entry->user ? entry->user : frame;
	if (!wants_own && !wants_site)
		return;
	bool is_own = !is_system_code(frame);
	if (is_own && wants_own)
		entry->own = frame;
	if (wants_site && (is_own || !entry->site))
		entry->site = frame;
}

/* Nothing that a further caller could change: kernel code is always called by user code. */
static bool has_all_places(const struct samples_entry *entry)
{
	return entry->own && entry->site &&
	       (entry->site == entry->own || !is_system_code(entry->site));
}

static void find_places(const struct recording *recording, struct samples_entry *entry)
{
	uint64_t id = entry->stack_sample->stack_id;

	while (id && !has_all_places(entry)) {
		const struct recording_stack *stack = recording_stack(recording, (int64_t)id);
		const struct recording_frame *frame = recording_frame(recording, stack->frame_id);
		if (frame->kind == FRAME_KERNEL)
			entry->kernel = entry->kernel ? entry->kernel : frame;
		else
			note_user_frame(entry, frame);
		id = stack->caller_id;
	}
}

static bool passes_filter(const struct recording *recording, const struct samples_entry *entry,
			  const struct samples_filter *filter)
{
	const struct recording_thread *thread = entry->thread;

	if (!(filter->classes & 1u << entry->stack_sample->class) ||
	    (filter->pid && filter->pid != thread->pid) ||
	    (filter->tid && filter->tid != thread->tid) ||
	    (filter->command && fnmatch(filter->command, text_or_empty(thread->command), 0)))
		return false;
	if (!filter->function)
		return true;
	size_t count;
	AUTO(frames)
	const struct recording_frame **chain =
		samples_chain(recording, entry->stack_sample->stack_id, &count);
	return any_function_fits(chain, count, filter->function);
}

#define SAMPLES_OF_PIECE 8192

/* Makes the entries of a piece of the samples; those that the filter rejects have no sample. */
static void make_entries(void *argument, size_t piece)
{
	struct samples *samples = argument;
	const struct recording *recording = samples->recording;
	size_t i = piece * SAMPLES_OF_PIECE, end = i + SAMPLES_OF_PIECE;

	end = end < recording->stack_samples.count ? end : recording->stack_samples.count;
	for (; i < end; i++) {
		const struct recording_stack_sample *stack_sample =
			&recording->stack_samples.items[i];
		struct samples_entry *entry = &samples->entries[i];
		*entry = (struct samples_entry){.stack_sample = stack_sample,
						.thread = recording_thread(recording,
									   stack_sample->thread_id),
						.run = recording_run(recording,
								     stack_sample->run_id)};
		if (passes_filter(recording, entry, &samples->filter))
			find_places(recording, entry);
		else
			entry->stack_sample = NULL;
	}
}

void samples_sum_add(struct samples_sum *sum, const struct recording_stack_sample *stack_sample)
{
	sum->samples += stack_sample->samples;
	sum->weight_ns += stack_sample->weight_ns;
	sum->variance += stack_sample->variance;
}

/*
 * The share's standard error, by the delta method for a ratio whose numerator is a part of the
 * denominator; with equal weights it is the binomial's.
 */
void samples_sum_judge(struct samples_sum *sum, const struct samples_sum *all)
{
	if (!all->weight_ns)
		return;
	double rest = all->variance > sum->variance ? all->variance - sum->variance : 0;
	double share = (double)sum->weight_ns / (double)all->weight_ns, other = 1 - share;

	sum->share = share;
	sum->half_interval = QUANTILE_975 *
			     sqrt(other * other * sum->variance + share * share * rest) /
			     (double)all->weight_ns;
}

struct samples *samples_new(const struct recording *recording, const struct samples_filter *filter)
{
	struct samples *samples = memory_new(1, sizeof(*samples));
	size_t count = recording->stack_samples.count;

	samples->recording = recording;
	samples->filter = *filter;
	samples->entries = memory_new_large(count, sizeof(*samples->entries));
	workers_run((count + SAMPLES_OF_PIECE - 1) / SAMPLES_OF_PIECE, make_entries, samples);
	for (size_t i = 0; i < count; i++) {
		const struct recording_stack_sample *stack_sample =
			&recording->stack_samples.items[i];
		samples->recorded_ns += stack_sample->weight_ns;
		if (!samples->entries[i].stack_sample)
			continue;
		samples->entries[samples->count++] = samples->entries[i];
		samples_sum_add(&samples->all, stack_sample);
		samples_sum_add(&samples->classes[stack_sample->class], stack_sample);
	}
	for (int i = 0; i < SAMPLE_CLASSES; i++)
		samples_sum_judge(&samples->classes[i], &samples->all);
	samples->all.share = samples->all.weight_ns > 0;
	return samples;
}

void samples_free(struct samples *samples)
{
	if (!samples)
		return;
	free(samples->entries);
	free(samples);
}

struct samples_sum samples_sum_of(const struct samples *samples,
				  const struct recording_stack_sample *stack_sample)
{
	struct samples_sum sum = {0};

	samples_sum_add(&sum, stack_sample);
	samples_sum_judge(&sum, &samples->all);
	return sum;
}

const struct recording_frame *samples_place(const struct samples_entry *entry)
{
	if (entry->site && !is_system_code(entry->site))
		return entry->site;
	return entry->own ? entry->own : entry->site ? entry->site : entry->user;
}

static const char *function_of(const struct recording_frame *frame)
{
	return frame ? text_or_empty(frame->function) : "";
}

/* The program's own cover of a lock's functions: "pthreadMutexEnter", "port::Mutex::Unlock()". */
static bool is_lock_function(const struct recording_frame *frame)
{
	static const char *const names[] = {"lock",     "*_lock",      "Lock",      "*Lock",
					    "unlock",   "*_unlock",    "Unlock",    "*Unlock",
					    "*_enter",  "*Enter",      "*_leave",   "*Leave",
					    "*acquire", "*Acquire",    "*release",  "*Release",
					    "*_signal", "*Signal",     "*_wait",    "*Wait",
					    "*_notify", "*Notify*",    "*_post",    "*Post",
					    "~*Lock*",  "~*Guard*",    "~*guard*",  "*_rdlock",
					    "*_wrlock", "*_broadcast", "*_trylock", "*Broadcast"};
	AUTO(text) char *name = text_copy(function_of(frame));
	name[strcspn(name, "(<")] = 0;
	char *base = strrchr(name, ':');

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!fnmatch(names[i], base ? base + 1 : name, 0))
			return true;
	return false;
}

const struct recording_frame *samples_lock_place(const struct recording *recording,
						 uint64_t stack_id)
{
	struct samples_entry entry = {0}, inner = {0};
	size_t count;
	AUTO(frames)
	const struct recording_frame **chain = samples_chain(recording, stack_id, &count);

	for (size_t i = 0; i < count; i++) {
		if (chain[i]->kind != FRAME_USER)
			continue;
		note_user_frame(&inner, chain[i]);
		if (!is_lock_function(chain[i]))
			note_user_frame(&entry, chain[i]);
	}
	if (entry.own)
		return samples_place(&entry);
	return inner.own ? samples_place(&inner) : NULL;
}

/* ---- groups ---- */

static const char *object_of(const struct recording_frame *frame)
{
	return frame ? text_or_empty(frame->object) : "";
}

static const char *host_of(const struct samples_entry *entry)
{
	return entry->run ? text_or_empty(entry->run->host) : "";
}

/* NULL: no I/O, and no wait for a file. */
static char *file_key_of(const struct samples_entry *entry)
{
	const struct recording_stack_sample *wait = entry->stack_sample;

	if (wait->class == CLASS_IO && !wait->resource)
		return text_format("I\n%s\n%s", text_or_empty(wait->system_call),
				   wait->system_call ? "" : function_of(entry->kernel));
	return wait->resource && wait->class != CLASS_LOCK ?
		       text_format("%d\n%s", (int)wait->class, wait->resource) :
		       NULL;
}

/* Entries with equal keys form a row; NULL: the entry is in no row. */
static char *key_of(const struct samples_entry *entry, enum samples_group group)
{
	const struct recording_stack_sample *stack_sample = entry->stack_sample;
	const struct recording_frame *site = entry->site;
	const struct recording_frame *user = entry->user;

	switch (group) {
	case SAMPLES_BY_FUNCTION:
		return text_format("%d\n%s\n%s\n%s\n%s", (int)stack_sample->class,
				   function_of(user), object_of(user),
				   stack_sample->class == CLASS_USER ||
						   stack_sample->class == CLASS_RUNNABLE ?
					   "" :
					   function_of(entry->kernel),
				   site != user ? function_of(site) : "");
	case SAMPLES_BY_LINE:
		return text_format("%d\n%s\n%u\n%s\n%s", (int)stack_sample->class,
				   site && site->file ? site->file : "", site ? site->line : 0,
				   site ? function_of(site) : function_of(user),
				   site ? object_of(site) : object_of(user));
	case SAMPLES_BY_CLASS:
		return text_format("%d\n%s", (int)stack_sample->class,
				   text_or_empty(stack_sample->subclass));
	case SAMPLES_BY_CALL:
		return text_copy(text_or_empty(stack_sample->system_call));
	case SAMPLES_BY_THREAD:
		return text_format("%u\n%u\n%s\n%s", entry->thread->pid, entry->thread->tid,
				   text_or_empty(entry->thread->command), host_of(entry));
	case SAMPLES_BY_PROCESS:
		return text_format("%u\n%s", entry->thread->pid, host_of(entry));
	case SAMPLES_BY_HOST:
		return text_copy(host_of(entry));
	case SAMPLES_BY_LOCK:
		break;
	case SAMPLES_BY_FILE:
		return file_key_of(entry);
	}
	return NULL;
}

static int by_weight(const void *one, const void *other)
{
	const struct samples_row *a = one, *b = other;
	if (a->sum.weight_ns != b->sum.weight_ns)
		return a->sum.weight_ns > b->sum.weight_ns ? -1 : 1;
	return a->first < b->first ? -1 : a->first > b->first;
}

struct grouping {
	const struct samples *samples;
	enum samples_group group;
	struct samples_rows rows;
	struct hash_map by_key;   /* hash and length of the text: the row's number */
	struct hash_map by_parts; /* what the text would be made of: the same */
};

/* The row of the key, a new one without entries if it is the first of its kind. */
static uint32_t row_by_key(struct grouping *grouping, const char *key)
{
	size_t length = strlen(key);
	uint64_t hash = hash_bytes(key, length);
	uint32_t number = hash_map_get(&grouping->by_key, hash, length);

	if (number == HASH_MAP_NONE) {
		number = (uint32_t)grouping->rows.count++;
		hash_map_set(&grouping->by_key, hash, length, number);
	}
	return number;
}

/* 0: there is no frame. */
static uint64_t frame_number(const struct grouping *grouping, const struct recording_frame *frame)
{
	return frame ? (uint64_t)(frame - grouping->samples->recording->frames.items) + 1 : 0;
}

/*
 * Entries with equal parts have equal keys, and most have the parts of an earlier one: no text is
 * made of them. False: the group's keys have no such parts.
 */
static bool parts_of(const struct grouping *grouping, const struct samples_entry *entry,
		     uint64_t *first, uint64_t *second)
{
	const struct recording *recording = grouping->samples->recording;
	const struct recording_stack_sample *stack_sample = entry->stack_sample;

	switch (grouping->group) {
	case SAMPLES_BY_FUNCTION:
	case SAMPLES_BY_LINE:
		*first = frame_number(grouping, entry->user) << 32 |
			 frame_number(grouping, entry->site);
		*second = frame_number(grouping, entry->kernel) << 32 | stack_sample->class;
		return recording->frames.count < UINT32_MAX;
	case SAMPLES_BY_CLASS:
		*first = hash_text(text_or_empty(stack_sample->subclass));
		*second = stack_sample->class;
		return true;
	case SAMPLES_BY_THREAD:
	case SAMPLES_BY_PROCESS:
	case SAMPLES_BY_HOST:
		*first = (uint64_t)(entry->thread - recording->threads.items);
		*second = (uint64_t)stack_sample->run_id;
		return true;
	default:
		return false;
	}
}

/* NULL: the entry is in no row. */
static struct samples_row *row_of(struct grouping *grouping, const struct samples_entry *entry)
{
	uint64_t first = 0, second = 0;
	bool has_parts = parts_of(grouping, entry, &first, &second);
	uint32_t number =
		has_parts ? hash_map_get(&grouping->by_parts, first, second) : HASH_MAP_NONE;

	if (number == HASH_MAP_NONE) {
		AUTO(text) char *key = key_of(entry, grouping->group);
		if (!key)
			return NULL;
		number = row_by_key(grouping, key);
		if (has_parts)
			hash_map_set(&grouping->by_parts, first, second, number);
	}
	return &grouping->rows.items[number];
}

struct samples_rows samples_group(const struct samples *samples, enum samples_group group)
{
	struct grouping grouping = {.samples = samples, .group = group};
	struct samples_rows rows;

	grouping.rows.items = memory_new(samples->count, sizeof(struct samples_row));
	for (size_t i = 0; i < samples->count; i++) {
		const struct samples_entry *entry = &samples->entries[i];
		struct samples_row *row = row_of(&grouping, entry);
		if (!row)
			continue;
		if (!row->first ||
		    entry->stack_sample->weight_ns > row->first->stack_sample->weight_ns)
			row->first = entry;
		samples_sum_add(&row->sum, entry->stack_sample);
		row->by_class_ns[entry->stack_sample->class] += entry->stack_sample->weight_ns;
	}
	rows = grouping.rows;
	hash_map_clear(&grouping.by_key);
	hash_map_clear(&grouping.by_parts);
	for (size_t i = 0; i < rows.count; i++)
		samples_sum_judge(&rows.items[i].sum, &samples->all);
	if (rows.count)
		qsort(rows.items, rows.count, sizeof(struct samples_row), by_weight);
	return rows;
}

void samples_rows_clear(struct samples_rows *rows)
{
	free(rows->items);
	*rows = (struct samples_rows){0};
}

/* ---- trees ---- */

static bool is_same_function(const struct recording_frame *one, const struct recording_frame *other)
{
	return one->kind == other->kind && !strcmp(function_of(one), function_of(other)) &&
	       !strcmp(object_of(one), object_of(other));
}

static struct samples_node *child_of(struct samples_node *node, const struct recording_frame *frame)
{
	for (size_t i = 0; i < node->children.count; i++)
		if (is_same_function(node->children.items[i]->frame, frame))
			return node->children.items[i];
	struct samples_node *child = memory_new(1, sizeof(*child));
	child->frame = frame;
	*array_add(&node->children) = child;
	return child;
}

static void node_add(struct samples_node *node, const struct recording_stack_sample *stack_sample)
{
	samples_sum_add(&node->sum, stack_sample);
	node->by_class_ns[stack_sample->class] += stack_sample->weight_ns;
}

static int by_node_weight(const void *one, const void *other)
{
	const struct samples_node *const *a = one, *const *b = other;
	if ((*a)->sum.weight_ns != (*b)->sum.weight_ns)
		return (*a)->sum.weight_ns > (*b)->sum.weight_ns ? -1 : 1;
	return strcmp(function_of((*a)->frame), function_of((*b)->frame));
}

static void finish_tree(struct samples_node *node, const struct samples_sum *all)
{
	samples_sum_judge(&node->sum, all);
	for (size_t i = 0; i < node->children.count; i++)
		finish_tree(node->children.items[i], all);
	if (node->children.count)
		qsort(node->children.items, node->children.count, sizeof(*node->children.items),
		      by_node_weight);
}

struct samples_node *samples_tree(const struct samples *samples, bool is_inverted)
{
	struct samples_node *root = memory_new(1, sizeof(*root));

	for (size_t i = 0; i < samples->count; i++) {
		const struct recording_stack_sample *stack_sample =
			samples->entries[i].stack_sample;
		struct samples_node *node = root;
		size_t count;
		AUTO(frames)
		const struct recording_frame **chain =
			samples_chain(samples->recording, stack_sample->stack_id, &count);
		node_add(root, stack_sample);
		for (size_t j = 0; j < count; j++) {
			node = child_of(node, chain[is_inverted ? j : count - 1 - j]);
			node_add(node, stack_sample);
		}
		node->own_ns += stack_sample->weight_ns;
	}
	finish_tree(root, &samples->all);
	return root;
}

void samples_tree_free(struct samples_node *root)
{
	if (!root)
		return;
	for (size_t i = 0; i < root->children.count; i++)
		samples_tree_free(root->children.items[i]);
	array_free(&root->children);
	free(root);
}
