/* SPDX-License-Identifier: BSD-2-Clause */
/* calls - each function of symbols.h as a question; without an answer, what addresses tell. */
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/path.h"
#include "symbolize/kernel/kallsyms.h"
#include "symbolize/kernel/system_calls.h"
#include "symbolize/object/object_file.h"
#include "symbolize/object/unwind.h"
#include "symbolize/parser/parser.h"
#include "symbolize/scope.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

const struct symbols_location *parser_location(const struct parser *parser, uint32_t location)
{
	assert(location < parser->locations.count);
	return &parser->locations.items[location]->shown;
}

static const char *path_of(const struct parser *parser, uint32_t object)
{
	return parser_object(parser, object)->shown.path;
}

static bool ask_at(struct parser *parser, enum operation operation, uint32_t object,
		   uint64_t offset)
{
	const char *path = path_of(parser, object);

	if (!parser_begin_about(parser, operation, object))
		return false;
	message_add(&parser->ask, offset);
	return parser_ask(parser, path, -1);
}

/* ---- numbers of the answer, checked ---- */

/* Sorted, not empty, not touching, as base/ranges.h promises. */
static bool take_ranges(struct parser *parser, struct ranges *ranges)
{
	size_t count;
	const struct range *told = message_take_items(&parser->answer, sizeof(*told), &count);
	bool is_right = !parser->answer.is_short;

	ranges->count = 0;
	for (size_t i = 0; i < count && is_right; i++) {
		is_right = told[i].start < told[i].end && (!i || told[i - 1].end < told[i].start);
		ranges_add(ranges, told[i].start, told[i].end);
	}
	if (!is_right) {
		ranges->count = 0;
		parser_distrust(parser);
	}
	return is_right;
}

static bool take_location(struct parser *parser, uint32_t *location)
{
	uint64_t told = message_take(&parser->answer);

	*location = (uint32_t)told;
	if (!parser->answer.is_short && (told == SYMBOLS_NONE || told < parser->locations.count))
		return true;
	*location = SYMBOLS_NONE;
	parser_distrust(parser);
	return false;
}

/* ---- objects ---- */

bool parser_references(struct parser *parser, uint32_t object, const char *symbol)
{
	if (!parser_begin_about(parser, OPERATION_REFERENCES, object))
		return false;
	message_add_text(&parser->ask, symbol);
	return parser_ask(parser, path_of(parser, object), -1) && message_take(&parser->answer);
}

size_t parser_unwind_rows(struct parser *parser, uint32_t object, struct unwind_row **rows)
{
	size_t count = 0;

	*rows = NULL;
	if (!parser_begin_about(parser, OPERATION_UNWIND_ROWS, object) ||
	    !parser_ask(parser, path_of(parser, object), -1))
		return 0;
	const struct unwind_row *told = message_take_items(&parser->answer, sizeof(*told), &count);
	if (!count)
		return 0;
	*rows = memory_new(count, sizeof(**rows));
	memcpy(*rows, told, count * sizeof(**rows));
	return count;
}

/* ---- the kernel ---- */

static void take_kernel_layout(struct parser *parser)
{
	struct message *answer = &parser->answer;
	struct parser_kernel *kernel = &parser->kernel;

	kernel->core_start = message_take(answer);
	kernel->core_end = message_take(answer);
	kernel->scheduler_start = message_take(answer);
	kernel->scheduler_end = message_take(answer);
	kernel->object = parser_told_object(parser, message_take(answer));
	kernel->vmlinux = parser_told_object(parser, message_take(answer));
	kernel->pieces.count = 0;
	while (answer->at < answer->count && !answer->is_short) {
		struct kernel_piece *piece = array_add(&kernel->pieces);
		piece->start = message_take(answer);
		piece->end = message_take(answer);
		piece->address = message_take(answer);
	}
	kernel->is_known = kernel->object != SYMBOLS_NONE;
}

int parser_add_kernel(struct parser *parser, const char *names, const char *vmlinux,
		      bool is_in_scope, struct error *error)
{
	uint64_t none;

	if (vmlinux)
		broker_add(&parser->broker, vmlinux, false);
	parser_begin(parser, OPERATION_ADD_KERNEL);
	message_add_text(&parser->ask, names);
	message_add_text(&parser->ask, vmlinux);
	message_add(&parser->ask, is_in_scope);
	if (!parser_ask(parser, vmlinux ? vmlinux : names, -1))
		return parser_no_answer(parser, error);
	int code = parser_take_result(parser, &none, error);
	if (!parser->ended)
		take_kernel_layout(parser);
	return code;
}

