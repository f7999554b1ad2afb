/* SPDX-License-Identifier: BSD-2-Clause */
/* import - `lever import`: what perf recorded, as a profile. */
#include "base/cleanup.h"
#include "base/text.h"
#include "cli/commands/commands.h"
#include "cli/options/command_line.h"
#include "cli/options/values.h"
#include "cli/output/message.h"
#include "profile/profile.h"
#include "record/perf_script.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PERF_MAGIC "PERFILE2"
#define PROFILE_MAGIC "SQLite format 3"

struct import_values {
	const char *output;
	bool fresh, quiet;
};

#define FIELD(member) offsetof(struct import_values, member)
static const struct option import_table[] = {
	{"output", 'o', "FILE", "write the profile to FILE (lever.lever), or add to it",
	 value_set_text, FIELD(output), NULL},
	{"fresh", 0, NULL, "replace the profile file", value_set_flag, FIELD(fresh), NULL},
	{"quiet", 'q', NULL, "print errors and warnings only", value_set_flag, FIELD(quiet), NULL},
};

const struct command_page import_page = {
	.name = "import",
	.summary = "make a profile of samples from what perf recorded",
	.operands = "FILE",
	.manual = "lever-import",
	.purpose =
		"Reads a perf.data file, by perf script, or the text that perf script printed "
		"(- is standard input), and adds its samples to a profile, as lever record does.",
	.options = import_table,
	.option_count = sizeof(import_table) / sizeof(import_table[0]),
};

/* The text, from a file or a child; close by close_text. */
struct text_source {
	FILE *in;
	pid_t child; /* perf script; 0: none */
};

static int start_perf(const char *path, struct text_source *source, struct error *error)
{
	int ends[2];

	if (pipe(ends))
		return error_set(error, -errno, "cannot make a pipe: %s", strerror(errno));
	source->child = fork();
	if (source->child < 0)
		return error_set(error, -errno, "cannot start perf: %s", strerror(errno));
	if (!source->child) {
		dup2(ends[1], STDOUT_FILENO);
		close(ends[0]);
		close(ends[1]);
		execlp("perf", "perf", "script", "--header", "--show-lost-events", "-i", path, "-F",
		       "+pid,+period", (char *)NULL);
		_exit(127);
	}
	close(ends[1]);
	source->in = fdopen(ends[0], "r");
	return 0;
}

/* Reads as many bytes as `magic` has. */
static bool begins_with(FILE *in, const char *magic)
{
	char begin[sizeof(PROFILE_MAGIC)] = "";
	size_t length = strlen(magic);

	return fread(begin, 1, length, in) == length && !memcmp(begin, magic, length);
}

static bool is_perf_data(FILE *in)
{
	return begins_with(in, PERF_MAGIC);
}

/* Instead of a pipe a copy of what it says, without a name, which can be read twice. */
static int copy_pipe(FILE **in, struct error *error)
{
	char part[1 << 16];
	size_t length;
	FILE *copy = tmpfile();

	while (copy && (length = fread(part, 1, sizeof(part), *in)))
		if (fwrite(part, 1, length, copy) != length)
			break;
	int code = !copy || ferror(copy) || fflush(copy) ?
			   error_set(error, -EIO,
				     "cannot keep what the pipe says in a temporary file: %s; "
				     "give lever import the name of a file",
				     strerror(errno)) :
			   0;
	fclose(*in);
	*in = copy;
	if (copy)
		rewind(copy);
	return code;
}

/* perf.data in pipe mode looks so, too; text can only be read once from a pipe. */
static int open_pipe(struct text_source *source, struct error *error)
{
	int first = getc(source->in);

	ungetc(first, source->in);
	if (first != PERF_MAGIC[0])
		return 0;
	int code = copy_pipe(&source->in, error);
	bool is_data = !code && is_perf_data(source->in);
	if (!code)
		rewind(source->in);
	if (!is_data)
		return code;
	AUTO(text) char *path = text_format("/dev/fd/%d", fileno(source->in));
	FILE *copy = source->in;
	source->in = NULL;
	code = start_perf(path, source, error); /* the child has opened descriptors of its own */
	fclose(copy);
	return code;
}

static int open_text(const char *path, struct text_source *source, struct error *error)
{
	struct stat found;

	if (!strcmp(path, "-")) {
		source->in = stdin;
		return open_pipe(source, error);
	}
	if (!stat(path, &found) && S_ISDIR(found.st_mode))
		return error_set(error, -EISDIR, "%s is a folder; give the file perf.data in it",
				 path);
	source->in = fopen(path, "re");
	if (!source->in)
		return error_set(
			error, -errno,
			"cannot read %s: %s; give what perf record wrote, usually perf.data", path,
			strerror(errno));
	if (fseek(source->in, 0, SEEK_SET))
		return open_pipe(source, error);
	if (is_perf_data(source->in)) {
		fclose(source->in);
		source->in = NULL;
		return start_perf(path, source, error);
	}
	rewind(source->in);
	bool is_profile = begins_with(source->in, PROFILE_MAGIC);
	rewind(source->in);
	return is_profile ?
		       error_set(error, -EINVAL,
				 "a profile of Lever already; show it by lever report %s", path) :
		       0;
}

