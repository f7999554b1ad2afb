/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * answers - what the parser tells the engine, when a hostile binary has taken it over.
 *
 * A case is a list of answers: their length (2 bytes), their bytes. Each question gets the next.
 */
#include "fuzz.h"

#include "base/cleanup.h"
#include "symbolize/batches.h"
#include "symbolize/internal.h"
#include "symbolize/parser/parser.h"
#include "symbolize/scope.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define NO_PROCESS 0x7ffffff0 /* more than the kernel's PID_MAX_LIMIT */

struct liar {
	int socket;
	const uint8_t *bytes;
	size_t left;
};

static void send_all(int socket, const void *bytes, size_t size)
{
	if (send(socket, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT) != (ssize_t)size)
		shutdown(socket, SHUT_RDWR);
}

/* The next answer, before it is asked for; the question is taken out of the way. */
static void prepare(struct liar *liar)
{
	struct message_header header = {.kind = MESSAGE_ANSWER};
	char question[4096];
	uint16_t size = 0;

	while (recv(liar->socket, question, sizeof(question), MSG_DONTWAIT) > 0)
		;
	if (liar->left < sizeof(size)) {
		shutdown(liar->socket, SHUT_RDWR);
		return;
	}
	memcpy(&size, liar->bytes, sizeof(size));
	liar->bytes += sizeof(size);
	liar->left -= sizeof(size);
	header.bytes = size < liar->left ? size : liar->left;
	send_all(liar->socket, &header, sizeof(header));
	if (header.bytes)
		send_all(liar->socket, liar->bytes, header.bytes);
	liar->bytes += header.bytes;
	liar->left -= header.bytes;
}

static void check_location(const struct symbols *symbols, uint32_t location)
{
	if (location != SYMBOLS_NONE && !symbols_location(symbols, location)->name)
		abort();
}

static void check_addresses(const struct symbols *symbols, struct symbols_addresses *addresses)
{
	for (size_t i = 0; i < addresses->count; i++)
		if (!symbols_object(symbols, addresses->items[i].object)->path)
			abort();
	array_free(addresses);
}

static void ask_of_code(struct symbols *symbols, struct liar *liar, uint32_t object)
{
	struct symbols_addresses addresses = {0};
	struct range function;
	struct ranges loops = {0}, helpers = {0};
	const struct range *ranges;
	struct unwind_row *rows;
	uint32_t found[4];

	prepare(liar);
	check_location(symbols, symbols_location_at(symbols, object, 64));
	prepare(liar);
	size_t count = symbols_functions_at(symbols, object, 1, found, 4);
	for (size_t i = 0; i < count; i++)
		check_location(symbols, found[i]);
	prepare(liar);
	if (!symbols_function_at(symbols, object, 7))
		abort();
	prepare(liar);
	symbols_unwind_rows(symbols, object, &rows);
	free(rows);
	prepare(liar);
	symbols_spin_loops(symbols, object, 1, &function, &loops, &helpers);
	ranges_clear(&loops);
	ranges_clear(&helpers);
	prepare(liar);
	symbols_scope_ranges(symbols, object, &ranges);
	prepare(liar);
	free(symbols_variable_at(symbols, object, 3));
	prepare(liar);
	symbols_tail_calls(symbols, &(struct symbols_address){.object = object},
			   &(struct symbols_address){.object = object}, &addresses);
	check_addresses(symbols, &addresses);
}

static void ask_of_many(struct symbols *symbols, struct liar *liar, uint32_t object)
{
	const struct symbols_address addresses[] = {{.object = object},
						    {.object = object, .offset = 64}};
	const struct symbols_call calls[] = {{addresses[0], addresses[1]},
					     {addresses[1], addresses[0]}};
	struct symbols_addresses between = {0};
	uint32_t locations[2] = {SYMBOLS_NONE, SYMBOLS_NONE}, counts[2] = {0};

	prepare(liar);
	symbols_locations_at(symbols, addresses, 2, locations);
	check_location(symbols, locations[0]);
	check_location(symbols, locations[1]);
	prepare(liar);
	symbols_tail_calls_of(symbols, calls, 2, &between, counts);
	if (counts[0] + counts[1] != between.count)
		abort();
	check_addresses(symbols, &between);
}

static void ask_by_name(struct symbols *symbols, struct liar *liar)
{
	struct symbols_addresses addresses = {0};
	struct error error;
	const struct range *ranges;
	uint32_t location, kernel;
	uint64_t offset;

	prepare(liar);
	if (!symbols_find(symbols, "work", &location, &error))
		check_location(symbols, location);
	prepare(liar);
	symbols_breakpoints(symbols, "work", SYMBOLS_NONE, &addresses, &error);
	check_addresses(symbols, &addresses);
	prepare(liar);
	check_location(symbols, symbols_system_call(symbols, 1));
	prepare(liar);
	symbols_add_kernel(symbols, "/proc/kallsyms", NULL, true, &error);
	if (symbols_kernel_offset(symbols, 4096, &kernel, &offset) &&
	    !symbols_object(symbols, kernel)->path)
		abort();
	for (uint32_t i = 0; i < symbols_location_count(symbols) && i < 16; i++) {
		prepare(liar);
		symbols_location_ranges(symbols, i, &ranges);
	}
}

static void ask(struct symbols *symbols, struct liar *liar)
{
	struct symbols_python python;
	struct error error;
	uint32_t object;

	prepare(liar);
	if (symbols_add_object(symbols, "/proc/self/exe", NULL, true, &object, &error))
		return;
	ask_by_name(symbols, liar);
	ask_of_code(symbols, liar, object);
	prepare(liar);
	symbols_python(symbols, object, &python);
	ask_of_many(symbols, liar, object);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct scope *scope = scope_new();
	struct symbols *symbols = symbols_new(TARGET_LINE, scope);
	struct message_header ready = {.kind = MESSAGE_READY};
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		abort();
	struct liar liar = {.socket = ends[1], .bytes = bytes, .left = size};
	send_all(liar.socket, &ready, sizeof(ready));
	symbols->parser = parser_new(ends[0], NO_PROCESS, scope);
	if (symbols->parser)
		ask(symbols, &liar);
	symbols_free(symbols);
	close(liar.socket);
	scope_free(scope);
	return 0;
}
