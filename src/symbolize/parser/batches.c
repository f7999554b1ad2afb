/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * batches - many addresses in one question, and the answers checked.
 *
 * After a process has ended, each address is asked for alone: so it is known which file ended it.
 */
#include "base/memory.h"
#include "symbolize/parser/parser.h"

#include <stdlib.h>
#include <string.h>

/* So that an answer takes no longer than the engine waits, also where all is read first. */
#define AT_ONCE 512
#define ROUNDS 2 /* an answer may change the generation, and so make those before it unknown */
#define SAMPLED_NONE (SYMBOLS_NONE - 1) /* known to be in no location */

static bool may_batch(const struct parser *parser)
{
	return !parser->ended && !parser->warning;
}

/* With the numbers of the process; an object that it does not know has none. */
static struct symbols_address address_for(struct parser *parser,
					  const struct symbols_address *address)
{
	struct symbols_address told = *address;

	told.object = parser_serve_object(parser, address->object) ?
			      parser_served(parser, address->object) :
			      SYMBOLS_NONE;
	return told;
}

static bool take_locations(struct parser *parser, const struct symbols_address *asked, size_t count,
			   uint32_t *locations)
{
	size_t told_count;
	const uint32_t *told = message_take_items(&parser->answer, sizeof(*told), &told_count);
	bool is_right = told_count == count;

	for (size_t i = 0; i < count && is_right; i++) {
		bool is_in_scope = parser_object(parser, asked[i].object)->shown.in_scope;
		is_right = told[i] == SYMBOLS_NONE || told[i] < parser->locations.count;
		locations[i] = is_in_scope ? told[i] : SYMBOLS_NONE;
	}
	if (!is_right)
		parser_distrust(parser);
	return is_right;
}

static bool ask_for_locations(struct parser *parser, enum operation operation,
			      const struct symbols_address *addresses, size_t count,
			      uint32_t *locations)
{
	struct symbols_address *told = memory_new(count, sizeof(*told));
	for (size_t i = 0; i < count; i++)
		told[i] = address_for(parser, &addresses[i]);
	parser_begin(parser, operation);
	message_add_bytes(&parser->ask, told, count * sizeof(*told));
	free(told);
	return parser_ask(parser, NULL, -1) && take_locations(parser, addresses, count, locations);
}

bool parser_locations_at(struct parser *parser, const struct symbols_address *addresses,
			 size_t count, uint32_t *locations)
{
	bool is_told = true;

	for (size_t at = 0; at < count && is_told; at += AT_ONCE) {
		size_t part = count - at < AT_ONCE ? count - at : AT_ONCE;
		is_told = may_batch(parser) &&
			  ask_for_locations(parser, OPERATION_LOCATIONS_AT, addresses + at, part,
					    locations + at);
	}
	return is_told;
}

/* Answers hold as long as the generation. */
static uint32_t known_sampled(struct parser *parser, uint32_t object, uint64_t offset)
{
	if (parser->sampled_generation != parser->generation && !parser->ended) {
		hash_map_clear(&parser->sampled);
		parser->sampled_generation = parser->generation;
	}
	return hash_map_get(&parser->sampled, object, offset);
}

