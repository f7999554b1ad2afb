/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * server - takes arguments out of a message, calls symbols, puts the result into another one.
 *
 * Numbers of objects and locations are the engine's to check: a wrong one ends this process.
 */
#include "symbolize/parser/server.h"

#include "base/cleanup.h"
#include "base/memory.h"
#include "symbolize/batches.h"
#include "symbolize/far_calls.h"
#include "symbolize/internal.h"
#include "symbolize/listing.h"
#include "symbolize/object/brokered.h"
#include "symbolize/object/unwind.h"
#include "symbolize/parser/message.h"
#include "symbolize/parser/operation.h"
#include "symbolize/parser/sandbox.h"
#include "symbolize/patterns.h"
#include "symbolize/python.h"
#include "symbolize/retry_code.h"
#include "symbolize/variables.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>

#define FUNCTIONS_MOST 64 /* inlined at one address */

struct told_object {
	bool in_scope, has_symbols, has_lines;
};

struct server {
	struct symbols *symbols;
	struct message ask, body, answer;
	int fd; /* that came with the question; -1: none */
	ARRAY(struct told_object) objects;
	size_t told_locations;
};

/* ---- what has changed ---- */

static void tell_object(struct server *server, uint32_t id)
{
	const struct object *object = server->symbols->objects.items[id];
	const struct symbols_object *shown = &object->shown;

	message_add(&server->answer, id);
	message_add_text(&server->answer, shown->path);
	message_add_text(&server->answer, shown->build_id);
	message_add(&server->answer, shown->in_scope);
	message_add(&server->answer, shown->has_lines);
	message_add(&server->answer, shown->has_symbols);
	message_add(&server->answer, shown->is_32_bit);
	message_add(&server->answer, object->is_kernel);
}

static void tell_objects(struct server *server)
{
	for (uint32_t id = 0; id < server->symbols->objects.count; id++) {
		const struct symbols_object *shown = &server->symbols->objects.items[id]->shown;
		bool is_new = id >= server->objects.count;
		struct told_object *told =
			is_new ? array_add(&server->objects) : &server->objects.items[id];
		if (!is_new && told->in_scope == shown->in_scope &&
		    told->has_symbols == shown->has_symbols && told->has_lines == shown->has_lines)
			continue;
		*told = (struct told_object){.in_scope = shown->in_scope,
					     .has_symbols = shown->has_symbols,
					     .has_lines = shown->has_lines};
		tell_object(server, id);
	}
	message_add(&server->answer, SYMBOLS_NONE); /* no more */
}

static void tell_locations(struct server *server)
{
	struct message *answer = &server->answer;

	message_add(answer, server->symbols->locations.count - server->told_locations);
	for (; server->told_locations < server->symbols->locations.count;
	     server->told_locations++) {
		const struct symbols_location *shown =
			&server->symbols->locations.items[server->told_locations]->shown;
		message_add(answer, shown->kind);
		message_add(answer, shown->object);
		message_add(answer, shown->line);
		message_add_text(answer, shown->name);
		message_add_text(answer, shown->function);
		message_add_text(answer, shown->file);
	}
}

static void tell_changes(struct server *server)
{
	struct symbols *symbols = server->symbols;

	message_add(&server->answer, symbols->generation);
	message_add(&server->answer, symbols_names_may_appear(symbols));
	tell_objects(server);
	tell_locations(server);
	message_add_bytes(&server->answer, symbols->changed.items,
			  symbols->changed.count * sizeof(*symbols->changed.items));
	symbols->changed.count = 0;
}

/* ---- arguments and results ---- */

static uint32_t number(struct server *server)
{
	return (uint32_t)message_take(&server->ask);
}

static const char *text(struct server *server)
{
	const char *taken = message_take_text(&server->ask);
	return taken ? taken : "";
}

static void add_result(struct server *server, int code, uint64_t value, const struct error *error)
{
	message_add(&server->body, (uint64_t)code);
	message_add(&server->body, value);
	message_add(&server->body, code ? (uint64_t)error->code : 0);
	message_add_text(&server->body, code ? error->text : NULL);
}

static void add_ranges(struct server *server, const struct range *ranges, size_t count)
{
	message_add_bytes(&server->body, ranges, count * sizeof(*ranges));
}

/* ---- objects ---- */

