/* SPDX-License-Identifier: BSD-2-Clause */
/* diff_options - the option table of `lever diff`, and its operands. */
#include "cli/commands/diff_options.h"

#include "base/text.h"
#include "cli/commands/commands.h"
#include "report/diff/diff_report.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* "3%" or "3": a fraction. */
static int set_percent(const struct option *option, void *field, const char *text,
		       struct error *error)
{
	char number[32] = "";
	size_t length = strlen(text);
	double percent;

	(void)option;
	if (length && text[length - 1] == '%')
		length--;
	if (length < sizeof(number))
		snprintf(number, sizeof(number), "%.*s", (int)length, text);
	if (!text_to_double(number, &percent) || percent < 0 || percent > 1000)
		return error_set(error, -EINVAL, "'%s' is not a percentage like 3%% or 0.5%%",
				 text);
	*(double *)field = percent / 100;
	return 0;
}

#define FIELD(member) offsetof(struct diff_values, member)
static const struct option diff_table[] = {
	{"format", 'f', "FORMAT", diff_format_help, value_set_choice, FIELD(format),
	 diff_format_names},
	{"output", 'o', "FILE", "write to FILE instead of standard output", value_set_text,
	 FIELD(output), NULL},
	{"fail-if-slower", 0, "PERCENT",
	 "exit with 4 if the program is slower by more than that for sure, with 3 if the data do "
	 "not tell",
	 set_percent, FIELD(gate), NULL},
	{"against", 0, "FILE", "profiles: compare the operand with this profile", value_set_text,
	 FIELD(against), NULL},
	{"progress", 'p', "POINT",
	 "judge by this progress point (profiles: the first common one; commands: by run time)",
	 value_set_text, FIELD(point), NULL},
	{"pair", 0, "COMMAND", "compare COMMAND with the operand, which is a command, too",
	 value_set_text, FIELD(pair), NULL},
	{"runs", 'n', "NUMBER", "commands: at most so many runs of each (100000)", value_set_count,
	 FIELD(runs), NULL},
	{"seconds", 's', "SECONDS", "commands: at most so many seconds of runs of each (60)",
	 value_set_seconds, FIELD(seconds), NULL},
	{"smallest", 0, "PERCENT",
	 "commands: changes up to this size do not matter; end when the change is surely smaller "
	 "(0.5%)",
	 set_percent, FIELD(smallest), NULL},
	{"all-runs", 0, NULL, "commands: do not end early when the result is sure", value_set_flag,
	 FIELD(all_runs), NULL},
	{"layouts", 0, "NUMBER", "commands: change between so many memory layouts, 7 or more",
	 value_set_count, FIELD(layouts), NULL},
	{"link", 0, "COMMAND",
	 "commands: links the program {} of both commands, or of one if given twice, with its "
	 "objects in another order for each layout",
	 value_add_text, FIELD(links), NULL},
	{"ignore-failure", 'i', NULL, "commands: go on when a command fails", value_set_flag,
	 FIELD(ignore_failure), NULL},
	{"show-output", 0, NULL, "commands: do not throw away what they write", value_set_flag,
	 FIELD(show_output), NULL},
	{"seed", 0, "NUMBER", "commands: of the order of runs (the time)", value_set_number,
	 FIELD(seed), NULL},
	{"quiet", 'q', NULL, "print no progress", value_set_flag, FIELD(quiet), NULL},
};

const struct command_page diff_page = {
	.name = "diff",
	.summary = "compare two profiles or two commands: did it come true?",
	.operands = "BEFORE AFTER | -- COMMAND... --vs COMMAND...",
	.manual = "lever-diff",
	.purpose =
		"Tells of two causal profiles, BEFORE and AFTER a change, whether the prediction "
		"came true; of two recordings of samples, which functions changed; or runs two "
		"commands in turn, and tells whether one is faster, by how "
		"much, and how sure that is.",
	.options = diff_table,
	.option_count = sizeof(diff_table) / sizeof(diff_table[0]),
};

int diff_split_commands(char **operands, int count, struct diff_commands *commands,
			struct error *error)
{
	int middle = 0;

	while (middle < count && strcmp(operands[middle], "--vs"))
		middle++;
	if (middle == count)
		return error_set(error, -EINVAL,
				 "no second command; write lever diff -- COMMAND... --vs "
				 "COMMAND...");
	if (!middle || middle + 1 == count)
		return error_set(error, -EINVAL, "no command %s --vs", middle ? "after" : "before");
	operands[middle] = NULL;
	*commands = (struct diff_commands){operands, operands + middle + 1};
	return 0;
}

struct value_words diff_words(const char *command)
{
	struct value_words words = {.line = text_copy(command)};
	char *rest = NULL;

	if (command[strcspn(command, "|&;<>()$`\\\"'*?[#~=%!{}\n")] && strcmp(command, "{}")) {
		static char shell[] = "/bin/sh", option[] = "-c";
		*array_add(&words) = shell;
		*array_add(&words) = option;
		*array_add(&words) = words.line;
	} else {
		for (char *word = strtok_r(words.line, " \t", &rest); word;
		     word = strtok_r(NULL, " \t", &rest))
			*array_add(&words) = word;
	}
	*array_add(&words) = NULL;
	return words;
}

void diff_words_release(struct value_words *words)
{
	array_free(words);
	free(words->line);
}
