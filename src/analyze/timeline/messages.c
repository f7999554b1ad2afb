/* SPDX-License-Identifier: BSD-2-Clause */
/* messages - sorts both sides of each way by position, and walks along them together. */
#include "analyze/timeline/messages.h"

#include <string.h>

static unsigned way_of(const struct message_end *end)
{
	return (unsigned)(end->value >> 32);
}

unsigned messages_name(const struct recording *from, int64_t run_id)
{
	for (size_t i = 0; i < from->strings.count; i++) {
		const struct recording_string *string = &from->strings.items[i];
		if (string->run_id == run_id && string->text &&
		    !strcmp(string->text, CHUNK_MESSAGE_NAME))
			return string->number;
	}
	return 0;
}

void messages_add(struct messages *messages, const struct recording *from, int64_t run_id,
		  unsigned host)
{
	unsigned name_id = messages_name(from, run_id);

	for (size_t i = 0; i < from->chunks.count && name_id; i++) {
		const struct recording_chunk *chunk = &from->chunks.items[i];
		struct chunk_reader reader;
		struct mark mark;
		if (chunk->run_id != run_id || chunk->kind != CHUNK_MARKS ||
		    chunk->cpu != RECORDING_MARKS_KERNEL ||
		    !chunk_open(&reader, chunk->data.items, chunk->data.count, chunk->start_ns))
			continue;
		while (chunk_next_mark(&reader, &mark)) {
			if (mark.name_id != name_id)
				continue;
			if (messages->ends.count == MESSAGE_ENDS_MOST) {
				messages->left_out++;
				continue;
			}
			*array_add(&messages->ends) =
				(struct message_end){.value = mark.value,
						     .time_ns = mark.time_ns,
						     .host = host,
						     .tid = (unsigned)chunk->tid,
						     .is_out = mark.kind == MARK_FLOW_OUT};
		}
		chunk_close(&reader);
	}
}

/* ---- pairs ---- */

#define FIRST_POSITION (1ull << 40) /* what is read before counts down from there */

/* Indexes of ends. */
struct way {
	size_t *items;
	size_t outs, ins; /* all sends come first */
};

static int by_side(const struct message_end *a, const struct message_end *b)
{
	if (way_of(a) != way_of(b))
		return way_of(a) < way_of(b) ? -1 : 1;
	return b->is_out - a->is_out;
}

static int by_side_and_time(const void *left, const void *right, void *ends)
{
	const struct message_end *a = (const struct message_end *)ends + *(const size_t *)left;
	const struct message_end *b = (const struct message_end *)ends + *(const size_t *)right;
	int order = by_side(a, b);

	return order ? order : a->time_ns < b->time_ns ? -1 : a->time_ns > b->time_ns;
}

static int by_position(const void *left, const void *right, void *ends)
{
	const struct message_end *a = (const struct message_end *)ends + *(const size_t *)left;
	const struct message_end *b = (const struct message_end *)ends + *(const size_t *)right;

	return a->position < b->position ? -1 : a->position > b->position;
}

/* Each is less than 2 GiB from the one before it, and the first receive from the first send. */
static void count_on(struct messages *messages, const struct way *way)
{
	const struct message_end *before = &messages->ends.items[way->items[0]];
	uint64_t position = FIRST_POSITION;

	for (size_t i = 0; i < way->outs + way->ins; i++) {
		struct message_end *end = &messages->ends.items[way->items[i]];
		if (i == way->outs) {
			before = &messages->ends.items[way->items[0]];
			position = FIRST_POSITION;
		}
		position += (uint64_t)(int64_t)(int32_t)((uint32_t)end->value -
							 (uint32_t)before->value);
		end->position = position;
		before = end;
	}
}

/* A receive that is the first of its way has the bytes of one send. */
static void pair_way(struct messages *messages, const struct way *way)
{
	struct message_end *ends = messages->ends.items;
	const size_t *ins = way->items + way->outs;
	size_t out = 0;

	for (size_t i = 0; i < way->ins; i++) {
		struct message_end *in = &ends[ins[i]];
		uint64_t from = i ? ends[ins[i - 1]].position : in->position - 1;
		in->first = messages->received.count;
		while (out < way->outs && ends[way->items[out]].position <= from)
			out++;
		for (size_t at = out; at < way->outs && from < in->position; at++) {
			from = ends[way->items[at]].position;
			*array_add(&messages->received) =
				(struct message){.out = way->items[at],
						 .in = ins[i],
						 .is_whole = from <= in->position};
		}
		in->count = messages->received.count - in->first;
	}
}

void messages_pair(struct messages *messages)
{
	struct message_end *ends = messages->ends.items;
	size_t count = messages->ends.count;
	size_t *order = memory_new(count + 1, sizeof(*order));

	for (size_t i = 0; i < count; i++)
		order[i] = i;
	if (count)
		qsort_r(order, count, sizeof(*order), by_side_and_time, ends);
	for (size_t begin = 0, end; begin < count; begin = end) {
		struct way way = {.items = order + begin};
		for (end = begin;
		     end < count && way_of(&ends[order[end]]) == way_of(&ends[order[begin]]); end++)
			way.outs += ends[order[end]].is_out;
		way.ins = end - begin - way.outs;
		count_on(messages, &way);
		qsort_r(way.items, way.outs, sizeof(*order), by_position, ends);
		qsort_r(way.items + way.outs, way.ins, sizeof(*order), by_position, ends);
		pair_way(messages, &way);
	}
	free(order);
}

void messages_clear(struct messages *messages)
{
	array_free(&messages->ends);
	array_free(&messages->received);
}