/* 0, or -EINVAL if perf script failed. */
static int close_text(const char *path, struct text_source *source, struct error *error)
{
	int status = 0;

	char rest[4096];
	/* A pipe closed early would end perf as if it could not read. */
	while (source->child > 0 && fread(rest, 1, sizeof(rest), source->in))
		continue;
	if (source->in)
		fclose(source->in);
	if (source->child > 0 && waitpid(source->child, &status, 0) == source->child && status)
		return error_set(
			error, -EINVAL,
			WIFEXITED(status) && WEXITSTATUS(status) == 127 ?
				"cannot read %s: perf is not installed here (Debian: "
				"linux-perf); or give lever import the text of perf script" :
				"perf script cannot read %s, its message is above; record "
				"again, or give the text that perf script printed elsewhere",
			path);
	return 0;
}

static const char *const unfinished_suffixes[] = {"", "-wal", "-shm", "-journal"};
#define UNFINISHED (sizeof(unfinished_suffixes) / sizeof(*unfinished_suffixes))
static char *unfinished[UNFINISHED]; /* files of a profile that a signal removes */

static void on_end(int number)
{
	for (size_t i = 0; i < UNFINISHED; i++)
		unlink(unfinished[i]);
	signal(number, SIG_DFL);
	raise(number);
}

/* NULL: no more. */
static void remove_at_end(const char *path)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};

	for (size_t i = 0; path && i < UNFINISHED; i++)
		unfinished[i] = text_format("%s%s", path, unfinished_suffixes[i]);
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		if (signal(signals[i], path ? on_end : SIG_DFL) == SIG_IGN)
			signal(signals[i], SIG_IGN); /* as nohup has it */
	for (size_t i = 0; !path && i < UNFINISHED; i++)
		free(take(&unfinished[i]));
}

static void tell(const struct perf_script_counts *counts, const char *output)
{
	message_print(EXIT_ANSWERED, "%" PRIu64 " samples added to %s; lever report %s shows them",
		      counts->samples, output, output);
	if (counts->left_out)
		message_print(EXIT_ANSWERED,
			      "left out, as they have no time of their own: %" PRIu64
			      " of other events, the first %s",
			      counts->left_out, counts->left_out_event);
}

/* A new profile has its name when it is whole; an old one is as it was if the text is none. */
static int import_into(struct text_source *source, const char *name,
		       const struct import_values *values, struct perf_script_counts *counts,
		       struct error *error)
{
	bool is_new = values->fresh || access(values->output, F_OK);
	AUTO(text) char *part = text_format(is_new ? "%s.part" : "%s", values->output);
	struct profile *profile = NULL;

	if (is_new)
		remove_at_end(part);
	int code = profile_create(part, is_new, &profile, error);
	if (!code) {
		code = perf_script_import(source->in, LEVER_VERSION, profile, counts, error);
		if (code)
			error_add_place(error, "%s", name);
	}
	if (!code) {
		profile_close(profile);
		if (is_new && rename(part, values->output))
			code = error_set(error, -errno, "cannot write %s: %s", values->output,
					 strerror(errno));
	} else if (profile) {
		profile_discard(profile);
		if (is_new)
			unlink(part);
	}
	if (is_new)
		remove_at_end(NULL);
	return code;
}

static int import_file(const char *path, const struct import_values *values,
		       struct perf_script_counts *counts, struct error *error)
{
	struct text_source source = {0};
	struct error closing = {0};
	const char *name = strcmp(path, "-") ? path : "standard input";
	int code = open_text(path, &source, error);

	if (!code)
		code = import_into(&source, name, values, counts, error);
	else if (source.in)
		error_add_place(error, "%s", name);
	int closed = close_text(path, &source, &closing);
	if (closed) {
		*error = closing;
		return closed;
	}
	return code;
}

int command_import(int argc, char **argv)
{
	struct import_values values = {.output = "lever.lever"};
	struct perf_script_counts counts = {0};
	struct error error = {0};
	int operand, exit_code;

	if (!command_line_parse(&import_page, argc, argv, &values, &operand, &exit_code))
		return exit_code;
	if (operand + 1 != argc)
		return message_print(EXIT_USAGE,
				     "name one file to import, usually perf.data; - is standard "
				     "input");
	int code = import_file(argv[operand], &values, &counts, &error);
	if (!code && !values.quiet)
		tell(&counts, values.output);
	free(counts.left_out_event);
	return code ? message_error(&error, EXIT_FAILED) : EXIT_ANSWERED;
}