void parser_refresh_kernel(struct parser *parser, uint64_t address)
{
	struct parser_kernel *kernel = &parser->kernel;
	uint64_t now = clock_now_ns();

	if (!kernel->is_known || (address >= kernel->core_start && address < kernel->core_end) ||
	    now - kernel->checked_ns < KALLSYMS_CHECK_INTERVAL_NS)
		return;
	kernel->checked_ns = now;
	kernel->newest_program = kallsyms_newest_program(kernel->newest_program);
	parser_begin(parser, OPERATION_REFRESH_KERNEL);
	message_add(&parser->ask, address);
	message_add(&parser->ask, kernel->newest_program);
	parser_ask(parser, "/proc/kallsyms", -1);
}

bool parser_kernel_offset(const struct parser *parser, uint64_t address, uint32_t *object,
			  uint64_t *offset)
{
	const struct parser_kernel *kernel = &parser->kernel;

	if (!kernel->is_known)
		return false;
	*object = kernel->object;
	*offset = address;
	for (size_t i = 0; i < kernel->pieces.count; i++) {
		const struct kernel_piece *piece = &kernel->pieces.items[i];
		if (address < piece->address ||
		    address - piece->address >= piece->end - piece->start)
			continue;
		*object = kernel->vmlinux;
		*offset = address - piece->address + piece->start;
	}
	return *object != SYMBOLS_NONE;
}

uint64_t parser_kernel_address(const struct parser *parser, uint32_t object, uint64_t offset)
{
	const struct parser_kernel *kernel = &parser->kernel;

	if (object != kernel->vmlinux)
		return offset;
	for (size_t i = 0; i < kernel->pieces.count; i++) {
		const struct kernel_piece *piece = &kernel->pieces.items[i];
		if (offset >= piece->start && offset <= piece->end)
			return piece->address + (offset - piece->start);
	}
	return 0;
}

/* ---- locations ---- */

static uint32_t take_new_location(struct parser *parser)
{
	uint32_t location = SYMBOLS_NONE;

	return take_location(parser, &location) ? location : SYMBOLS_NONE;
}

/* A location under a number that never changes; `name`: without an answer. */
static uint32_t keep_numbered(struct parser *parser, bool is_answered, const uint64_t key[2],
			      enum target_kind kind, const char *name)
{
	uint32_t location = is_answered ? take_new_location(parser) : SYMBOLS_NONE;

	if (location == SYMBOLS_NONE)
		location = parser_named(parser, kind, name);
	hash_map_set(&parser->numbered, key[0], key[1], location);
	return location;
}

uint32_t parser_system_call(struct parser *parser, int number)
{
	const uint64_t key[] = {OPERATION_SYSTEM_CALL, (uint64_t)number};
	uint32_t known = hash_map_get(&parser->numbered, key[0], key[1]);

	if (known != HASH_MAP_NONE)
		return known;
	const char *shown = system_call_name(number);
	AUTO(text) char *name = text_format("syscall:%s", shown ? shown : "unknown");
	parser_begin(parser, OPERATION_SYSTEM_CALL);
	message_add(&parser->ask, (uint64_t)number);
	known = keep_numbered(parser, parser_ask(parser, NULL, -1), key, TARGET_SYSTEM_CALL, name);
	struct parsed_location *location = parser->locations.items[known];
	location->ranges.count = 0;
	ranges_add(&location->ranges, (uint64_t)number, (uint64_t)number + 1);
	location->has_ranges = true;
	return known;
}

uint32_t parser_wait_class(struct parser *parser, enum sample_class class, uint32_t at)
{
	const uint64_t key[] = {OPERATION_WAIT_CLASS, (uint64_t) class << 32 | at};
	uint32_t known = hash_map_get(&parser->numbered, key[0], key[1]);

	if (known != HASH_MAP_NONE)
		return known;
	AUTO(text) char *name = text_format("class:%s", sample_class_name(class));
	parser_begin(parser, OPERATION_WAIT_CLASS);
	message_add(&parser->ask, class);
	message_add(&parser->ask, at);
	return keep_numbered(parser, parser_ask(parser, NULL, -1), key, TARGET_CLASS, name);
}

