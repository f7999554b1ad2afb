/* SPDX-License-Identifier: BSD-2-Clause */
/* parser - questions, answers, files that are asked for meanwhile, and the process's end. */
#include "symbolize/parser/parser.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/text.h"
#include "symbolize/object/brokered.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

/* Reading the largest binaries takes a minute. */
#define PATIENCE_S 120
/* For one question with all files that are opened for it; a server's answer counts as a second. */
#define QUESTION_TIMES 4
#define FETCH_NS 1000000000ull
#define PATIENCE_VARIABLE "LEVER_PARSER_SECONDS"

const char *parser_warning(const struct parser *parser)
{
	return parser->ended ? parser->ended : parser->warning;
}

/* How the process ended; it is killed if it did not. To be freed. */
static char *end_process(struct parser *parser)
{
	int status = 0;

	/* It ends when the socket closes, unless it is busy or stopped. */
	close(parser->socket);
	bool has_ended = waitpid(parser->pid, &status, WNOHANG) == parser->pid;
	if (!has_ended) {
		kill(parser->pid, SIGKILL);
		waitpid(parser->pid, &status, 0);
	}
	parser->socket = -1;
	if (WIFSIGNALED(status))
		return text_format("was ended by signal %d (%s)", WTERMSIG(status),
				   strsignal(WTERMSIG(status)));
	return text_format("ended with code %d", WEXITSTATUS(status));
}

void parser_free(struct parser *parser)
{
	if (!parser)
		return;
	if (!parser->ended)
		free(end_process(parser));
	starter_end(&parser->starter);
	free(parser->ended);
	free(parser->warning);
	parser_clear_code(parser);
	broker_clear(&parser->broker);
	message_free(&parser->ask);
	message_free(&parser->answer);
	free(parser);
}

static struct message_patience patience_of(const struct parser *parser)
{
	uint64_t silence_ns = parser->patience_s * 1000000000ull;

	return (struct message_patience){.silence_ns = silence_ns,
					 .left_ns = QUESTION_TIMES * silence_ns};
}

static bool is_ready(struct parser *parser)
{
	struct message_patience of_start = patience_of(parser);
	uint64_t kind;

	return !message_receive(parser->socket, &kind, &parser->answer, NULL, &of_start) &&
	       kind == MESSAGE_READY;
}

struct parser *parser_new(int socket, pid_t pid, const struct scope *scope)
{
	struct parser *parser = memory_new(1, sizeof(*parser));
	const char *patience = getenv(PATIENCE_VARIABLE);

	parser->socket = socket;
	parser->pid = pid;
	parser->scope = scope;
	parser->patience_s = patience ? (unsigned)strtoul(patience, NULL, 10) : 0;
	if (!parser->patience_s)
		parser->patience_s = PATIENCE_S;
	parser->generation = 1;
	parser->python_object = SYMBOLS_NONE;
	parser->kernel.object = parser->kernel.vmlinux = SYMBOLS_NONE;
	parser->adding = SYMBOLS_NONE;
	if (is_ready(parser))
		return parser;
	parser_free(parser);
	return NULL;
}

static void give_up(struct parser *parser, int code, const char *about)
{
	siginfo_t already = {0};

	/* Its socket closes a moment before it can be waited for. */
	if (code == -EPIPE)
		waitid(P_PID, (id_t)parser->pid, &already, WEXITED | WNOWAIT);
	AUTO(text) char *how = end_process(parser);
	AUTO(text) char *silent = text_format("did not answer for %u s", parser->patience_s);
	const char *why = code == -ETIME   ? silent :
			  code == -EBADMSG ? "gave an impossible answer" :
					     how;
	parser->ended = text_format(
		"the process that reads binaries %s%s%s; code that it had not read yet is told by "
		"addresses",
		why, about ? " while it read " : "", about ? about : "");
}

void parser_distrust(struct parser *parser)
{
	if (!parser->ended)
		give_up(parser, -EBADMSG, NULL);
}

void parser_begin(struct parser *parser, enum operation operation)
{
	message_empty(&parser->ask);
	message_add(&parser->ask, operation);
}

static int hand_file_over(struct parser *parser, struct message_patience *patience)
{
	struct message *asked = &parser->answer;
	bool is_text = asked->count && !asked->bytes[asked->count - 1];
	const char *path = is_text ? (const char *)asked->bytes : "";
	uint64_t begin_ns = clock_now_ns();
	AUTO(fd) int fd = is_text ? broker_open(&parser->broker, path) : -EINVAL;
	uint64_t spent_ns = clock_now_ns() - begin_ns;
	bool is_fetched = text_starts_with(path, BROKER_FETCH) && spent_ns > FETCH_NS;

	message_patience_spend(patience, is_fetched ? FETCH_NS : spent_ns);
	message_empty(&parser->ask);
	message_add(&parser->ask, (uint64_t)(fd < 0 ? fd : 0));
	int code = message_send(parser->socket, MESSAGE_FILE, &parser->ask, fd < 0 ? -1 : fd,
				patience);
	if (fd < 0)
		fd = -1;
	return code;
}

/* A file that is shortened while it is read ends the process, as one that is made for it does. */
static void note_end(struct parser *parser, const char *about)
{
	for (size_t i = 0; i < parser->objects.count && about; i++) {
		struct parsed_object *object = parser->objects.items[i];
		object->ends += !strcmp(object->shown.path, about);
	}
}

bool parser_ask(struct parser *parser, const char *about, int fd)
{
	struct message_patience patience = patience_of(parser);
	uint64_t kind = MESSAGE_OPEN;

	if (parser->ended)
		return false;
	int code = message_send(parser->socket, MESSAGE_ASK, &parser->ask, fd, &patience);
	while (!code && kind == MESSAGE_OPEN) {
		code = message_receive(parser->socket, &kind, &parser->answer, NULL, &patience);
		if (!code && kind == MESSAGE_OPEN)
			code = hand_file_over(parser, &patience);
	}
	if (!code && kind != MESSAGE_ANSWER)
		code = -EBADMSG;
	if (code) {
		note_end(parser, about);
		give_up(parser, code, about);
		return false;
	}
	parser_take_changes(parser);
	if (parser->answer.is_short)
		parser_distrust(parser);
	return !parser->ended;
}

int parser_no_answer(const struct parser *parser, struct error *error)
{
	return error_set(error, EIO, "%s", parser->ended);
}

int parser_take_result(struct parser *parser, uint64_t *value, struct error *error)
{
	int code = (int)message_take(&parser->answer);

	*value = message_take(&parser->answer);
	int error_code = (int)message_take(&parser->answer);
	const char *sentence = message_take_text(&parser->answer);
	if (parser->answer.is_short || code > 0) {
		parser_distrust(parser);
		return parser_no_answer(parser, error);
	}
	if (code)
		error_set(error, error_code, "%s", sentence ? sentence : "");
	return code;
}

void parser_renew(struct parser *parser, int socket, pid_t pid)
{
	if (parser->ended && !parser->warning)
		parser->warning =
			text_format("%s until another process took its place", parser->ended);
	if (!parser->ended)
		free(end_process(parser));
	free(parser->ended);
	parser->ended = NULL;
	parser_forget_code(parser);
	broker_clear(&parser->broker);
	parser->broker = (struct broker){0};
	parser->socket = socket;
	parser->pid = pid;
	if (!is_ready(parser))
		give_up(parser, -EPIPE, NULL);
	for (size_t i = 0; i < parser->python_codes.count && !parser->ended; i++) {
		message_empty(&parser->ask);
		message_append(&parser->ask, &parser->python_codes.items[i]);
		parser_ask(parser, NULL, -1);
	}
}
