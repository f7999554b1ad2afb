/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * batches - many addresses in one question, and the answers checked.
 *
 * After a process has ended, each address is asked for alone: so it is known which file ended it.
 */
#include "base/memory.h"
#include "symbolize/parser/parser.h"

#include <string.h>

/* So that an answer takes no longer than the engine waits, also where all is read first. */
#define AT_ONCE 512

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

static bool ask_for_locations(struct parser *parser, const struct symbols_address *addresses,
			      size_t count, uint32_t *locations)
{
	struct symbols_address *told = memory_new(count, sizeof(*told));
	for (size_t i = 0; i < count; i++)
		told[i] = address_for(parser, &addresses[i]);
	parser_begin(parser, OPERATION_LOCATIONS_AT);
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
			  ask_for_locations(parser, addresses + at, part, locations + at);
	}
	return is_told;
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