static void on_add_object(struct server *server)
{
	const char *path = text(server);
	bool in_scope = message_take(&server->ask), is_main = message_take(&server->ask);
	struct object_file file = {.content = server->fd, .identity = -1};
	struct error error = {0};
	uint32_t object = SYMBOLS_NONE;

	server->fd = -1;
	int code = symbols_add_file(server->symbols, path, &file, in_scope, &object, &error);
	if (!code)
		server->symbols->objects.items[object]->is_main = is_main;
	object_file_close(&file);
	add_result(server, code, object, &error);
}

static void on_forget_object(struct server *server)
{
	symbols_forget_object(server->symbols, number(server));
}

static void on_add_jit(struct server *server)
{
	struct error error = {0};
	uint32_t object = SYMBOLS_NONE;
	int code = symbols_add_jit(server->symbols, text(server), &object, &error);

	add_result(server, code, object, &error);
}

/* Where the kernel's code is: so the engine answers for each address itself. */
static void add_kernel_layout(struct server *server)
{
	const struct symbols *symbols = server->symbols;
	const struct object *vmlinux = symbols->vmlinux;
	uint64_t start = 0, end = 0;

	if (symbols->kallsyms)
		kallsyms_core(symbols->kallsyms, &start, &end);
	message_add(&server->body, start);
	message_add(&server->body, end);
	symbols_scheduler(symbols, &start, &end);
	message_add(&server->body, start);
	message_add(&server->body, end);
	message_add(&server->body, symbols->kernel ? symbols->kernel->id : SYMBOLS_NONE);
	message_add(&server->body, vmlinux ? vmlinux->id : SYMBOLS_NONE);
	for (size_t i = 0; vmlinux && i < vmlinux->code.count; i++) {
		const struct range *code = &vmlinux->code.items[i];
		uint64_t address = symbols_kernel_address(symbols, vmlinux->id, code->start);
		message_add(&server->body, code->start);
		message_add(&server->body, code->end);
		message_add(&server->body, address);
	}
}

static void on_add_kernel(struct server *server)
{
	const char *names = text(server);
	const char *vmlinux = message_take_text(&server->ask);
	bool is_in_scope = message_take(&server->ask);
	struct error error = {0};
	int code = symbols_add_kernel(server->symbols, names, vmlinux, is_in_scope, &error);

	add_result(server, code, 0, &error);
	add_kernel_layout(server);
}

static void on_refresh_kernel(struct server *server)
{
	uint64_t address = message_take(&server->ask);
	uint32_t newest = number(server);

	if (server->symbols->kallsyms)
		kallsyms_tell_newest(server->symbols->kallsyms, newest);
	symbols_refresh_kernel(server->symbols, address);
}

static void on_references(struct server *server)
{
	uint32_t object = number(server);
	message_add(&server->body, symbols_references(server->symbols, object, text(server)));
}

static void on_unwind_rows(struct server *server)
{
	struct unwind_row *rows;
	size_t count = symbols_unwind_rows(server->symbols, number(server), &rows);

	message_add_bytes(&server->body, rows, count * sizeof(*rows));
	free(rows);
}

/* ---- locations ---- */

static void on_system_call(struct server *server)
{
	message_add(&server->body, symbols_system_call(server->symbols, (int)number(server)));
}

static void on_wait_class(struct server *server)
{
	uint32_t class = number(server), at = number(server);
	message_add(&server->body, symbols_wait_class(server->symbols, class, at));
}

static void on_span(struct server *server)
{
	message_add(&server->body, symbols_span(server->symbols, text(server)));
}

static void on_process_name(struct server *server)
{
	message_add(&server->body, symbols_process_name(server->symbols, text(server)));
}

static void on_set(struct server *server)
{
	message_add(&server->body, symbols_set(server->symbols, text(server)));
}

static void on_location_at(struct server *server)
{
	uint32_t object = number(server);
	uint64_t offset = message_take(&server->ask);

	message_add(&server->body, symbols_location_at(server->symbols, object, offset));
}

/* As symbols_location_at and symbols_sampled_location are. */
typedef uint32_t locate(struct symbols *symbols, uint32_t object, uint64_t offset);