static int compare_addresses(const void *left, const void *right)
{
	const struct symbols_address *a = left, *b = right;

	if (a->object != b->object)
		return a->object < b->object ? -1 : 1;
	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* Those that are not known, each once; returns their number. */
static size_t unknown_sampled(struct parser *parser, const struct symbols_address *addresses,
			      size_t count, struct symbols_address *unknown)
{
	size_t found = 0, kept = 0;

	for (size_t i = 0; i < count; i++) {
		const struct symbols_address *one = &addresses[i];
		if (known_sampled(parser, one->object, one->offset) == HASH_MAP_NONE &&
		    parser_object(parser, one->object)->shown.in_scope)
			unknown[found++] = *one;
	}
	if (found)
		qsort(unknown, found, sizeof(*unknown), compare_addresses);
	for (size_t i = 0; i < found; i++)
		if (!i || compare_addresses(&unknown[i], &unknown[kept - 1]))
			unknown[kept++] = unknown[i];
	return kept;
}

static bool ask_for_sampled(struct parser *parser, const struct symbols_address *addresses,
			    size_t count, uint32_t *locations)
{
	if (!may_batch(parser) ||
	    !ask_for_locations(parser, OPERATION_SAMPLED_LOCATIONS, addresses, count, locations))
		return false;
	for (size_t i = 0; i < count; i++) {
		uint32_t object = addresses[i].object;
		uint64_t offset = addresses[i].offset;
		if (known_sampled(parser, object, offset) == HASH_MAP_NONE)
			hash_map_set(&parser->sampled, object, offset,
				     locations[i] == SYMBOLS_NONE ? SAMPLED_NONE : locations[i]);
	}
	return true;
}

void parser_look_up_sampled(struct parser *parser, const struct symbols_address *addresses,
			    size_t count)
{
	struct symbols_address *unknown = memory_new(count, sizeof(*unknown));
	uint32_t *locations = memory_new(count, sizeof(*locations));

	for (int round = 0; round < ROUNDS; round++) {
		size_t left = unknown_sampled(parser, addresses, count, unknown);
		for (size_t at = 0, part; at < left; at += part) {
			part = left - at < AT_ONCE ? left - at : AT_ONCE;
			if (!ask_for_sampled(parser, unknown + at, part, locations))
				left = 0;
		}
		if (!left)
			break;
	}
	free(unknown);
	free(locations);
}

uint32_t parser_sampled_location(struct parser *parser, uint32_t object, uint64_t offset)
{
	const struct symbols_address address = {.object = object, .offset = offset};
	uint32_t location = known_sampled(parser, object, offset);

	if (location == HASH_MAP_NONE) {
		parser_look_up_sampled(parser, &address, 1);
		location = known_sampled(parser, object, offset);
	}
	if (location == SAMPLED_NONE)
		return SYMBOLS_NONE;
	return location != HASH_MAP_NONE ?
		       location :
		       parser_tail_location(parser, object, offset,
					    parser_location_at(parser, object, offset));
}

static bool take_tail_calls(struct parser *parser, size_t count, struct symbols_addresses *between,
			    uint32_t *counts)
{
	size_t counted, told_count, sum = 0;
	const uint32_t *of_each = message_take_items(&parser->answer, sizeof(*of_each), &counted);
	const struct symbols_address *told =
		message_take_items(&parser->answer, sizeof(*told), &told_count);
	bool is_right = counted == count;

	for (size_t i = 0; i < count && is_right; i++) {
		is_right = of_each[i] <= told_count - sum;
		sum += of_each[i];
		counts[i] = of_each[i];
	}
	is_right = is_right && sum == told_count;
	for (size_t i = 0; i < told_count && is_right; i++) {
		struct symbols_address address = told[i];
		address.object = parser_told_object(parser, told[i].object);
		is_right = address.object != SYMBOLS_NONE;
		*array_add(between) = address;
	}
	if (!is_right)
		parser_distrust(parser);
	return is_right;
}

static bool ask_for_tail_calls(struct parser *parser, const struct symbols_call *calls,
			       size_t count, struct symbols_addresses *between, uint32_t *counts)
{
	struct symbols_call *told = memory_new(count, sizeof(*told));
	for (size_t i = 0; i < count; i++) {
		told[i].call = address_for(parser, &calls[i].call);
		told[i].callee = address_for(parser, &calls[i].callee);
	}
	parser_begin(parser, OPERATION_TAIL_CALLS_OF);
	message_add_bytes(&parser->ask, told, count * sizeof(*told));
	free(told);
	return parser_ask(parser, NULL, -1) && take_tail_calls(parser, count, between, counts);
}

bool parser_tail_calls_of(struct parser *parser, const struct symbols_call *calls, size_t count,
			  struct symbols_addresses *between, uint32_t *counts)
{
	size_t before = between->count;
	bool is_told = true;

	for (size_t at = 0; at < count && is_told; at += AT_ONCE) {
		size_t part = count - at < AT_ONCE ? count - at : AT_ONCE;
		is_told = may_batch(parser) &&
			  ask_for_tail_calls(parser, calls + at, part, between, counts + at);
	}
	if (!is_told)
		between->count = before;
	return is_told;
}
