/* SPDX-License-Identifier: BSD-2-Clause */
/* book - call chains as a tree of addresses, and the samples that ended at its nodes. */
#include "record/book.h"

#include "base/memory.h"
#include "base/own.h"
#include "base/text.h"
#include "symbolize/map.h"
#include "symbolize/system_calls.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define OBJECT_KERNEL 0x7fffffffu
#define OBJECT_PROCESS 0x80000000u /* | process: code without a file */

/* A frame in its chain. Callers come before what they call. */
struct node {
	uint32_t caller; /* index; 0: the root, which is no frame */
	uint32_t object; /* of symbols, + 1; or OBJECT_*; KERNEL_OBJECT_UNKNOWN */
	uint64_t offset;
	int64_t stack_id; /* in the profile */
};

struct thread {
	struct recording_thread row;
	char command[16];
};

struct moment {
	struct recording_moment row; /* its texts are borrowed */
	uint32_t node, thread;
	bool is_changed;
};

struct book {
	struct symbols *symbols;
	struct files *files;
	const struct classes *classes;
	const struct kallsyms *kernel;
	uint64_t period_ns;
	ARRAY(struct node) nodes;
	ARRAY(struct thread) threads;
	ARRAY(struct moment) moments;
	struct map node_ids, thread_ids, moment_ids, addresses, subclasses;
	struct map frames; /* (object, offset) -> number of the frame's row */
	struct map rows;   /* (what, which) is named alike -> the same */
	ARRAY(int64_t) frame_ids;
	size_t written_nodes, written_threads;
	struct book_sums sums;
};

struct book *book_new(struct symbols *symbols, struct files *files, const struct classes *classes,
		      const struct kallsyms *kernel, uint64_t period_ns)
{
	struct book *book = memory_new(1, sizeof(*book));
	book->symbols = symbols;
	book->files = files;
	book->classes = classes;
	book->kernel = kernel;
	book->period_ns = period_ns;
	(void)array_add(&book->nodes); /* the root */
	book->written_nodes = 1;
	return book;
}

void book_free(struct book *book)
{
	if (!book)
		return;
	array_free(&book->nodes);
	array_free(&book->threads);
	array_free(&book->moments);
	array_free(&book->frame_ids);
	map_clear(&book->node_ids);
	map_clear(&book->thread_ids);
	map_clear(&book->moment_ids);
	map_clear(&book->addresses);
	map_clear(&book->subclasses);
	map_clear(&book->frames);
	map_clear(&book->rows);
	free(book);
}

const struct book_sums *book_sums(const struct book *book)
{
	return &book->sums;
}

/* ---- adding ---- */

static uint32_t node_of(struct book *book, uint32_t caller, uint32_t object, uint64_t offset)
{
	uint64_t first = (uint64_t)caller << 32 | object;
	uint32_t node = map_get(&book->node_ids, first, offset);

	if (node != MAP_NONE)
		return node;
	node = (uint32_t)book->nodes.count;
	*array_add(&book->nodes) =
		(struct node){.caller = caller, .object = object, .offset = offset};
	map_set(&book->node_ids, first, offset, node);
	return node;
}

static uint32_t user_node_of(struct book *book, uint32_t caller, uint32_t tgid,
			     const struct record_frame *frame)
{
	uint32_t object = frame->object;
	uint64_t offset = frame->offset;

	if (object == KERNEL_OBJECT_NO_FILE) {
		object = OBJECT_PROCESS | tgid;
	} else if (object == KERNEL_OBJECT_UNKNOWN &&
		   files_locate(book->files, tgid, frame->offset, &object, &offset)) {
		object++;
	}
	return node_of(book, caller, object, offset);
}

/*
 * The kernel's innermost frames are those of waiting as such, and our own; the chain begins at the
 * function that waited.
 */
static uint32_t first_kernel_frame(const struct book *book, const struct record_sample *sample)
{
	uint32_t first = 0;

	if (sample->flags & RECORD_ON_CPU)
		return 0;
	for (; first < sample->kernel_count; first++) {
		const struct kallsyms_function *function =
			kallsyms_at(book->kernel, sample->kernel[first]);
		bool is_bpf = function && function->module && !strcmp(function->module, "bpf");
		if (function && !is_bpf && !classes_is_waiting(function->name))
			break;
	}
	return first;
}

static uint32_t chain_of(struct book *book, const struct record_sample *sample,
			 uint32_t kernel_first)
{
	uint32_t node = 0;

	for (uint32_t i = sample->user_count; i-- > 0;)
		node = user_node_of(book, node, sample->tgid, &sample->user[i]);
	for (uint32_t i = sample->kernel_count; i-- > kernel_first;)
		node = node_of(book, node, OBJECT_KERNEL, sample->kernel[i]);
	return node;
}

static uint64_t hash_of(const char *text, size_t most)
{
	uint64_t hash = 0xcbf29ce484222325ull;
	for (size_t i = 0; i < most && text[i]; i++)
		hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3ull;
	return hash;
}

