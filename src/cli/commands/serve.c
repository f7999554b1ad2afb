/* SPDX-License-Identifier: BSD-2-Clause */
/* serve - `lever serve`: reads the profile anew for each request, and writes a report of it. */
#include "cli/commands/serve.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/text.h"
#include "cli/commands/commands.h"
#include "cli/commands/report_files.h"
#include "cli/options/command_line.h"
#include "cli/options/values.h"
#include "cli/output/message.h"
#include "driver/interruption.h"
#include "profile/archive.h"
#include "profile/profile_file.h"
#include "report/formats.h"
#include "report/html.h"
#include "report/prometheus.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define STATUS_BAD_REQUEST 400
#define STATUS_NOT_FOUND 404
#define STATUS_UNAVAILABLE 503
#define ROWS_MOST 20
#define LINGER_US 100000
#define LINGER_STEPS 40        /* four seconds: a page asks every two */
#define VISITED_NS 5000000000u /* a page that asked so lately is still open */
#define TOKEN_LEAST 16

struct serve {
	struct serve_options options;
	struct http_server *server;
	atomic_bool is_over;
	_Atomic uint64_t visited_ns, visits; /* of the live page */
};

CLEANUP_DEFINE(recording, struct recording *, recording_free, NULL)

/* Of the last run that the format can show, else -1. */
static int kind_of(const struct recording *recording, const struct report_format *format)
{
	for (size_t i = recording->runs.count; i--;)
		if (format->write[recording->runs.items[i].kind])
			return (int)recording->runs.items[i].kind;
	return -1;
}

static void write_recording(FILE *out, struct recording *recording, enum run_kind kind,
			    const struct report_format *format)
{
	const struct samples_filter filter = {.classes = SAMPLES_ALL_CLASSES};
	struct report report = {.recording = recording,
				.options = {.columns = 100, .most = ROWS_MOST}};

	recording_keep(recording, kind);
	if (kind == RUN_SCALE)
		recording_keep_session(recording);
	report_analyze(&report, kind, &filter);
	format->write[kind](out, &report);
	report_release(&report);
}

static void answer_problem(struct http_response *response, unsigned status, const char *sentence)
{
	http_answer_text(response, status, text_format("%s\n", sentence));
}

static const char *type_of(const struct report_format *format)
{
	return !strcmp(format->name, "html")       ? "text/html; charset=utf-8" :
	       !strcmp(format->name, "prometheus") ? "text/plain; version=0.0.4; charset=utf-8" :
	       strstr(format->suffix, "json")      ? "application/json" :
	       format->is_for_terminal             ? "text/plain; charset=utf-8" :
						     "application/octet-stream";
}

/* Writes the report into the response; `more`, if any, is called behind it. */
static void answer_report(const struct serve *serve, const struct report_range *range,
			  const struct report_format *format,
			  void (*more)(FILE *out, const struct serve *serve),
			  struct http_response *response)
{
	AUTO(recording) struct recording *recording = NULL;
	struct error error = {0};

	if (report_files_read(serve->options.path, range, &recording, &error)) {
		answer_problem(response, STATUS_UNAVAILABLE, error.text);
		return;
	}
	int kind = kind_of(recording, format);
	if (kind < 0) {
		answer_problem(response, STATUS_UNAVAILABLE,
			       "nothing of that kind is recorded yet");
		return;
	}
	FILE *out = open_memstream(&response->content, &response->size);
	if (!out) {
		answer_problem(response, STATUS_UNAVAILABLE, strerror(errno));
		return;
	}
	write_recording(out, recording, (enum run_kind)kind, format);
	if (more)
		more(out, serve);
	fclose(out);
	response->type = type_of(format);
}

/* The text with `old`, which stands in it once, replaced. */
static void replace(struct http_response *response, const char *old, const char *new)
{
	char *found = memmem(response->content, response->size, old, strlen(old));
	char *text;
	size_t size;
	FILE *out = found ? open_memstream(&text, &size) : NULL;

	if (!out)
		return;
	fwrite(response->content, 1, (size_t)(found - response->content), out);
	fputs(new, out);
	found += strlen(old);
	fwrite(found, 1, response->size - (size_t)(found - response->content), out);
	fclose(out);
	free(response->content);
	response->content = text;
	response->size = size;
}