static enum target_kind kind_of_text(enum operation operation)
{
	return operation == OPERATION_SPAN         ? TARGET_SPAN :
	       operation == OPERATION_PROCESS_NAME ? TARGET_PROCESS :
						     TARGET_SET;
}

/* Spans, processes and sets. */
uint32_t parser_text_location(struct parser *parser, enum operation operation, const char *name)
{
	const uint64_t key[] = {operation, interner_add(&parser->texts, name)};
	uint32_t known = hash_map_get(&parser->numbered, key[0], key[1]);

	if (known != HASH_MAP_NONE)
		return known;
	parser_begin(parser, operation);
	message_add_text(&parser->ask, name);
	return keep_numbered(parser, parser_ask(parser, NULL, -1), key, kind_of_text(operation),
			     name);
}

uint32_t parser_location_at(struct parser *parser, uint32_t object, uint64_t offset)
{
	if (!parser_object(parser, object)->shown.in_scope)
		return SYMBOLS_NONE;
	if (parser->at_generation != parser->generation && !parser->ended) {
		hash_map_clear(&parser->at);
		parser->at_generation = parser->generation;
	}
	uint32_t location = hash_map_get(&parser->at, object, offset);
	if (location != HASH_MAP_NONE)
		return location;
	if (!ask_at(parser, OPERATION_LOCATION_AT, object, offset) ||
	    !take_location(parser, &location))
		return parser_block(parser, object, offset);
	if (parser->at_generation == parser->generation && location != SYMBOLS_NONE)
		hash_map_set(&parser->at, object, offset, location);
	return location;
}

uint32_t parser_tail_location(struct parser *parser, uint32_t object, uint64_t offset,
			      uint32_t location)
{
	uint32_t found = location;

	if (location == SYMBOLS_NONE || parser->ended)
		return location;
	if (!parser_begin_about(parser, OPERATION_TAIL_LOCATION, object))
		return location;
	message_add(&parser->ask, offset);
	message_add(&parser->ask, location);
	return parser_ask(parser, path_of(parser, object), -1) && take_location(parser, &found) ?
		       found :
		       location;
}

/* Those of objects that are known, up to the end of the answer. */
static bool take_calls(struct parser *parser, struct symbols_addresses *calls)
{
	struct message *answer = &parser->answer;

	calls->count = 0;
	while (answer->at < answer->count && !answer->is_short) {
		uint32_t object = parser_told_object(parser, message_take(answer));
		uint64_t offset = message_take(answer);
		if (object != SYMBOLS_NONE && !answer->is_short)
			*array_add(calls) =
				(struct symbols_address){.object = object, .offset = offset};
	}
	if (answer->is_short)
		parser_distrust(parser);
	return !answer->is_short;
}

char *parser_jumps_to(struct parser *parser, uint32_t location)
{
	parser_begin(parser, OPERATION_JUMPS_TO);
	message_add(&parser->ask, location);
	if (parser->ended ||
	    !parser_ask(parser, path_of(parser, parser_location(parser, location)->object), -1))
		return NULL;
	const char *names = message_take_text(&parser->answer);
	return names ? text_copy(names) : NULL;
}

static struct parsed_location *with_ranges(struct parser *parser, uint32_t location)
{
	assert(location < parser->locations.count);
	struct parsed_location *asked = parser->locations.items[location];

	if (asked->has_ranges || parser->ended)
		return asked;
	parser_begin(parser, OPERATION_LOCATION_RANGES);
	message_add(&parser->ask, location);
	asked->has_ranges = parser_ask(parser, path_of(parser, asked->shown.object), -1) &&
			    take_ranges(parser, &asked->ranges) &&
			    take_calls(parser, &asked->calls);
	return asked;
}

size_t parser_location_ranges(struct parser *parser, uint32_t location, const struct range **ranges)
{
	const struct parsed_location *asked = with_ranges(parser, location);

	*ranges = asked->ranges.items;
	return asked->ranges.count;
}

size_t parser_far_calls(struct parser *parser, uint32_t location,
			const struct symbols_address **calls)
{
	const struct parsed_location *asked = with_ranges(parser, location);

	*calls = asked->calls.items;
	return asked->calls.count;
}

