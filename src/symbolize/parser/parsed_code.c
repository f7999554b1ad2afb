/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * parsed_code - objects and locations as the parser told them, each number checked.
 *
 * Without a parser, code is told by blocks of addresses, as that of a binary without symbols.
 */
#include "symbolize/parser/parser.h"

#include "base/cleanup.h"
#include "base/path.h"
#include "profile/profile.h"

#include <string.h>

#define BLOCK_BYTES 4096
#define BLOCK_KEYS (1ull << 32) /* besides addresses */
#define OBJECTS_MOST (1u << 20)

struct parsed_object *parser_add_object_by_hand(struct parser *parser, const char *path)
{
	struct parsed_object *object = memory_new(1, sizeof(*object));

	object->shown.path = text_copy(path);
	object->shown.build_id = text_copy("");
	object->shown.fd = -1;
	object->served = SYMBOLS_NONE;
	*array_add(&parser->objects) = object;
	return object;
}

uint32_t parser_told_object(const struct parser *parser, uint64_t told)
{
	return told < parser->served.count ? parser->served.items[told] : SYMBOLS_NONE;
}

uint32_t parser_served(const struct parser *parser, uint32_t object)
{
	return object < parser->objects.count ? parser->objects.items[object]->served :
						SYMBOLS_NONE;
}

static void object_release(struct parsed_object *object)
{
	if (object->shown.fd >= 0)
		close(object->shown.fd);
	free((char *)(uintptr_t)object->shown.path);
	free((char *)(uintptr_t)object->shown.build_id);
	free((char *)(uintptr_t)object->shown.open_path);
	ranges_clear(&object->scope_ranges);
	free(object);
}

void parser_forget_code(struct parser *parser)
{
	for (size_t i = 0; i < parser->objects.count; i++) {
		struct parsed_object *object = parser->objects.items[i];
		object->served = SYMBOLS_NONE;
		object->scope_generation = 0;
		ranges_clear(&object->scope_ranges);
	}
	for (size_t i = 0; i < parser->locations.count; i++) {
		ranges_clear(&parser->locations.items[i]->ranges);
		array_free(&parser->locations.items[i]->calls);
		free(parser->locations.items[i]);
	}
	array_free(&parser->locations);
	array_free(&parser->served);
	hash_map_clear(&parser->numbered);
	hash_map_clear(&parser->at);
	hash_map_clear(&parser->sampled);
	hash_map_clear(&parser->functions);
	interner_clear(&parser->texts);
	parser->at_generation = parser->sampled_generation = 0;
}

void parser_clear_code(struct parser *parser)
{
	parser_forget_code(parser);
	for (size_t i = 0; i < parser->objects.count; i++)
		object_release(parser->objects.items[i]);
	for (size_t i = 0; i < parser->python_codes.count; i++)
		message_free(&parser->python_codes.items[i]);
	array_free(&parser->objects);
	array_free(&parser->python_codes);
	array_free(&parser->kernel.pieces);
}

/* What the process tells of for the first time: what it is asked to add, or what has no file. */
static struct parsed_object *take_new_object(struct parser *parser, uint64_t id, const char *path)
{
	uint32_t object = parser->adding;

	for (uint32_t i = 0; object == SYMBOLS_NONE && i < parser->objects.count; i++) {
		const struct parsed_object *known = parser->objects.items[i];
		if (known->served == SYMBOLS_NONE && !known->inode && known->shown.fd < 0 &&
		    !strcmp(known->shown.path, path))
			object = i;
	}
	if (object == SYMBOLS_NONE) {
		object = (uint32_t)parser->objects.count;
		parser_add_object_by_hand(parser, path);
	}
	*array_add(&parser->served) = object;
	parser->objects.items[object]->served = (uint32_t)id;
	return parser->objects.items[object];
}

