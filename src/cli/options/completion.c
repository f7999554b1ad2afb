/* SPDX-License-Identifier: BSD-2-Clause */
/* completion - walks over the words before the cursor as options.c does. */
#include "cli/options/completion.h"

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli/options/topics.h"

#include <string.h>

struct line {
	const struct completion *completion;
	const struct command_page *page;
	FILE *out;
	char **words;
	int last;  /* index of the word to complete */
	int count; /* of all words */
	struct completion_line told;
	char process[64]; /* what told.program points to where --pid told it */
};

static void print_candidate(const struct line *line, const char *before, const char *candidate,
			    const char *help)
{
	AUTO(text) char *whole = text_format("%s%s", before, candidate);

	if (text_starts_with(whole, line->words[line->last]))
		fprintf(line->out, "%s%s%s\n", whole, help ? "\t" : "", help ? help : "");
}

static void print_commands(const struct line *line)
{
	for (size_t i = 0; i < line->completion->command_count; i++) {
		const struct command_page *page = line->completion->commands[i].page;
		print_candidate(line, "", page->name, page->summary);
	}
}

static void print_options(const struct line *line)
{
	const struct option *option;

	for (size_t i = 0; (option = command_page_option(line->page, i)); i++)
		print_candidate(line, "--", option->name, option->help);
	print_candidate(line, "--", "help", "show this help");
}

static const struct option *option_named(const struct command_page *page, const char *name,
					 size_t length)
{
	const struct option *option;

	for (size_t i = 0; (option = command_page_option(page, i)); i++)
		if (strlen(option->name) == length && !strncmp(option->name, name, length))
			return option;
	return NULL;
}

/* Options as `lever config` names them, run.seconds. */
static void print_names(const struct line *line)
{
	for (size_t i = 0; i < line->completion->command_count; i++) {
		const struct command_page *page = line->completion->commands[i].page;
		AUTO(text) char *section = text_format("%s.", page->name);
		const struct option *option;
		for (size_t j = 0; (option = command_page_option(page, j)); j++)
			print_candidate(line, section, option->name, option->help);
	}
}

static void print_values(const struct line *line, const struct option *option, const char *before);

/* Behind `lever config`: a verb, an option by name, or a value of the one that was named. */
static void print_config(const struct line *line)
{
	const char *name = line->words[line->last - 1];
	const char *dot = strchr(name, '.');

	for (size_t i = 0; dot && i < line->completion->command_count; i++) {
		const struct command_page *page = line->completion->commands[i].page;
		const struct option *option = NULL;
		if (strlen(page->name) == (size_t)(dot - name) &&
		    text_starts_with(name, page->name))
			option = option_named(page, dot + 1, strlen(dot + 1));
		if (option && option->argument)
			print_values(line, option, "");
	}
	if (dot)
		return;
	if (line->last == 1) {
		print_candidate(line, "", "set", "write an option into a file");
		print_candidate(line, "", "unset", "remove an option from a file");
	}
	print_names(line);
}

/* Values of an option; `before` is what the word holds before its value, as "--format=". */
static void print_values(const struct line *line, const struct option *option, const char *before)
{
	struct completion_line told = line->told;
	const char *word = line->words[line->last];

	told.value = text_starts_with(word, before) ? word + strlen(before) : word;
	for (const char *const *choice = option->choices; choice && *choice; choice++)
		print_candidate(line, before, *choice, NULL);
	if (!strcmp(option->argument, "FILE"))
		fputs(":file\n", line->out);
	AUTO(text) char *values = line->completion->values(option, &told);
	char *rest = values;
	for (char *value; (value = strsep(&rest, "\n"));)
		if (*value)
			print_candidate(line, before, value, NULL);
}

/* The option that --name, --name=value or -n names; NULL: none. */
static const struct option *option_of(const struct command_page *page, const char *word)
{
	const struct option *option;

	if (word[1] == '-')
		return option_named(page, word + 2, strcspn(word + 2, "="));
	for (size_t i = 0; (option = command_page_option(page, i)); i++)
		if (option->letter && option->letter == word[1] && !word[2])
			return option;
	return NULL;
}