size_t parser_scope_ranges(struct parser *parser, uint32_t object, const struct range **ranges)
{
	struct parsed_object *asked = parser->objects.items[object];
	struct ranges *kept = &asked->scope_ranges;

	if (asked->shown.in_scope && asked->scope_generation != parser->generation) {
		if (parser_begin_about(parser, OPERATION_SCOPE_RANGES, object) &&
		    parser_ask(parser, asked->shown.path, -1))
			take_ranges(parser, kept);
		asked->scope_generation = parser->generation;
	}
	/* Nothing is known of its code: all of it. */
	if (asked->shown.in_scope && parser->ended && !kept->count && asked->inode)
		ranges_add(kept, 0, INT64_MAX);
	*ranges = kept->items;
	return kept->count;
}

size_t parser_functions_at(struct parser *parser, uint32_t object, uint64_t offset,
			   uint32_t *locations, size_t most)
{
	size_t count, taken = 0;

	if (!parser_begin_about(parser, OPERATION_FUNCTIONS_AT, object))
		return 0;
	message_add(&parser->ask, offset);
	message_add(&parser->ask, most);
	if (!parser_ask(parser, path_of(parser, object), -1))
		return 0;
	const uint32_t *told = message_take_items(&parser->answer, sizeof(*told), &count);
	for (size_t i = 0; i < count && taken < most; i++)
		if (told[i] < parser->locations.count)
			locations[taken++] = told[i];
	return taken;
}

const char *parser_function_at(struct parser *parser, uint32_t object, uint64_t offset)
{
	bool is_file = parser_object(parser, object)->inode; /* JIT code changes */
	uint32_t known = is_file ? hash_map_get(&parser->functions, object, offset) : HASH_MAP_NONE;

	if (known != HASH_MAP_NONE)
		return interner_text(&parser->texts, known);
	const char *name = ask_at(parser, OPERATION_FUNCTION_AT, object, offset) ?
				   message_take_text(&parser->answer) :
				   NULL;
	AUTO(text)
	char *address = text_format("%s+0x%llx", path_base(path_of(parser, object)),
				    (unsigned long long)offset);

	known = interner_add(&parser->texts, name ? name : address);
	if (is_file)
		hash_map_set(&parser->functions, object, offset, known);
	return interner_text(&parser->texts, known);
}

char *parser_variable_at(struct parser *parser, uint32_t object, uint64_t offset)
{
	return ask_at(parser, OPERATION_VARIABLE_AT, object, offset) ?
		       text_copy(message_take_text(&parser->answer)) :
		       NULL;
}

/* ---- searches ---- */

int parser_find(struct parser *parser, enum operation operation, const char *name,
		uint32_t *location, struct error *error)
{
	uint64_t told;

	parser_begin(parser, operation);
	message_add_text(&parser->ask, name);
	if (!parser_ask(parser, NULL, -1))
		return parser_no_answer(parser, error);
	int code = parser_take_result(parser, &told, error);
	if (code)
		return code;
	if (told >= parser->locations.count) {
		parser_distrust(parser);
		return parser_no_answer(parser, error);
	}
	*location = (uint32_t)told;
	return 0;
}

int parser_find_pattern(struct parser *parser, const char *glob, bool of_kernel,
			struct error *error)
{
	uint64_t none;

	parser_begin(parser, OPERATION_FIND_PATTERN);
	message_add_text(&parser->ask, glob);
	message_add(&parser->ask, of_kernel);
	return parser_ask(parser, NULL, -1) ? parser_take_result(parser, &none, error) :
					      parser_no_answer(parser, error);
}

static void take_addresses(struct parser *parser, struct symbols_addresses *addresses)
{
	size_t count;
	const struct symbols_address *told =
		message_take_items(&parser->answer, sizeof(*told), &count);

	for (size_t i = 0; i < count; i++) {
		uint32_t object = parser_told_object(parser, told[i].object);
		if (object == SYMBOLS_NONE)
			continue;
		*array_add(addresses) = told[i];
		addresses->items[addresses->count - 1].object = object;
	}
}

static int take_found_addresses(struct parser *parser, struct symbols_addresses *addresses,
				struct error *error)
{
	uint64_t none;

	if (!parser_ask(parser, NULL, -1))
		return parser_no_answer(parser, error);
	int code = parser_take_result(parser, &none, error);
	if (!parser->ended)
		take_addresses(parser, addresses);
	return code;
}