#define GENERATOR "<meta name=\"generator\" content=\"lever\">"

/* The page may ask its server for its own address, and knows that it is renewed. */
static void make_live(const struct serve *serve, struct http_response *response)
{
	bool is_over = atomic_load(&serve->is_over);

	replace(response, "default-src 'none'; ", "default-src 'none'; connect-src 'self'; ");
	replace(response, GENERATOR,
		is_over ? GENERATOR "<meta name=\"lever-live\" content=\"over\">" :
			  GENERATOR "<meta name=\"lever-live\" content=\"on\">");
}

static const char waiting[] =
	"<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta http-equiv=\"refresh\" "
	"content=\"2\"><title>Lever</title><p>Nothing is recorded yet; this page renews itself.\n";

static void answer_page(struct serve *serve, struct http_response *response)
{
	const struct report_range all = {.is_quiet = true};

	if (!html_is_built()) {
		answer_problem(response, STATUS_NOT_FOUND, MESSAGE_NO_PAGE);
		return;
	}
	answer_report(serve, &all, &report_formats[report_format_find("html")], NULL, response);
	if (!serve->options.is_live)
		return;
	atomic_store(&serve->visited_ns, clock_now_ns());
	atomic_fetch_add(&serve->visits, 1);
	if (response->status == STATUS_UNAVAILABLE) {
		free(response->content);
		http_answer_text(response, 200, text_copy(waiting));
		response->type = "text/html; charset=utf-8";
		return;
	}
	make_live(serve, response);
}

/* The format of the parameter; NULL: the response tells what is wrong. */
static const struct report_format *wanted_format(const struct http_request *request,
						 struct http_response *response)
{
	const char *name = http_parameter(request, "format");

	for (size_t i = 0; name && report_format_names[i]; i++)
		if (!strcmp(name, report_format_names[i]))
			return &report_formats[i];
	AUTO(text) char *list = text_copy("format is one of");
	for (size_t i = 0; report_format_names[i]; i++) {
		AUTO(text) char *before = list;
		list = text_format("%s %s", before, report_format_names[i]);
	}
	answer_problem(response, STATUS_BAD_REQUEST, list);
	return NULL;
}

/* False: the response tells what is wrong. */
static bool wanted_range(const struct http_request *request, struct report_range *range,
			 struct http_response *response)
{
	const char *from = http_parameter(request, "from"), *to = http_parameter(request, "to");
	struct error error = {0};

	*range = (struct report_range){.is_quiet = true};
	if ((!from || !report_set_time(NULL, &range->from_s, from, &error)) &&
	    (!to || !report_set_time(NULL, &range->to_s, to, &error)))
		return true;
	answer_problem(response, STATUS_BAD_REQUEST, error.text);
	return false;
}

static void answer_wanted(const struct serve *serve, const struct http_request *request,
			  const struct report_format *format, struct http_response *response)
{
	struct report_range range;

	if (format && wanted_range(request, &range, response))
		answer_report(serve, &range, format, NULL, response);
}

/* Of the folder: how many recordings, and their bytes. */
static void put_archive(FILE *out, const struct serve *serve)
{
	struct archive archive = {0};
	double bytes = 0;
	struct stat found;

	if (stat(serve->options.path, &found) || !S_ISDIR(found.st_mode) ||
	    archive_read(serve->options.path, &archive, NULL))
		return;
	for (size_t i = 0; i < archive.files.count; i++)
		if (!stat(archive.files.items[i].path, &found))
			bytes += (double)found.st_size;
	prometheus_begin(out, "lever_archive_recordings", "Recordings in the folder.");
	prometheus_put(out, "lever_archive_recordings", NULL, (double)archive.files.count);
	prometheus_begin(out, "lever_archive_bytes", "Bytes of the recordings in the folder.");
	prometheus_put(out, "lever_archive_bytes", NULL, bytes);
	archive_release(&archive);
}