/* Returns whether there was one. */
static bool take_object(struct parser *parser)
{
	struct message *answer = &parser->answer;
	uint64_t id = message_take(answer);

	if (id == SYMBOLS_NONE || answer->is_short)
		return false;
	const char *path = message_take_text(answer), *build_id = message_take_text(answer);
	if (!path || id > parser->served.count || id >= OBJECTS_MOST) {
		answer->is_short = true;
		return false;
	}
	bool is_new = id == parser->served.count;
	struct parsed_object *object = is_new ? take_new_object(parser, id, path) :
						parser->objects.items[parser->served.items[id]];
	if (is_new && !*object->shown.build_id) {
		free((char *)(uintptr_t)object->shown.build_id);
		object->shown.build_id = text_copy(build_id ? build_id : "");
	}
	object->shown.in_scope = message_take(answer);
	object->shown.has_lines = message_take(answer);
	object->shown.has_symbols = message_take(answer);
	object->shown.is_32_bit = message_take(answer);
	object->is_kernel = message_take(answer);
	if (!object->shown.in_scope)
		object->scope_ranges.count = 0;
	return true;
}

static const char *keep(struct parser *parser, const char *text)
{
	return interner_text(&parser->texts, interner_add(&parser->texts, text));
}

static struct parsed_location *add_location(struct parser *parser, enum target_kind kind,
					    uint32_t object, const char *name)
{
	struct parsed_location *location = memory_new(1, sizeof(*location));

	location->shown = (struct symbols_location){.kind = kind,
						    .object = object,
						    .name = keep(parser, name)};
	*array_add(&parser->locations) = location;
	return location;
}

static void take_location(struct parser *parser)
{
	struct message *answer = &parser->answer;
	uint64_t kind = message_take(answer);
	uint32_t object = parser_told_object(parser, message_take(answer));
	uint64_t line = message_take(answer);
	const char *name = message_take_text(answer), *function = message_take_text(answer);
	const char *file = message_take_text(answer);

	if (answer->is_short || !name || object == SYMBOLS_NONE || kind > UINT32_MAX ||
	    !target_kind_name((unsigned)kind)) {
		answer->is_short = true;
		return;
	}
	struct parsed_location *location =
		add_location(parser, (enum target_kind)kind, object, name);
	location->shown.function = keep(parser, function);
	location->shown.file = keep(parser, file);
	location->shown.line = (unsigned)line;
}

void parser_take_changes(struct parser *parser)
{
	struct message *answer = &parser->answer;
	size_t count;

	parser->generation = message_take(answer);
	parser->names_may_appear = message_take(answer);
	while (take_object(parser))
		;
	for (uint64_t left = message_take(answer); left && !answer->is_short; left--)
		take_location(parser);
	const uint32_t *changed = message_take_items(answer, sizeof(*changed), &count);
	for (size_t i = 0; i < count; i++)
		if (changed[i] < parser->locations.count)
			parser->locations.items[changed[i]]->has_ranges = false;
}

uint32_t parser_block(struct parser *parser, uint32_t object, uint64_t offset)
{
	const struct symbols_object *shown = &parser->objects.items[object]->shown;
	uint64_t start = offset / BLOCK_BYTES * BLOCK_BYTES;
	uint64_t key = BLOCK_KEYS | object;
	uint32_t known = hash_map_get(&parser->at, key, start);

	if (!shown->in_scope)
		return SYMBOLS_NONE;
	if (known != HASH_MAP_NONE)
		return known;
	AUTO(text)
	char *name = text_format("%s+0x%llx", path_base(shown->path), (unsigned long long)start);
	struct parsed_location *block = add_location(parser, TARGET_FUNCTION, object, name);
	known = (uint32_t)parser->locations.count - 1;
	ranges_add(&block->ranges, start, start + BLOCK_BYTES);
	block->has_ranges = true;
	hash_map_set(&parser->at, key, start, known);
	return known;
}

uint32_t parser_named(struct parser *parser, enum target_kind kind, const char *name)
{
	if (!parser->objects.count)
		parser_add_object_by_hand(parser, "unknown");
	add_location(parser, kind, 0, name)->has_ranges = true;
	return (uint32_t)parser->locations.count - 1;
}
