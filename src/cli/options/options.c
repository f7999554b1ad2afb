/* SPDX-License-Identifier: BSD-2-Clause */
/* options - a loop over the words of a command line. */
#include "cli/options/options.h"

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli/options/values.h"

#include <errno.h>
#include <string.h>

/* The state of parsing. */
struct parser {
	const struct command_page *page;
	int argc;
	char **argv;
	int next; /* index of the next word */
	void *values;
	struct options_outcome *outcome;
	ARRAY(const struct option *) given; /* by the command line */
	ARRAY(char *) words;                /* instead of values, if these are NULL */
};

static const struct config *config;

void options_use_config(const struct config *used)
{
	config = used;
}

const struct config *options_config(void)
{
	return config;
}

const struct option *command_page_option(const struct command_page *page, size_t index)
{
	if (index < page->option_count)
		return &page->options[index];
	index -= page->option_count;
	for (size_t i = 0; page->shared && page->shared[i]; i++)
		if (i == index)
			return page->shared[i];
	return NULL;
}

static const struct option *find_name(const struct command_page *page, const char *name,
				      size_t length)
{
	const struct option *option;

	for (size_t i = 0; (option = command_page_option(page, i)); i++)
		if (strlen(option->name) == length && !strncmp(option->name, name, length))
			return option;
	return NULL;
}

static const struct option *find_letter(const struct command_page *page, char letter)
{
	const struct option *option;

	for (size_t i = 0; (option = command_page_option(page, i)); i++)
		if (option->letter == letter)
			return option;
	return NULL;
}

static int report_unknown(const struct command_page *page, const char *name, struct error *error)
{
	ARRAY(const char *) names = {0};
	const struct option *option;
	AUTO(text) char *word = text_format(" %s ", name);

	if (page->lacks && strstr(page->lacks, word))
		return error_set(error, -EINVAL, "lever %s has no --%s: %s", page->name, name,
				 page->why_it_lacks);
	for (size_t i = 0; (option = command_page_option(page, i)); i++)
		*array_add(&names) = option->name;
	*array_add(&names) = "help";
	const char *nearest = text_nearest(name, names.items, names.count);
	array_free(&names);
	if (nearest)
		return error_set(error, -EINVAL, "unknown option '--%s'; did you mean '--%s'?",
				 name, nearest);
	return error_set(error, -EINVAL, "unknown option '--%s'; see lever %s --help", name,
			 page->name);
}

static int set_value(struct parser *parser, const struct option *option, const char *text,
		     struct error *error)
{
	if (!parser->values) {
		*array_add(&parser->words) =
			text_format("--%s%s%s", option->name, text ? "=" : "", text ? text : "");
		return 0;
	}
	void *field = (char *)parser->values + option->offset;
	*array_add(&parser->given) = option;
	if (!option->set(option, field, text, error))
		return 0;
	return error_add_place(error, "--%s", option->name);
}

static int read_next_argument(struct parser *parser, const struct option *option,
			      struct error *error)
{
	if (parser->next >= parser->argc)
		return error_set(error, -EINVAL, "option '--%s' needs an argument: %s",
				 option->name, option->argument);
	return set_value(parser, option, parser->argv[parser->next++], error);
}

static int read_long(struct parser *parser, const char *word, struct error *error)
{
	const char *equals = strchr(word, '=');
	size_t length = equals ? (size_t)(equals - word) : strlen(word);
	const struct option *option = find_name(parser->page, word, length);
	if (!option && !strcmp(word, "help")) {
		parser->outcome->help = true;
		return 0;
	}
	if (!option) {
		AUTO(text) char *name = text_format("%.*s", (int)length, word);
		return report_unknown(parser->page, name, error);
	}
	if (!option->argument && equals)
		return error_set(error, -EINVAL, "option '--%s' takes no argument", option->name);
	if (!option->argument)
		return set_value(parser, option, NULL, error);
	return equals ? set_value(parser, option, equals + 1, error) :
			read_next_argument(parser, option, error);
}

static int read_short(struct parser *parser, const char *word, struct error *error)
{
	for (; *word; word++) {
		const struct option *option = find_letter(parser->page, *word);
		if (!option && *word == 'h') {
			parser->outcome->help = true;
			return 0;
		}
		if (!option)
			return error_set(error, -EINVAL,
					 "unknown option '-%c'; see lever %s --help", *word,
					 parser->page->name);
		if (option->argument)
			return word[1] ? set_value(parser, option, word + 1, error) :
					 read_next_argument(parser, option, error);
		if (set_value(parser, option, NULL, error))
			return error->code;
	}
	return 0;
}