/* A recording that goes on has a log beside its file (SQLite's WAL). */
static bool goes_on(const struct archive_file *file)
{
	AUTO(text) char *log = text_format("%s-wal", file->path);

	return !access(log, F_OK);
}

/* Of a folder: the last recording that is complete. */
static void answer_metrics(const struct serve *serve, struct http_response *response)
{
	struct report_range range = {.is_quiet = true};
	struct archive archive = {0};
	struct stat found;

	if (!stat(serve->options.path, &found) && S_ISDIR(found.st_mode) &&
	    !archive_read(serve->options.path, &archive, NULL)) {
		size_t complete = archive.files.count;
		if (complete && goes_on(&archive.files.items[complete - 1]))
			range.to_s = archive.files.items[--complete].start_s;
		if (complete)
			range.from_s = archive.files.items[complete - 1].start_s;
		archive_release(&archive);
	}
	answer_report(serve, &range, &report_formats[report_format_find("prometheus")], put_archive,
		      response);
}

static void answer_stop(struct serve *serve, const struct http_request *request,
			struct http_response *response)
{
	if (!serve->options.is_live) {
		answer_problem(response, STATUS_NOT_FOUND, "nothing is being recorded here");
		return;
	}
	if (!request->is_post) {
		answer_problem(response, STATUS_BAD_REQUEST, "/stop takes POST");
		return;
	}
	if (write(serve->options.stop, "s", 1) != 1) {
		answer_problem(response, STATUS_UNAVAILABLE, strerror(errno));
		return;
	}
	answer_problem(response, 200, "the recording ends");
}

static void answer(void *context, const struct http_request *request,
		   struct http_response *response)
{
	struct serve *serve = context;
	const struct report_format *pprof = &report_formats[report_format_find("pprof")];

	if (!strcmp(request->path, "/"))
		answer_page(serve, response);
	else if (!strcmp(request->path, "/report"))
		answer_wanted(serve, request, wanted_format(request, response), response);
	else if (!strcmp(request->path, "/pprof") || !strcmp(request->path, "/debug/pprof/profile"))
		answer_wanted(serve, request, pprof, response);
	else if (!strcmp(request->path, "/metrics"))
		answer_metrics(serve, response);
	else if (!strcmp(request->path, "/stop"))
		answer_stop(serve, request, response);
	else
		answer_problem(response, STATUS_NOT_FOUND,
			       "there is no such page; try /, /report?format=json, /pprof or "
			       "/metrics");
}

int serve_begin(const struct serve_options *options, struct endpoint *address, struct serve **serve,
		struct error *error)
{
	struct serve *made = memory_new(1, sizeof(*made));

	made->options = *options;
	if (http_server_start(address, options->token, answer, made, &made->server, error)) {
		free(made);
		return error->code;
	}
	*serve = made;
	return 0;
}

void serve_linger(struct serve *serve)
{
	uint64_t visits = atomic_load(&serve->visits);
	uint64_t age_ns = clock_now_ns() - atomic_load(&serve->visited_ns);

	atomic_store(&serve->is_over, true);
	if (!visits || age_ns > VISITED_NS)
		return;
	for (int i = 0; i < LINGER_STEPS && atomic_load(&serve->visits) == visits; i++)
		usleep(LINGER_US);
}

void serve_end(struct serve *serve)
{
	http_server_stop(serve->server);
	free(serve);
}

struct serve_values {
	const char *listen, *token_file;
};

#define FIELD(member) offsetof(struct serve_values, member)
static const struct option serve_table[] = {
	{"listen", 'l', "ADDRESS",
	 "a port or address of this machine only, or unix:PATH (127.0.0.1, a free port)",
	 value_set_text, FIELD(listen), NULL},
	{"token-file", 0, "FILE",
	 "the token that requests must have, at least 16 characters (a new one, which is printed)",
	 value_set_text, FIELD(token_file), NULL},
};