/* A thread that changes its name is another one from then on. */
static uint32_t thread_of(struct book *book, const struct record_sample *sample)
{
	uint64_t first = (uint64_t)sample->tgid << 32 | sample->tid;
	uint64_t second = hash_of(sample->command, sizeof(sample->command));
	uint32_t index = map_get(&book->thread_ids, first, second);

	if (index != MAP_NONE)
		return index;
	index = (uint32_t)book->threads.count;
	struct thread *thread = array_add(&book->threads);
	memcpy(thread->command, sample->command, sizeof(thread->command));
	thread->command[sizeof(thread->command) - 1] = 0;
	thread->row.pid = sample->tgid;
	thread->row.tid = sample->tid;
	map_set(&book->thread_ids, first, second, index);
	return index;
}

/* A small number for something that is seen again and again. */
static uint32_t number_of(struct map *map, uint64_t what)
{
	uint32_t number = map_get(map, what, 0);
	if (number == MAP_NONE) {
		number = (uint32_t)map->count;
		map_set(map, what, 0, number);
	}
	return number;
}

struct entry {
	uint32_t node, thread;
	struct classes_verdict verdict;
	int call;
	uint64_t address;
};

static struct moment *moment_of(struct book *book, const struct entry *entry)
{
	uint64_t first = (uint64_t)entry->thread << 32 | entry->node;
	uint64_t second = (uint64_t)entry->verdict.class << 60 |
			  (uint64_t)number_of(&book->subclasses, (uintptr_t)entry->verdict.subclass)
				  << 48 |
			  (uint64_t)(unsigned)(entry->call + 1) << 32 |
			  number_of(&book->addresses, entry->address);
	uint32_t index = map_get(&book->moment_ids, first, second);

	if (index != MAP_NONE)
		return &book->moments.items[index];
	map_set(&book->moment_ids, first, second, (uint32_t)book->moments.count);
	struct moment *moment = array_add(&book->moments);
	moment->node = entry->node;
	moment->thread = entry->thread;
	moment->row.class = entry->verdict.class;
	moment->row.subclass = (char *)(uintptr_t)entry->verdict.subclass;
	moment->row.system_call = (char *)(uintptr_t)system_call_name(entry->call);
	moment->row.address = entry->address;
	return moment;
}

/*
 * A look that stands for one sampling point is hit or miss, like a sample on CPU: its weight's square
 * is an unbiased estimate of its variance where hits are rare. One that stands for many is a long
 * interval, known but for less than a period: at most a quarter of the period's square. Where only one
 * of so many waits is looked at, that choice adds its own.
 */
static void count(struct book *book, const struct entry *entry, uint64_t weight_ns,
		  unsigned inverse_chance)
{
	struct moment *moment = moment_of(book, entry);
	double weight = (double)weight_ns, period = (double)book->period_ns;
	double inverse = inverse_chance ? inverse_chance : 1;
	bool is_single = entry->verdict.class <= CLASS_KERNEL || weight < 1.5 * inverse * period;

	moment->row.samples++;
	moment->row.weight_ns += weight_ns;
	moment->row.variance +=
		is_single ? weight * weight :
			    weight * weight * (1 - 1 / inverse) + inverse * period * period / 4;
	moment->is_changed = true;
	book->sums.samples++;
	book->sums.weight_ns += weight_ns;
	book->sums.by_class_ns[entry->verdict.class] += weight_ns;
}

static struct classes_verdict verdict_of(const struct book *book,
					 const struct record_sample *sample, uint32_t kernel_first)
{
	if (sample->flags & RECORD_ON_CPU)
		return (struct classes_verdict){sample->kernel_count ? CLASS_KERNEL : CLASS_USER,
						NULL};
	if (sample->flags & RECORD_PREEMPTED)
		return (struct classes_verdict){CLASS_RUNNABLE, NULL};
	const struct kallsyms_function *function =
		kernel_first < sample->kernel_count ?
			kallsyms_at(book->kernel, sample->kernel[kernel_first]) :
			NULL;
	struct classes_block block = {
		.is_io_wait = sample->flags & RECORD_IO_WAIT,
		.function = function ? function->name : NULL,
		.call = system_call_name(sample->system_call),
	};
	return classes_judge(book->classes, &block);
}

static bool is_futex(int call)
{
	const char *name = system_call_name(call);
	return name && text_starts_with(name, "futex");
}

void book_add(struct book *book, const struct record_sample *sample)
{
	if (sample->kernel_count > RECORD_KERNEL_FRAMES_MOST ||
	    sample->user_count > RECORD_USER_FRAMES_MOST)
		return;
	uint32_t kernel_first = first_kernel_frame(book, sample);
	struct entry entry = {
		.node = chain_of(book, sample, kernel_first),
		.thread = thread_of(book, sample),
		.verdict = verdict_of(book, sample, kernel_first),
		.call = sample->system_call,
	};
	if (entry.verdict.class == CLASS_LOCK && is_futex(entry.call))
		entry.address = sample->argument;
	if (sample->weight_ns)
		count(book, &entry, sample->weight_ns, sample->inverse_chance);
	entry.verdict = (struct classes_verdict){CLASS_RUNNABLE, NULL};
	entry.address = 0;
	if (sample->waiting_ns)
		count(book, &entry, sample->waiting_ns, sample->inverse_chance);
}