/* Reads up to the first operand, or up to `--`, which is then argv[next - 1]. */
static int read_options(struct parser *parser, struct error *error)
{
	while (parser->next < parser->argc && !parser->outcome->help) {
		const char *word = parser->argv[parser->next];
		if (word[0] != '-' || !word[1])
			return 0;
		parser->next++;
		if (!strcmp(word, "--"))
			return 0;
		if (word[1] == '-' ? read_long(parser, word + 2, error) :
				     read_short(parser, word + 1, error))
			return error->code;
	}
	return 0;
}

/* ---- files ---- */

static bool is_given(const struct option *const *given, size_t count, const struct option *option)
{
	for (size_t i = 0; i < count; i++)
		if (given[i] == option)
			return true;
	return false;
}

static int set_from_entry(struct parser *parser, const struct config_entry *entry,
			  const struct option *option, struct error *error)
{
	bool is_on = true;

	if (option->argument)
		return entry->value ? set_value(parser, option, entry->value, error) :
				      error_set(error, -EINVAL, "--%s needs an argument: %s",
						option->name, option->argument);
	if (config_entry_flag(entry, &is_on, error))
		return error_add_place(error, "--%s", option->name);
	return is_on ? set_value(parser, option, NULL, error) : 0;
}

static int read_config(struct parser *parser, struct error *error)
{
	size_t given = parser->given.count;
	int code = 0;

	for (size_t i = 0; config && i < config->entries.count && !code; i++) {
		const struct config_entry *entry = &config->entries.items[i];
		if (strcmp(entry->section, parser->page->name) ||
		    !config_entry_counts(config, entry))
			continue;
		const struct option *option =
			find_name(parser->page, entry->name, strlen(entry->name));
		if (!option)
			code = report_unknown(parser->page, entry->name, error);
		else if (!is_given(parser->given.items, given, option))
			code = set_from_entry(parser, entry, option, error);
		if (code)
			error_add_place(error, "%s:%u", entry->path, entry->line);
	}
	return code;
}

int options_check_name(const struct command_page *page, const char *name, struct error *error)
{
	return find_name(page, name, strlen(name)) ? 0 : report_unknown(page, name, error);
}

int options_check_entry(const struct command_page *page, const struct config_entry *entry,
			struct error *error)
{
	const struct option *option = find_name(page, entry->name, strlen(entry->name));
	bool is_on;
	int code = 0;

	if (!option)
		code = report_unknown(page, entry->name, error);
	else if (option->argument && !entry->value)
		code = error_set(error, -EINVAL, "--%s needs an argument: %s", option->name,
				 option->argument);
	else if (!option->argument)
		code = config_entry_flag(entry, &is_on, error);
	else if (value_check(option, entry->value, error))
		code = error_add_place(error, "--%s", option->name);
	return code ? error_add_place(error, "%s:%u", entry->path, entry->line) : 0;
}

int options_parse(const struct command_page *page, int argc, char **argv, void *values,
		  struct options_outcome *outcome, struct error *error)
{
	struct parser parser = {.page = page,
				.argc = argc,
				.argv = argv,
				.next = 1,
				.values = values,
				.outcome = outcome};
	ARRAY(char *) operands = {0};
	int result = 0;
	*outcome = (struct options_outcome){.operand = argc};
	while (!(result = read_options(&parser, error)) && parser.next < argc && !outcome->help) {
		bool ended = page->runs_program || !strcmp(argv[parser.next - 1], "--");
		do
			*array_add(&operands) = argv[parser.next++];
		while (ended && parser.next < argc);
	}
	outcome->operand = argc - (int)operands.count;
	for (size_t i = 0; i < operands.count; i++)
		argv[outcome->operand + (int)i] = operands.items[i];
	array_free(&operands);
	if (!result && !outcome->help)
		result = read_config(&parser, error);
	array_free(&parser.given);
	return result;
}

char **options_words(const struct command_page *page, int argc, char **argv)
{
	struct options_outcome outcome = {0};
	struct parser parser = {
		.page = page, .argc = argc, .argv = argv, .next = 1, .outcome = &outcome};
	struct error error = {0};

	read_options(&parser, &error);
	*array_add(&parser.words) = NULL;
	return parser.words.items;
}