const struct command_page serve_page = {
	.name = "serve",
	.summary = "show a profile, or recordings without end, by HTTP on this machine",
	.operands = "[FILE | FOLDER]",
	.manual = "lever-serve",
	.purpose =
		"Answers requests from this machine: the page at /, pprof at /pprof, gauges for "
		"Prometheus at /metrics, each format of lever report at /report?format=NAME; of a "
		"folder of lever record --continuous with &from=TIME&to=TIME. Needs no rights but "
		"to read the profile.",
	.options = serve_table,
	.option_count = sizeof(serve_table) / sizeof(serve_table[0]),
};

/* The first line of the file. */
static int read_token(const char *path, char **token, struct error *error)
{
	char line[256] = "";
	AUTO(file) FILE *file = fopen(path, "re");

	if (!file)
		return error_set(error, -errno,
				 "cannot read the token %s: %s; make one with "
				 "openssl rand -hex 16",
				 path, strerror(errno));
	if (!fgets(line, sizeof(line), file))
		line[0] = '\0';
	line[strcspn(line, "\r\n")] = '\0';
	if (strlen(line) < TOKEN_LEAST)
		return error_set(error, -EINVAL,
				 "the token in %s has less than %d characters; make one with "
				 "openssl rand -hex 16",
				 path, TOKEN_LEAST);
	*token = text_copy(line);
	return 0;
}

static int choose_token(const struct serve_values *values, const struct endpoint *address,
			char **token, struct error *error)
{
	if (values->token_file)
		return read_token(values->token_file, token, error);
	if (!address->is_path)
		*token = http_token_new();
	return 0;
}

static int serve_until_signal(const struct serve_values *values, const char *path,
			      struct endpoint *address, struct error *error)
{
	AUTO(text) char *token = NULL;
	struct serve *serve;
	sigset_t none;

	if (choose_token(values, address, &token, error))
		return error->code;
	const struct serve_options options = {.path = path, .token = token};
	if (serve_begin(&options, address, &serve, error))
		return error->code;
	AUTO(text) char *where = endpoint_text(address);
	message_print(EXIT_ANSWERED, "%s is served at %s%s%s; end with Ctrl-C", path, where,
		      token && !values->token_file ? "/?token=" : "",
		      token && !values->token_file ? token : "");
	sigemptyset(&none);
	while (!interruption_any())
		sigsuspend(&none);
	serve_end(serve);
	return 0;
}

/* A profile, one that is being recorded, or a folder of recordings, which may still be empty. */
static int check_profile(const char *path, struct error *error)
{
	AUTO(profile_file) struct profile_file *file = NULL;
	struct stat found;

	if (!stat(path, &found) && S_ISDIR(found.st_mode))
		return 0;
	return profile_file_open_to_read(path, &file, error);
}

int command_serve(int argc, char **argv)
{
	struct serve_values values = {.listen = "127.0.0.1:0"};
	struct endpoint address = {0};
	struct error error = {0};
	sigset_t ends;
	int operand, exit_code;

	if (!command_line_parse(&serve_page, argc, argv, &values, &operand, &exit_code))
		return exit_code;
	if (operand + 1 < argc)
		return message_print(EXIT_USAGE, "unexpected argument '%s' after the profile",
				     argv[operand + 1]);
	const char *path = operand < argc ? argv[operand] : "lever.lever";
	if (check_profile(path, &error))
		return message_error(&error, EXIT_FAILED);
	if (endpoint_parse(values.listen, &address, &error))
		return message_error(&error, EXIT_USAGE);
	/* Blocked but while sigsuspend waits, also in the server's thread. */
	interruption_catch();
	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGHUP);
	sigprocmask(SIG_BLOCK, &ends, NULL);
	int code = serve_until_signal(&values, path, &address, &error);
	endpoint_release(&address);
	return code ? message_error(&error, EXIT_FAILED) : EXIT_ANSWERED;
}
