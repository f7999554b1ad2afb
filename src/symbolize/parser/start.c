/* SPDX-License-Identifier: BSD-2-Clause */
/* start - the parser as a child of the engine, which begins to serve without any rights. */
#include "symbolize/parser/start.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "symbolize/internal.h"
#include "symbolize/object/brokered.h"
#include "symbolize/parser/parser.h"
#include "symbolize/parser/sandbox.h"
#include "symbolize/parser/server.h"

#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define RENEW_BYTES (128ull << 20)
#define RENEW_VARIABLE "LEVER_PARSER_MEGABYTES"
#define RENEW_NAMES (1u << 19) /* locations and functions that the engine keeps */
#define RENEW_AGAIN_NS 60000000000ull
#define REPLACE_AGAIN_NS 10000000000ull /* of processes that end: a hostile file may end each */
#define REPLACE_MOST 100

struct parser_start {
	pid_t engine;
	enum target_kind granularity;
	bool is_by_address;
	const struct scope *scope;
};

static _Noreturn void run_parser(int socket, const struct parser_start *start)
{
	prctl(PR_SET_NAME, "lever-parser");
	setsid(); /* what the terminal sends to the engine's group is not for this process */
	unsetenv("DEBUGINFOD_URLS"); /* the engine asks them */
	bool is_safe = !sandbox_enter(socket, parser_ask_for_file);
	if (!is_safe || getppid() != start->engine)
		_exit(1);
	broker_use();
	struct symbols *symbols = symbols_new(start->granularity, start->scope);
	symbols->is_by_address = start->is_by_address;
	parser_serve(SANDBOX_DESCRIPTOR, symbols);
	_exit(0);
}

static struct parser_start start_of(const struct symbols *symbols)
{
	return (struct parser_start){getpid(), symbols->granularity, symbols->is_by_address,
				     symbols->sources.scope};
}

static void run_later(void *context, int socket)
{
	run_parser(socket, context);
}

/*
 * Its number, and the engine's end of the socket; negative: it was not started. Without a starter
 * it begins with the engine's memory.
 */
static pid_t start_process(const struct symbols *symbols, struct starter *starter, int *socket)
{
	int ends[2];
	struct parser_start start = start_of(symbols);

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return -1;
	pid_t pid = starter ? starter_ask(starter, ends[1]) : -1;
	if (pid < 0)
		pid = fork();
	if (!pid)
		run_later(&start, ends[1]);
	close(ends[1]);
	if (pid < 0)
		close(ends[0]);
	*socket = ends[0];
	return pid;
}

/* Memory that it shares with no file, but with the engine right after a fork; 0: unknown. */
static uint64_t own_bytes(const struct parser *parser)
{
	AUTO(text) char *path = text_format("/proc/%d/statm", (int)parser->pid);
	AUTO(text) char *sizes = file_read(path, NULL, NULL);
	unsigned long long resident = 0, shared = 0;

	if (!sizes || sscanf(sizes, "%*u %llu %llu", &resident, &shared) != 2 || resident < shared)
		return 0;
	return (resident - shared) * (uint64_t)sysconf(_SC_PAGESIZE);
}

static struct symbols *start_symbols(enum target_kind granularity, bool is_by_address,
				     const struct scope *scope)
{
	struct symbols *symbols = symbols_new(granularity, scope);
	int socket;

	symbols->is_by_address = is_by_address;
	pid_t pid = start_process(symbols, NULL, &socket);

	symbols->parser = pid < 0 ? NULL : parser_new(socket, pid, scope);
	if (symbols->parser)
		symbols->parser->first_bytes = own_bytes(symbols->parser);
	return symbols;
}

struct symbols *symbols_start(enum target_kind granularity, const struct scope *scope)
{
	return start_symbols(granularity, false, scope);
}

struct symbols *symbols_start_renewable(enum target_kind granularity, const struct scope *scope)
{
	struct symbols *symbols = start_symbols(granularity, true, scope);
	struct parser_start start = start_of(symbols);

	/* The context is copied with the process. */
	if (symbols->parser)
		starter_begin(&symbols->parser->starter, run_later, &start);
	return symbols;
}

static uint64_t bytes_at_first(void)
{
	const char *asked = getenv(RENEW_VARIABLE);
	uint64_t megabytes = asked ? strtoull(asked, NULL, 10) : 0;

	return megabytes ? megabytes << 20 : RENEW_BYTES;
}

static bool is_large(struct parser *parser)
{
	if (!parser->most_bytes)
		parser->most_bytes = bytes_at_first();
	return own_bytes(parser) > parser->first_bytes + parser->most_bytes ||
	       parser->locations.count + parser->functions.count > RENEW_NAMES;
}

static bool renew(struct symbols *symbols)
{
	struct parser *parser = symbols->parser;
	int socket;

	pid_t pid = start_process(symbols, &parser->starter, &socket);
	if (pid < 0)
		return false;
	parser_renew(parser, socket, pid);
	parser->first_bytes = own_bytes(parser);
	return true;
}

bool symbols_renew(struct symbols *symbols)
{
	struct parser *parser = symbols->parser;

	return parser && !parser->ended && !parser->kernel.is_known && renew(symbols);
}

static bool may_replace(const struct parser *parser, uint64_t now)
{
	return parser->starter.pid && !parser->kernel.is_known && parser->replaced < REPLACE_MOST &&
	       now - parser->began_ns >= REPLACE_AGAIN_NS;
}

bool symbols_renew_if_needed(struct symbols *symbols)
{
	struct parser *parser = symbols->parser;
	uint64_t now = clock_now_ns();

	if (!parser || (parser->ended ? !may_replace(parser, now) : !is_large(parser)))
		return false;
	/* What it needs all the time takes so much: to read that again and again helps nothing. */
	if (!parser->ended && now - parser->began_ns < RENEW_AGAIN_NS)
		parser->most_bytes *= 2;
	parser->replaced += parser->ended != NULL;
	parser->began_ns = now;
	return renew(symbols);
}

const char *symbols_warning(const struct symbols *symbols)
{
	return symbols->parser ? parser_warning(symbols->parser) : NULL;
}

pid_t symbols_process(const struct symbols *symbols)
{
	return symbols->parser && !symbols->parser->ended ? symbols->parser->pid : 0;
}