static void locate_all(struct server *server, locate *function)
{
	size_t count;
	const struct symbols_address *asked =
		message_take_items(&server->ask, sizeof(*asked), &count);
	uint32_t *locations = memory_new(count + 1, sizeof(*locations));

	for (size_t i = 0; i < count; i++)
		locations[i] = asked[i].object == SYMBOLS_NONE ?
				       SYMBOLS_NONE :
				       function(server->symbols, asked[i].object, asked[i].offset);
	message_add_bytes(&server->body, locations, count * sizeof(*locations));
	free(locations);
}

static void on_locations_at(struct server *server)
{
	locate_all(server, symbols_location_at);
}

static void on_sampled_locations(struct server *server)
{
	locate_all(server, symbols_sampled_location);
}

static void on_location_ranges(struct server *server)
{
	const struct range *ranges;
	uint32_t location = number(server);
	size_t count = symbols_location_ranges(server->symbols, location, &ranges);

	server->symbols->locations.items[location]->is_told = true;
	add_ranges(server, ranges, count);
	const struct symbols_address *calls;
	count = symbols_far_calls(server->symbols, location, &calls);
	for (size_t i = 0; i < count; i++) {
		message_add(&server->body, calls[i].object);
		message_add(&server->body, calls[i].offset);
	}
}

static void on_scope_ranges(struct server *server)
{
	const struct range *ranges;
	size_t count = symbols_scope_ranges(server->symbols, number(server), &ranges);

	add_ranges(server, ranges, count);
}

static void on_functions_at(struct server *server)
{
	uint32_t object = number(server), locations[FUNCTIONS_MOST];
	uint64_t offset = message_take(&server->ask), most = message_take(&server->ask);
	size_t count = symbols_functions_at(server->symbols, object, offset, locations,
					    most < FUNCTIONS_MOST ? most : FUNCTIONS_MOST);

	message_add_bytes(&server->body, locations, count * sizeof(*locations));
}

static void on_function_at(struct server *server)
{
	uint32_t object = number(server);
	uint64_t offset = message_take(&server->ask);

	message_add_text(&server->body, symbols_function_at(server->symbols, object, offset));
}

static void on_variable_at(struct server *server)
{
	uint32_t object = number(server);
	AUTO(text)
	char *name = symbols_variable_at(server->symbols, object, message_take(&server->ask));

	message_add_text(&server->body, name);
}

static void on_tail_location(struct server *server)
{
	uint32_t object = number(server);
	uint64_t offset = message_take(&server->ask);

	message_add(&server->body,
		    symbols_tail_location(server->symbols, object, offset, number(server)));
}

/* ---- searches ---- */

typedef int find_by_name(struct symbols *symbols, const char *name, uint32_t *location,
			 struct error *error);

static void find(struct server *server, find_by_name *function)
{
	struct error error = {0};
	uint32_t location = SYMBOLS_NONE;
	int code = function(server->symbols, text(server), &location, &error);

	add_result(server, code, location, &error);
}

static void on_find(struct server *server)
{
	find(server, symbols_find);
}

static void on_find_inclusive(struct server *server)
{
	find(server, symbols_find_inclusive);
}

static void on_find_kernel(struct server *server)
{
	find(server, symbols_find_kernel);
}

static void on_find_system_call(struct server *server)
{
	find(server, symbols_find_system_call);
}

static void on_find_pattern(struct server *server)
{
	const char *glob = text(server);
	struct error error = {0};
	int code = symbols_find_pattern(server->symbols, glob, message_take(&server->ask), &error);

	add_result(server, code, 0, &error);
}

static void add_addresses(struct server *server, struct symbols_addresses *addresses)
{
	message_add_bytes(&server->body, addresses->items,
			  addresses->count * sizeof(*addresses->items));
	array_free(addresses);
}

static void on_breakpoints(struct server *server)
{
	const char *name = text(server);
	struct symbols_addresses addresses = {0};
	struct error error = {0};
	int code = symbols_breakpoints(server->symbols, name, number(server), &addresses, &error);

	add_result(server, code, 0, &error);
	add_addresses(server, &addresses);
}

static void on_usdt(struct server *server)
{
	const char *provider = text(server);
	struct symbols_addresses addresses = {0};
	struct error error = {0};
	int code = symbols_usdt(server->symbols, provider, text(server), &addresses, &error);

	add_result(server, code, 0, &error);
	add_addresses(server, &addresses);
}

static void on_listing(struct server *server)
{
	uint32_t kind = number(server);
	AUTO(text) char *lines = listing_of(server->symbols, kind);

	message_add_text(&server->body, lines);
}

