/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * options - one table of options per command; it feeds parsing, --help, completion and the test
 * that compares it with the man page.
 *
 * Understood: --name VALUE, --name=VALUE, -n VALUE, -nVALUE, several letters without values in one
 * word, and `--`. Parsing ends at the first operand, so a program's own options stay its own;
 * in commands that run no program, options may also stand after operands. What the command line
 * does not give may stand in files (config.h).
 * --help is part of every table.
 */
#pragma once

#include "base/error.h"
#include "cli/options/config.h"

#include <stdbool.h>
#include <stddef.h>

struct option;

/*
 * Puts the value into the field of the command's struct. `text` is NULL for an option without
 * argument; it lives as long as argv. Returns 0 or -EINVAL with what is wrong with the value.
 */
typedef int option_setter(const struct option *option, void *field, const char *text,
			  struct error *error);

struct option {
	const char *name;           /* long name without dashes */
	char letter;                /* short name, 0 if none */
	const char *argument;       /* its argument's name, as in --help; NULL: it has none */
	const char *help;           /* for --help, without a full stop; wrapped when printed */
	option_setter *set;         /* values.h has the usual ones */
	size_t offset;              /* of the field in the command's struct */
	const char *const *choices; /* the possible values, NULL-ended, for values and completion */
};

/* Options that --help prints under a heading; what no group names stands under the last one's. */
struct option_group {
	const char *heading;
	const char *names; /* long names between spaces: " pid port " */
};

/* A command's options and help; its function is in the list of commands (commands.h). */
struct command_page {
	const char *name;
	const char *summary;  /* one line, for the list of commands */
	const char *operands; /* "[--] PROGRAM [ARGUMENT...]" or "" */
	const char *manual;   /* its manual page */
	const char *purpose;  /* a paragraph for --help */
	const struct option *options;
	size_t option_count;
	const struct option *const *shared; /* further ones, of common_options.h; ends with NULL */
	const struct option_group *groups;  /* NULL: --help is one list; ends with a NULL heading */
	bool runs_program;                  /* operands are a program and its arguments */
	const char *lacks; /* options of other commands, between spaces; NULL: nothing to say */
	const char *why_it_lacks; /* them: a sentence without a full stop */
};

/* An entry of the list of commands. The function returns lever's exit code (message.h). */
struct command {
	const struct command_page *page;
	int (*run)(int argc, char **argv);
};

/* The page's own options, then the shared ones; NULL behind the last. */
const struct option *command_page_option(const struct command_page *page, size_t index);

/* The result of parsing besides the values. */
struct options_outcome {
	bool help;   /* --help was given; parsing ended there */
	int operand; /* index in argv of the first operand, argc if none; they are the last words */
};

/* From now on, options that the command line does not give come from here; NULL: from nowhere. */
void options_use_config(const struct config *config);
const struct config *options_config(void);

/* -EINVAL with place: the page has no such option, or it cannot have this value or choice. */
int options_check_name(const struct command_page *page, const char *name, struct error *error);
int options_check_entry(const struct command_page *page, const struct config_entry *entry,
			struct error *error);

/*
 * argv[0] is the command's name; operands are moved to argv's end. Returns 0, or -EINVAL with a
 * sentence that names the option.
 */
int options_parse(const struct command_page *page, int argc, char **argv, void *values,
		  struct options_outcome *outcome, struct error *error);

/*
 * The options that argv gives before its first operand, "--name" or "--name=value" each, and NULL.
 * The caller frees texts and array.
 */
char **options_words(const struct command_page *page, int argc, char **argv);