/* ---- naming and writing ---- */

static uint32_t add_frame(struct book *book, struct profile *profile,
			  const struct recording_frame *content, uint64_t what, uint64_t which,
			  struct error *error)
{
	uint32_t number = map_get(&book->rows, what, which);
	struct recording_frame row = *content;

	if (number != MAP_NONE)
		return number;
	if (profile_add_frame(profile, &row, error))
		return MAP_NONE;
	number = (uint32_t)book->frame_ids.count;
	*array_add(&book->frame_ids) = row.id;
	map_set(&book->rows, what, which, number);
	return number;
}

enum named_by { NAMED_BY_PLACE, NAMED_BY_SYMBOL, NAMED_BY_KERNEL, NAMED_BY_NOBODY };

static uint32_t kernel_frame(struct book *book, struct profile *profile, uint64_t address,
			     struct error *error)
{
	const struct kallsyms_function *function = kallsyms_at(book->kernel, address);
	struct recording_frame frame = {.kind = FRAME_KERNEL};

	if (function) {
		frame.function = (char *)(uintptr_t)function->name;
		frame.object = (char *)(uintptr_t)function->module;
	}
	return add_frame(book, profile, &frame, NAMED_BY_KERNEL, function ? function->start : 0,
			 error);
}

/* The object of code that a process made, if it left a map of it. */
static uint32_t jit_object(struct book *book, uint32_t process)
{
	AUTO(text) char *path = text_format("/tmp/perf-%u.map", process & ~OBJECT_PROCESS);
	uint32_t object;

	if (access(path, R_OK) || symbols_add_jit(book->symbols, path, &object, NULL))
		return SYMBOLS_NONE;
	return object;
}

static uint32_t user_frame(struct book *book, struct profile *profile, const struct node *node,
			   struct error *error)
{
	struct recording_frame frame = {.kind = FRAME_USER};
	uint32_t object =
		node->object & OBJECT_PROCESS ? jit_object(book, node->object) : node->object - 1;

	if (node->object == KERNEL_OBJECT_UNKNOWN || object == SYMBOLS_NONE)
		return add_frame(book, profile, &frame, NAMED_BY_NOBODY, 0, error);
	frame.object = (char *)(uintptr_t)symbols_object(book->symbols, object)->path;
	uint32_t place = symbols_place_at(book->symbols, object, node->offset);
	if (place != SYMBOLS_NONE) {
		const struct symbols_place *found = symbols_place(book->symbols, place);
		frame.function =
			(char *)(uintptr_t)(found->function ? found->function : found->name);
		frame.file = (char *)(uintptr_t)found->file;
		frame.line = found->line;
		return add_frame(book, profile, &frame, NAMED_BY_PLACE, place, error);
	}
	const char *name = symbols_function_at(book->symbols, object, node->offset);
	frame.function = (char *)(uintptr_t)name;
	return add_frame(book, profile, &frame, NAMED_BY_SYMBOL, (uintptr_t)name, error);
}

static int write_node(struct book *book, struct profile *profile, struct node *node,
		      struct error *error)
{
	uint32_t number = map_get(&book->frames, node->object, node->offset);

	if (number == MAP_NONE) {
		number = node->object == OBJECT_KERNEL ?
				 kernel_frame(book, profile, node->offset, error) :
				 user_frame(book, profile, node, error);
		if (number == MAP_NONE)
			return error->code;
		map_set(&book->frames, node->object, node->offset, number);
	}
	struct recording_stack row = {
		.caller_id = (uint64_t)book->nodes.items[node->caller].stack_id,
		.frame_id = book->frame_ids.items[number],
	};
	int code = profile_add_stack(profile, &row, error);
	node->stack_id = row.id;
	return code;
}

static int write_moment(struct book *book, struct profile *profile, struct moment *moment,
			struct error *error)
{
	const struct thread *thread = &book->threads.items[moment->thread];

	moment->row.run_id = thread->row.run_id;
	moment->row.thread_id = thread->row.id;
	moment->row.stack_id = (uint64_t)book->nodes.items[moment->node].stack_id;
	moment->is_changed = false;
	return profile_set_moment(profile, &moment->row, error);
}

int book_write(struct book *book, struct profile *profile, int64_t run_id, struct error *error)
{
	int code = 0;

	for (; book->written_nodes < book->nodes.count && !code; book->written_nodes++)
		code = write_node(book, profile, &book->nodes.items[book->written_nodes], error);
	for (; book->written_threads < book->threads.count && !code; book->written_threads++) {
		struct thread *thread = &book->threads.items[book->written_threads];
		thread->row.run_id = run_id;
		thread->row.command = thread->command;
		code = profile_add_thread(profile, &thread->row, error);
		thread->row.command = NULL; /* the item may move */
	}
	for (size_t i = 0; i < book->moments.count && !code; i++)
		if (book->moments.items[i].is_changed)
			code = write_moment(book, profile, &book->moments.items[i], error);
	return code;
}