/* Does the value of an option stand in the words behind it, and not in its own? */
static bool takes_next(const struct option *option, const char *word)
{
	return option && option->argument && !strchr(word, '=');
}

static bool is_profile(const char *word)
{
	size_t length = strlen(word);

	return length > 6 && !strcmp(word + length - 6, ".lever");
}

static void note_value(struct line *line, const struct option *option, const char *value)
{
	uint64_t pid;

	if (strcmp(option->name, "pid") || !text_to_unsigned(value, &pid))
		return;
	snprintf(line->process, sizeof(line->process), "/proc/%llu/exe", (unsigned long long)pid);
	line->told.program = line->process;
}

/*
 * The index of the first word of the program from `begin` on; behind `end` if there is none before
 * it. *waiting: the option whose value the word at `end` is.
 */
static int find_operands(struct line *line, int begin, int end, const struct option **waiting)
{
	for (int i = begin; i < end; i++) {
		const char *word = line->words[i], *equals = strchr(word, '=');
		const struct option *option = word[0] == '-' ? option_of(line->page, word) : NULL;

		if (!strcmp(word, "--"))
			return i + 1;
		if (takes_next(option, word)) {
			i += i + 1 < line->count && !strcmp(line->words[i + 1], "=") ? 2 : 1;
			*waiting = i >= end ? option : NULL;
			if (i < end)
				note_value(line, option, line->words[i]);
		} else if (option && equals) {
			note_value(line, option, equals + 1);
		} else if (word[0] != '-' && line->page->runs_program) {
			return i;
		} else if (is_profile(word)) {
			line->told.profile = word;
		}
	}
	return end + 1;
}

/* The program behind the cursor, or before it. */
static void find_program(struct line *line, int operands)
{
	const struct option *none = NULL;

	if (operands > line->last)
		operands = find_operands(line, line->last + 1, line->count, &none);
	if (operands < line->count && line->page->runs_program)
		line->told.program = line->words[operands];
}

static void print_word(struct line *line)
{
	const struct option *waiting = NULL;
	int operands = find_operands(line, 1, line->last, &waiting);
	char *word = line->words[line->last];
	const struct option *option = word[0] == '-' ? option_of(line->page, word) : NULL;

	find_program(line, operands);
	if (waiting) {
		if (!strcmp(word, "="))
			*word = 0; /* a word of bash's: the value is still empty */
		print_values(line, waiting, "");
	} else if (operands < line->last) {
		fputs(":file\n", line->out);
	} else if (option && option->argument && strchr(word, '=')) {
		AUTO(text) char *before = text_format("--%s=", option->name);
		print_values(line, option, before);
	} else if (word[0] == '-' && operands > line->last) {
		print_options(line);
	} else if (!strcmp(line->page->name, "config")) {
		print_config(line);
	} else if (!strcmp(line->page->name, "help")) {
		print_commands(line);
		for (size_t i = 0; i < help_topics_count; i++)
			print_candidate(line, "", help_topics[i].name, help_topics[i].answer);
	} else {
		fputs(line->page->runs_program ? ":program\n:file\n" : ":file\n", line->out);
	}
}

void completion_print(FILE *out, const struct completion *completion, int count, char **words,
		      unsigned behind)
{
	struct line line = {.completion = completion,
			    .out = out,
			    .words = words,
			    .count = count,
			    .last = behind < (unsigned)count ? count - 1 - (int)behind : 0};

	if (line.last == 0) {
		static char empty[] = "", *none[] = {empty};
		line.words = count ? words : none;
		print_commands(&line);
		print_candidate(&line, "", "--help", "print help");
		print_candidate(&line, "", "--version", "print the version");
		return;
	}
	for (size_t i = 0; i < completion->command_count; i++)
		if (!strcmp(completion->commands[i].page->name, words[0]))
			line.page = completion->commands[i].page;
	if (line.page)
		print_word(&line);
}