static void on_tail_calls(struct server *server)
{
	struct symbols_address call = {.object = number(server)}, callee;
	struct symbols_addresses between = {0};

	call.offset = message_take(&server->ask);
	callee.object = number(server);
	callee.offset = message_take(&server->ask);
	symbols_tail_calls(server->symbols, &call, &callee, &between);
	add_addresses(server, &between);
}

static void on_jumps_to(struct server *server)
{
	AUTO(text) char *names = symbols_jumps_to(server->symbols, number(server));

	message_add_text(&server->body, names);
}

static void on_tail_calls_of(struct server *server)
{
	size_t count;
	const struct symbols_call *asked = message_take_items(&server->ask, sizeof(*asked), &count);
	uint32_t *counts = memory_new(count + 1, sizeof(*counts));
	struct symbols_addresses between = {0};

	for (size_t i = 0; i < count; i++) {
		size_t before = between.count;
		if (asked[i].call.object != SYMBOLS_NONE && asked[i].callee.object != SYMBOLS_NONE)
			symbols_tail_calls(server->symbols, &asked[i].call, &asked[i].callee,
					   &between);
		counts[i] = (uint32_t)(between.count - before);
	}
	message_add_bytes(&server->body, counts, count * sizeof(*counts));
	add_addresses(server, &between);
	free(counts);
}

static void on_spin_loops(struct server *server)
{
	uint32_t object = number(server);
	uint64_t offset = message_take(&server->ask);
	struct range function = {0};
	struct ranges loops = {0}, helpers = {0};
	bool is_known =
		symbols_spin_loops(server->symbols, object, offset, &function, &loops, &helpers);

	message_add(&server->body, is_known);
	add_ranges(server, &function, 1);
	add_ranges(server, loops.items, loops.count);
	add_ranges(server, helpers.items, helpers.count);
	ranges_clear(&loops);
	ranges_clear(&helpers);
}

static void on_retry_loops(struct server *server)
{
	uint32_t object = number(server);
	uint64_t offset = message_take(&server->ask);
	struct range function = {0};
	struct ranges loops = {0};
	bool is_known = symbols_retry_loops(server->symbols, object, offset, &function, &loops);

	message_add(&server->body, is_known);
	add_ranges(server, &function, 1);
	add_ranges(server, loops.items, loops.count);
	ranges_clear(&loops);
}

/* ---- Python ---- */

static void on_python(struct server *server)
{
	struct symbols_python found = {0};
	enum symbols_python_state state = symbols_python(server->symbols, number(server), &found);

	message_add(&server->body, state);
	message_add_bytes(&server->body, &found, sizeof(found));
}

static void on_see_through(struct server *server)
{
	symbols_see_through(server->symbols, number(server));
}

static void on_add_python_code(struct server *server)
{
	struct symbols_python_code code = {.number = number(server)};

	code.file = message_take_text(&server->ask);
	code.name = message_take_text(&server->ask);
	code.first_line = number(server);
	code.bytes = number(server);
	code.lines = message_take_items(&server->ask, 1, &code.lines_bytes);
	symbols_add_python_code(server->symbols, &code);
}

static void on_python_object(struct server *server)
{
	message_add(&server->body, symbols_python_object(server->symbols));
}

/* ---- the loop ---- */

