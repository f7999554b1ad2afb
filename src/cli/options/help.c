/* SPDX-License-Identifier: BSD-2-Clause */
/* help - prints the option tables. */
#include "cli/options/help.h"

#include "base/cleanup.h"
#include "base/memory.h"

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

void help_command(FILE *out, const struct command_page *page)
{
	const struct option *option;

	fprintf(out, "Usage: lever %s%s%s%s\n\n", page->name,
		command_page_option(page, 0) ? " [OPTION...]" : "", *page->operands ? " " : "",
		page->operands);
	print_wrapped(out, page->purpose, 0, 0);
	fputs("\nOptions:\n", out);
	for (size_t i = 0; (option = command_page_option(page, i)); i++)
		print_option(out, option);
	print_option(out, &help_option);
	fprintf(out, "\nMore: man %s\n", page->manual);
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
	      "  lever run -- ./program arguments\n\n"
	      "lever COMMAND --help prints a command's options, lever --version the version.\n",
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
