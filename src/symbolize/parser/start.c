/* SPDX-License-Identifier: BSD-2-Clause */
/* start - the parser as a child of the engine, which begins to serve without any rights. */
#include "symbolize/parser/start.h"

#include "base/cleanup.h"
#include "symbolize/internal.h"
#include "symbolize/object/brokered.h"
#include "symbolize/parser/parser.h"
#include "symbolize/parser/sandbox.h"
#include "symbolize/parser/server.h"

#include <sys/prctl.h>
#include <sys/socket.h>

static _Noreturn void run_parser(int socket, pid_t engine, enum target_kind granularity,
				 const struct scope *scope)
{
	prctl(PR_SET_NAME, "lever-parser");
	setsid(); /* what the terminal sends to the engine's group is not for this process */
	unsetenv("DEBUGINFOD_URLS"); /* the engine asks them */
	bool is_safe = !sandbox_enter(socket, parser_ask_for_file);
	if (!is_safe || getppid() != engine)
		_exit(1);
	broker_use();
	parser_serve(SANDBOX_DESCRIPTOR, symbols_new(granularity, scope));
	_exit(0);
}

static struct parser *start_parser(enum target_kind granularity, const struct scope *scope)
{
	int ends[2];
	pid_t engine = getpid();

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return NULL;
	pid_t pid = fork();
	if (!pid)
		run_parser(ends[1], engine, granularity, scope);
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		return NULL;
	}
	return parser_new(ends[0], pid, scope);
}

struct symbols *symbols_start(enum target_kind granularity, const struct scope *scope)
{
	struct symbols *symbols = symbols_new(granularity, scope);

	symbols->parser = start_parser(granularity, scope);
	return symbols;
}

const char *symbols_warning(const struct symbols *symbols)
{
	return symbols->parser ? parser_warning(symbols->parser) : NULL;
}

pid_t symbols_process(const struct symbols *symbols)
{
	return symbols->parser && !symbols->parser->ended ? symbols->parser->pid : 0;
}