static void (*const operations[OPERATIONS])(struct server *server) = {
	[OPERATION_ADD_OBJECT] = on_add_object,
	[OPERATION_ADD_JIT] = on_add_jit,
	[OPERATION_ADD_KERNEL] = on_add_kernel,
	[OPERATION_REFRESH_KERNEL] = on_refresh_kernel,
	[OPERATION_SYSTEM_CALL] = on_system_call,
	[OPERATION_FIND_SYSTEM_CALL] = on_find_system_call,
	[OPERATION_WAIT_CLASS] = on_wait_class,
	[OPERATION_SPAN] = on_span,
	[OPERATION_PROCESS_NAME] = on_process_name,
	[OPERATION_SET] = on_set,
	[OPERATION_LOCATION_AT] = on_location_at,
	[OPERATION_LOCATIONS_AT] = on_locations_at,
	[OPERATION_SAMPLED_LOCATIONS] = on_sampled_locations,
	[OPERATION_LOCATION_RANGES] = on_location_ranges,
	[OPERATION_SCOPE_RANGES] = on_scope_ranges,
	[OPERATION_FIND] = on_find,
	[OPERATION_FIND_INCLUSIVE] = on_find_inclusive,
	[OPERATION_FIND_KERNEL] = on_find_kernel,
	[OPERATION_FIND_PATTERN] = on_find_pattern,
	[OPERATION_BREAKPOINTS] = on_breakpoints,
	[OPERATION_USDT] = on_usdt,
	[OPERATION_LISTING] = on_listing,
	[OPERATION_FUNCTIONS_AT] = on_functions_at,
	[OPERATION_FUNCTION_AT] = on_function_at,
	[OPERATION_UNWIND_ROWS] = on_unwind_rows,
	[OPERATION_SPIN_LOOPS] = on_spin_loops,
	[OPERATION_RETRY_LOOPS] = on_retry_loops,
	[OPERATION_TAIL_CALLS] = on_tail_calls,
	[OPERATION_TAIL_CALLS_OF] = on_tail_calls_of,
	[OPERATION_TAIL_LOCATION] = on_tail_location,
	[OPERATION_JUMPS_TO] = on_jumps_to,
	[OPERATION_REFERENCES] = on_references,
	[OPERATION_VARIABLE_AT] = on_variable_at,
	[OPERATION_PYTHON] = on_python,
	[OPERATION_SEE_THROUGH] = on_see_through,
	[OPERATION_ADD_PYTHON_CODE] = on_add_python_code,
	[OPERATION_PYTHON_OBJECT] = on_python_object,
	[OPERATION_FORGET_OBJECT] = on_forget_object,
};

void parser_serve(int socket, struct symbols *symbols)
{
	struct server server = {.symbols = symbols, .fd = -1};
	uint64_t kind;

	if (message_send(socket, MESSAGE_READY, &server.ask, -1, NULL))
		return;
	while (!message_receive(socket, &kind, &server.ask, &server.fd, NULL)) {
		uint64_t operation = message_take(&server.ask);
		message_empty(&server.body);
		message_empty(&server.answer);
		if (operation >= OPERATIONS)
			return;
		operations[operation](&server);
		if (server.fd >= 0)
			close(server.fd);
		tell_changes(&server);
		message_append(&server.answer, &server.body);
		if (message_send(socket, MESSAGE_ANSWER, &server.answer, -1, NULL))
			return;
	}
}

/* ---- files; in a signal handler, so without an allocation ---- */

static bool move_all(bool is_send, void *bytes, size_t size, struct msghdr *message)
{
	struct iovec part;

	for (char *at = bytes; size;) {
		part = (struct iovec){.iov_base = at, .iov_len = size};
		message->msg_iov = &part;
		message->msg_iovlen = 1;
		ssize_t moved = is_send ? sendmsg(SANDBOX_DESCRIPTOR, message, MSG_NOSIGNAL) :
					  recvmsg(SANDBOX_DESCRIPTOR, message, MSG_CMSG_CLOEXEC);
		if (moved < 0 && errno == EINTR)
			continue;
		if (moved <= 0)
			return false;
		at += moved;
		size -= (size_t)moved;
		message->msg_control = NULL;
		message->msg_controllen = 0;
	}
	return true;
}

int parser_ask_for_file(const char *path, int flags)
{
	struct {
		struct message_header header;
		uint64_t code;
	} answer;
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr aligned;
	} control = {0};
	struct message_header header = {.bytes = strlen(path) + 1, .kind = MESSAGE_OPEN};
	struct msghdr none = {0};
	struct msghdr with_file = {.msg_control = &control, .msg_controllen = sizeof(control)};
	int fd;

	if ((flags & O_ACCMODE) != O_RDONLY)
		return -EACCES;
	if (broker_refuses(path))
		return -ENOENT;
	if (!move_all(true, &header, sizeof(header), &none) ||
	    !move_all(true, (void *)(uintptr_t)path, header.bytes, &none) ||
	    !move_all(false, &answer.header, 1, &with_file))
		_exit(1);
	bool has_file = control.aligned.cmsg_type == SCM_RIGHTS;
	memcpy(&fd, CMSG_DATA(&control.aligned), sizeof(fd));
	if (!move_all(false, (char *)&answer + 1, sizeof(answer) - 1, &none))
		_exit(1);
	return has_file ? fd : (int)answer.code;
}
