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

static void print_completion_words(FILE *out, const struct command_page *page)
{
	const struct option *option;

	fprintf(out, "\t%s) words='", page->name);
	for (size_t i = 0; (option = command_page_option(page, i)); i++) {
		fprintf(out, "--%s ", option->name);
		if (option->letter)
			fprintf(out, "-%c ", option->letter);
	}
	fputs("--help' ;;\n", out);
}

/* For each option with an argument: the values to offer for it. */
static void print_completion_values(FILE *out, const struct command_page *page)
{
	const struct option *option;

	for (size_t i = 0; (option = command_page_option(page, i)); i++) {
		if (!option->argument)
			continue;
		fprintf(out, "\t%s:--%s", page->name, option->name);
		if (option->letter)
			fprintf(out, " | %s:-%c", page->name, option->letter);
		fputs(") values='", out);
		for (const char *const *choice = option->choices; choice && *choice; choice++)
			fprintf(out, "%s%s", choice == option->choices ? "" : " ", *choice);
		fprintf(out, "' kind=%s ;;\n",
			option->choices                   ? "choice" :
			!strcmp(option->argument, "FILE") ? "file" :
							    "free");
	}
}

static const char completion_start[] =
	"# bash completion of lever; made from its option tables by: lever help --bash-completion\n"
	"\n"
	"# Sets `values` and `kind` for an option that needs a value; kind stays empty otherwise.\n"
	"_lever_value()\n"
	"{\n"
	"\tvalues= kind=\n"
	"\tcase \"$1:$2\" in\n";

static const char completion_middle[] =
	"\tesac\n"
	"}\n"
	"\n"
	"_lever()\n"
	"{\n"
	"\tlocal word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} words values kind i\n"
	"\tCOMPREPLY=()\n"
	"\tif ((COMP_CWORD == 1)); then\n"
	"\t\tCOMPREPLY=($(compgen -W \"$(_lever_commands) --help --version\" -- \"$word\"))\n"
	"\t\treturn\n"
	"\tfi\n"
	"\tfor ((i = 2; i < COMP_CWORD; i++)); do\n"
	"\t\tcase ${COMP_WORDS[i]} in\n"
	"\t\t--) ((i++)); break ;;\n"
	"\t\t-*)\n"
	"\t\t\t_lever_value \"$command\" \"${COMP_WORDS[i]}\"\n"
	"\t\t\t[[ -n $kind ]] || continue\n"
	"\t\t\t[[ ${COMP_WORDS[i + 1]} == = ]] && ((i++))\n"
	"\t\t\tif ((++i >= COMP_CWORD)); then\n"
	"\t\t\t\t[[ $word == = ]] && word=\n"
	"\t\t\t\t[[ $kind == choice ]] && COMPREPLY=($(compgen -W \"$values\" -- \"$word\"))\n"
	"\t\t\t\t[[ $kind == file ]] && COMPREPLY=($(compgen -f -- \"$word\"))\n"
	"\t\t\t\treturn\n"
	"\t\t\tfi ;;\n"
	"\t\t*) break ;;\n"
	"\t\tesac\n"
	"\tdone\n"
	"\tif ((i < COMP_CWORD)); then\n"
	"\t\tCOMPREPLY=($(compgen -f -- \"$word\"))\n"
	"\t\treturn\n"
	"\tfi\n"
	"\tcase $command in\n";

static const char completion_end[] =
	"\tesac\n"
	"\tif [[ $word == -* ]]; then\n"
	"\t\tCOMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
	"\telif [[ $command == run ]]; then\n"
	"\t\tCOMPREPLY=($(compgen -c -- \"$word\") $(compgen -f -- \"$word\"))\n"
	"\telif [[ $command == help ]]; then\n"
	"\t\tCOMPREPLY=($(compgen -W \"$(_lever_commands)\" -- \"$word\"))\n"
	"\telse\n"
	"\t\tCOMPREPLY=($(compgen -f -- \"$word\"))\n"
	"\tfi\n"
	"}\n"
	"\n"
	"complete -o filenames -F _lever lever\n";

void help_bash_completion(FILE *out, const struct command *list, size_t count)
{
	fputs(completion_start, out);
	for (size_t i = 0; i < count; i++)
		print_completion_values(out, list[i].page);
	fputs(completion_middle, out);
	for (size_t i = 0; i < count; i++)
		print_completion_words(out, list[i].page);
	fputs(completion_end, out);
	fputs("\n_lever_commands()\n{\n\techo", out);
	for (size_t i = 0; i < count; i++)
		fprintf(out, " %s", list[i].page->name);
	fputs("\n}\n", out);
}