int parser_breakpoints(struct parser *parser, const char *name, uint32_t only,
		       struct symbols_addresses *addresses, struct error *error)
{
	parser_begin(parser, OPERATION_BREAKPOINTS);
	message_add_text(&parser->ask, name);
	message_add(&parser->ask, parser_served(parser, only));
	return take_found_addresses(parser, addresses, error);
}

int parser_usdt(struct parser *parser, const char *provider, const char *probe,
		struct symbols_addresses *addresses, struct error *error)
{
	parser_begin(parser, OPERATION_USDT);
	message_add_text(&parser->ask, provider);
	message_add_text(&parser->ask, probe);
	return take_found_addresses(parser, addresses, error);
}

char *parser_listing(struct parser *parser, enum listing_kind kind)
{
	parser_begin(parser, OPERATION_LISTING);
	message_add(&parser->ask, kind);
	const char *lines =
		parser_ask(parser, NULL, -1) ? message_take_text(&parser->answer) : NULL;
	return text_copy(lines ? lines : "");
}

void parser_tail_calls(struct parser *parser, const struct symbols_address *call,
		       const struct symbols_address *callee, struct symbols_addresses *between)
{
	/* First the other one: to tell of it may be a question of its own. */
	if (!parser_begin_about(parser, OPERATION_TAIL_CALLS, callee->object) ||
	    !parser_begin_about(parser, OPERATION_TAIL_CALLS, call->object))
		return;
	message_add(&parser->ask, call->offset);
	message_add(&parser->ask, parser_served(parser, callee->object));
	message_add(&parser->ask, callee->offset);
	if (parser_ask(parser, path_of(parser, call->object), -1))
		take_addresses(parser, between);
}

/* In any order. */
static void take_loops(struct parser *parser, struct ranges *loops)
{
	size_t count;
	const struct range *told = message_take_items(&parser->answer, sizeof(*told), &count);

	for (size_t i = 0; i < count; i++)
		ranges_add(loops, told[i].start, told[i].end);
}

static bool ask_loops(struct parser *parser, enum operation operation,
		      const struct symbols_address *at, struct range *function)
{
	struct ranges one = {0};

	if (!ask_at(parser, operation, at->object, at->offset) || !message_take(&parser->answer))
		return false;
	bool is_known = take_ranges(parser, &one) && one.count == 1;
	if (is_known)
		*function = one.items[0];
	ranges_clear(&one);
	return is_known;
}

bool parser_spin_loops(struct parser *parser, const struct symbols_address *at,
		       struct range *function, struct ranges *loops, struct ranges *helpers)
{
	if (!ask_loops(parser, OPERATION_SPIN_LOOPS, at, function))
		return false;
	take_loops(parser, loops);
	take_loops(parser, helpers);
	return true;
}

bool parser_retry_loops(struct parser *parser, const struct symbols_address *at,
			struct range *function, struct ranges *loops)
{
	if (!ask_loops(parser, OPERATION_RETRY_LOOPS, at, function))
		return false;
	take_loops(parser, loops);
	return true;
}

/* ---- Python ---- */

enum symbols_python_state parser_python(struct parser *parser, uint32_t object,
					struct symbols_python *found)
{
	size_t count;

	if (!parser_begin_about(parser, OPERATION_PYTHON, object) ||
	    !parser_ask(parser, path_of(parser, object), -1))
		return SYMBOLS_PYTHON_NONE;
	uint64_t state = message_take(&parser->answer);
	const void *told = message_take_items(&parser->answer, sizeof(*found), &count);
	if (!told || state > SYMBOLS_PYTHON_UNKNOWN) {
		parser_distrust(parser);
		return SYMBOLS_PYTHON_NONE;
	}
	memcpy(found, told, sizeof(*found));
	return (enum symbols_python_state)state;
}

void parser_add_python_code(struct parser *parser, const struct symbols_python_code *code)
{
	parser_begin(parser, OPERATION_ADD_PYTHON_CODE);
	message_add(&parser->ask, code->number);
	message_add_text(&parser->ask, code->file);
	message_add_text(&parser->ask, code->name);
	message_add(&parser->ask, code->first_line);
	message_add(&parser->ask, code->bytes);
	message_add_bytes(&parser->ask, code->lines, code->lines_bytes);
	message_append(array_add(&parser->python_codes), &parser->ask);
	parser_ask(parser, code->file, -1);
}
