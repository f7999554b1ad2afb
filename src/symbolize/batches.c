/* SPDX-License-Identifier: BSD-2-Clause */
/* batches - asks one by one where no parser answers. */
#include "symbolize/batches.h"

#include "symbolize/internal.h"
#include "symbolize/parser/parser.h"

void symbols_locations_at(struct symbols *symbols, const struct symbols_address *addresses,
			  size_t count, uint32_t *locations)
{
	if (symbols->parser && parser_locations_at(symbols->parser, addresses, count, locations))
		return;
	for (size_t i = 0; i < count; i++)
		locations[i] =
			symbols_location_at(symbols, addresses[i].object, addresses[i].offset);
}

uint32_t symbols_block_at(struct symbols *symbols, uint32_t object, uint64_t offset)
{
	return symbols->parser ? parser_block(symbols->parser, object, offset) :
				 symbols_location_at(symbols, object, offset);
}

uint32_t symbols_sampled_location(struct symbols *symbols, uint32_t object, uint64_t offset)
{
	if (symbols->parser)
		return parser_sampled_location(symbols->parser, object, offset);
	return symbols_tail_location(symbols, object, offset,
				     symbols_location_at(symbols, object, offset));
}

void symbols_look_up_sampled(struct symbols *symbols, const struct symbols_address *addresses,
			     size_t count)
{
	if (symbols->parser)
		parser_look_up_sampled(symbols->parser, addresses, count);
}

void symbols_tail_calls_of(struct symbols *symbols, const struct symbols_call *calls, size_t count,
			   struct symbols_addresses *between, uint32_t *counts)
{
	if (symbols->parser && parser_tail_calls_of(symbols->parser, calls, count, between, counts))
		return;
	for (size_t i = 0; i < count; i++) {
		size_t before = between->count;
		symbols_tail_calls(symbols, &calls[i].call, &calls[i].callee, between);
		counts[i] = (uint32_t)(between->count - before);
	}
}
