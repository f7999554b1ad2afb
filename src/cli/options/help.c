/* SPDX-License-Identifier: BSD-2-Clause */
/* help - prints the option tables. */
#include "cli/options/help.h"

#include "base/cleanup.h"
#include "base/memory.h"
#include "cli/options/topics.h"

#include <string.h>

enum { HELP_COLUMN = 26, HELP_WIDTH = 80 };

static const struct option help_option = {.name = "help", .letter = 'h', .help = "show this help"};

/* Prints words up to HELP_WIDTH, further lines indented; the cursor stands at column `at`. */
static void print_wrapped(FILE *out, const char *text, size_t at, size_t indent)
{
	bool is_first = true;
	while (*text) {
		size_t length = strcspn(text, " ");
		if (!is_first && at + 1 + length > HELP_WIDTH) {
			fprintf(out, "\n%*s", (int)indent, "");
			at = indent;
		} else if (!is_first) {
			fputc(' ', out);
			at++;
		}
		fprintf(out, "%.*s", (int)length, text);
		at += length;
		text += length + (text[length] == ' ');
		is_first = false;
	}
	fputc('\n', out);
}

static void print_option(FILE *out, const struct option *option)
{
	char letter[8] = "    ";
	if (option->letter)
		snprintf(letter, sizeof(letter), "-%c, ", option->letter);
	AUTO(text)
	char *name = text_format("  %s--%s%s%s", letter, option->name, option->argument ? " " : "",
				 option->argument ? option->argument : "");
	size_t at = strlen(name);
	fputs(name, out);
	if (at + 2 > HELP_COLUMN)
		fprintf(out, "\n%*s", HELP_COLUMN, "");
	else
		fprintf(out, "%*s", (int)(HELP_COLUMN - at), "");
	print_wrapped(out, option->help, HELP_COLUMN, HELP_COLUMN);
}

static const struct option_group one_group[] = {{"Options", " "}, {NULL, NULL}};

static bool is_named(const struct option_group *group, const struct option *option)
{
	AUTO(text) char *word = text_format(" %s ", option->name);

	return strstr(group->names, word) != NULL;
}

static bool is_in_groups(const struct command_page *page, const struct option *option)
{
	for (const struct option_group *group = page->groups; group && group->heading; group++)
		if (is_named(group, option))
			return true;
	return false;
}

void help_command(FILE *out, const struct command_page *page)
{
	const struct option *option;

	fprintf(out, "Usage: lever %s%s%s%s\n\n", page->name,
		command_page_option(page, 0) ? " [OPTION...]" : "", *page->operands ? " " : "",
		page->operands);
	print_wrapped(out, page->purpose, 0, 0);
	for (const struct option_group *group = page->groups ? page->groups : one_group;
	     group->heading; group++) {
		bool is_last = !group[1].heading;
		fprintf(out, "\n%s:\n", group->heading);
		for (size_t i = 0; (option = command_page_option(page, i)); i++)
			if (is_named(group, option) || (is_last && !is_in_groups(page, option)))
				print_option(out, option);
	}
	print_option(out, &help_option);
	fprintf(out, "\nMore: man %s\n", page->manual);
}

/* Their names, up to HELP_WIDTH a line. */
static void print_topics(FILE *out)
{
	size_t at = 0;

	for (size_t i = 0; i < help_topics_count; i++) {
		size_t length = strlen(help_topics[i].name);
		if (at && at + 2 + length > HELP_WIDTH)
			at = 0;
		at += (size_t)fprintf(out, "%s  %s", at ? "" : i ? "\n" : "", help_topics[i].name);
	}
	fputc('\n', out);
}

void help_overview(FILE *out, const struct command *list, size_t count)
{
	fputs("Usage: lever COMMAND [OPTION...]\n\n"
	      "Lever, a causal profiler: how much faster a program gets if one of its lines or\n"
	      "functions gets faster.\n\n"
	      "Commands:\n",
	      out);
	for (size_t i = 0; i < count; i++)
		fprintf(out, "  %-10s%s\n", list[i].page->name, list[i].page->summary);
	fputs("\nA first profile:\n"
	      "  lever run -- ./program arguments\n"
	      "\nTopics (lever help TOPIC):\n",
	      out);
	print_topics(out);
	fputs("\nlever COMMAND --help prints a command's options, lever --version the version.\n",
	      out);
}

static void print_table_line(FILE *out, const char *command, const struct option *option)
{
	char letter[3] = "-";
	if (option->letter)
		snprintf(letter, sizeof(letter), "-%c", option->letter);
	fprintf(out, "%s\t--%s\t%s\t%s\n", command, option->name, letter,
		option->argument ? option->argument : "-");
}

void help_options(FILE *out, const struct command *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct command_page *page = list[i].page;
		const struct option *option;
		for (size_t j = 0; (option = command_page_option(page, j)); j++)
			print_table_line(out, page->name, option);
		print_table_line(out, page->name, &help_option);
	}
}
