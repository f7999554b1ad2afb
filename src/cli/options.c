/* SPDX-License-Identifier: BSD-2-Clause */
/* options - parses a command line by a command's table. */
#include "cli/options.h"

#include "base/memory.h"
#include "base/own.h"
#include "base/text.h"
#include "cli/help.h"
#include "cli/message.h"

#include <errno.h>
#include <string.h>

/* Where parsing stands. */
struct reader {
	const struct command_page *page;
	int argc;
	char **argv;
	int next; /* index of the next word */
	void *values;
	struct options_rest *rest;
};

static const struct option *find_name(const struct command_page *page, const char *name,
				      size_t length)
{
	for (size_t i = 0; i < page->option_count; i++) {
		const struct option *option = &page->options[i];
		if (strlen(option->name) == length && !strncmp(option->name, name, length))
			return option;
	}
	return NULL;
}

static const struct option *find_letter(const struct command_page *page, char letter)
{
	for (size_t i = 0; i < page->option_count; i++)
		if (page->options[i].letter == letter)
			return &page->options[i];
	return NULL;
}

static int say_unknown(const struct command_page *page, const char *name, struct error *error)
{
	ARRAY(const char *) names = {0};
	for (size_t i = 0; i < page->option_count; i++)
		*array_add(&names) = page->options[i].name;
	*array_add(&names) = "help";
	const char *nearest = text_nearest(name, names.items, names.count);
	array_free(&names);
	if (nearest)
		return error_set(error, -EINVAL, "lever %s has no option --%s; did you mean --%s?",
				 page->name, name, nearest);
	return error_set(error, -EINVAL, "lever %s has no option --%s; see lever %s --help",
			 page->name, name, page->name);
}

static int set_value(const struct reader *reader, const struct option *option, const char *text,
		     struct error *error)
{
	void *field = (char *)reader->values + option->offset;
	if (!option->set(option, field, text, error))
		return 0;
	return error_add_place(error, "--%s", option->name);
}

static int take_next_word(struct reader *reader, const struct option *option, struct error *error)
{
	if (reader->next >= reader->argc)
		return error_set(error, -EINVAL, "--%s needs %s after it", option->name,
				 option->argument);
	return set_value(reader, option, reader->argv[reader->next++], error);
}

static int read_name(struct reader *reader, const char *word, struct error *error)
{
	const char *equals = strchr(word, '=');
	size_t length = equals ? (size_t)(equals - word) : strlen(word);
	const struct option *option = find_name(reader->page, word, length);
	if (!option && !strcmp(word, "help")) {
		reader->rest->help = true;
		return 0;
	}
	if (!option) {
		AUTO(text) char *name = text_format("%.*s", (int)length, word);
		return say_unknown(reader->page, name, error);
	}
	if (!option->argument && equals)
		return error_set(error, -EINVAL, "--%s takes no value", option->name);
	if (!option->argument)
		return set_value(reader, option, NULL, error);
	return equals ? set_value(reader, option, equals + 1, error) :
			take_next_word(reader, option, error);
}

static int read_letters(struct reader *reader, const char *word, struct error *error)
{
	for (; *word; word++) {
		const struct option *option = find_letter(reader->page, *word);
		if (!option && *word == 'h') {
			reader->rest->help = true;
			return 0;
		}
		if (!option)
			return error_set(error, -EINVAL,
					 "lever %s has no option -%c; see lever %s --help",
					 reader->page->name, *word, reader->page->name);
		if (option->argument)
			return word[1] ? set_value(reader, option, word + 1, error) :
					 take_next_word(reader, option, error);
		if (set_value(reader, option, NULL, error))
			return error->code;
	}
	return 0;
}

/* Reads words up to the first operand, or up to `--`, which is then the word before `next`. */
static int read_options(struct reader *reader, struct error *error)
{
	while (reader->next < reader->argc && !reader->rest->help) {
		const char *word = reader->argv[reader->next];
		if (word[0] != '-' || !word[1])
			return 0;
		reader->next++;
		if (!strcmp(word, "--"))
			return 0;
		if (word[1] == '-' ? read_name(reader, word + 2, error) :
				     read_letters(reader, word + 1, error))
			return error->code;
	}
	return 0;
}

int options_parse(const struct command_page *page, int argc, char **argv, void *values,
		  struct options_rest *rest, struct error *error)
{
	struct reader reader = {page, argc, argv, 1, values, rest};
	ARRAY(char *) operands = {0};
	int result = 0;
	*rest = (struct options_rest){.operand = argc};
	while (!(result = read_options(&reader, error)) && reader.next < argc && !rest->help) {
		bool ended = page->runs_program || !strcmp(argv[reader.next - 1], "--");
		do
			*array_add(&operands) = argv[reader.next++];
		while (ended && reader.next < argc);
	}
	rest->operand = argc - (int)operands.count;
	for (size_t i = 0; i < operands.count; i++)
		argv[rest->operand + (int)i] = operands.items[i];
	array_free(&operands);
	return result;
}

bool options_take(const struct command_page *page, int argc, char **argv, void *values,
		  int *operand, int *exit_code)
{
	struct error error = {0};
	struct options_rest rest;
	if (options_parse(page, argc, argv, values, &rest, &error)) {
		*exit_code = message_error(&error, EXIT_USAGE);
		return false;
	}
	if (rest.help) {
		help_command(stdout, page);
		*exit_code = EXIT_ANSWERED;
		return false;
	}
	*operand = rest.operand;
	return true;
}
