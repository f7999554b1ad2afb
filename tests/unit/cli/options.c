/* SPDX-License-Identifier: BSD-2-Clause */
/* options - how command lines are read, with a small table. */
#include "cli/options/options.h"

#include "check.h"
#include "cli/options/values.h"

#include <errno.h>

struct values {
	bool loud, fresh;
	const char *output;
	struct value_texts scopes;
	int colour;
	unsigned runs;
	double slowdown, seconds, points;
	uint64_t period_ns;
	struct value_number seed;
};

static const char *const colours[] = {"red", "green", "blue", NULL};

#define FIELD(member) .offset = offsetof(struct values, member)
static const struct option table[] = {
	{"loud", 'l', NULL, "", value_set_flag, FIELD(loud), NULL},
	{"fresh", 'f', NULL, "", value_set_flag, FIELD(fresh), NULL},
	{"output", 'o', "FILE", "", value_set_text, FIELD(output), NULL},
	{"scope", 's', "GLOB", "", value_add_text, FIELD(scopes), NULL},
	{"colour", 0, "COLOUR", "", value_set_choice, FIELD(colour), colours},
	{"runs", 0, "NUMBER", "", value_set_count, FIELD(runs), NULL},
	{"seconds", 0, "NUMBER", "", value_set_seconds, FIELD(seconds), NULL},
	{"until", 0, "POINTS", "", value_set_points, FIELD(points), NULL},
	{"slowdown", 0, "PERCENT", "", value_set_percent, FIELD(slowdown), NULL},
	{"period", 0, "DURATION", "", value_set_duration, FIELD(period_ns), NULL},
	{"seed", 0, "NUMBER", "", value_set_number, FIELD(seed), NULL},
};

static struct command_page page = {
	.name = "test",
	.options = table,
	.option_count = sizeof(table) / sizeof(table[0]),
};

static struct values values;
static struct options_outcome rest;
static struct error error;
static char *words[16];
static int word_count;

/* Parses "test" and the words of the line; a program's command if `runs_program`. */
static int parse(const char *line, bool runs_program)
{
	static char copy[256];
	snprintf(copy, sizeof(copy), "test %s", line);
	word_count = 0;
	for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
		words[word_count++] = word;
	words[word_count] = NULL;
	array_free(&values.scopes);
	values = (struct values){0};
	error = (struct error){0};
	page.runs_program = runs_program;
	return options_parse(&page, word_count, words, &values, &rest, &error);
}

TEST("an option's value is the next word, or follows an equals sign")
{
	CHECK_EQUAL(parse("--output a --seed=7", true), 0);
	CHECK_TEXT(values.output, "a");
	CHECK(values.seed.is_given);
	CHECK_EQUAL(values.seed.number, 7);
	CHECK_EQUAL(rest.operand, word_count);
}

TEST("letters may share a word, and the last one's value may follow in it or behind it")
{
	CHECK_EQUAL(parse("-lfo a -sb -s c", true), 0);
	CHECK(values.loud && values.fresh);
	CHECK_TEXT(values.output, "a");
	CHECK_EQUAL(values.scopes.count, 2);
	CHECK_TEXT(values.scopes.items[0], "b");
	CHECK_TEXT(values.scopes.items[1], "c");
}

TEST("options end where the program begins")
{
	CHECK_EQUAL(parse("-l ls -f --nonsense", true), 0);
	CHECK(values.loud && !values.fresh);
	CHECK_TEXT(words[rest.operand], "ls");
	CHECK_TEXT(words[rest.operand + 1], "-f");
	CHECK_EQUAL(word_count - rest.operand, 3);
}

TEST("words after -- are operands, also with a leading dash")
{
	CHECK_EQUAL(parse("-l -- -f --help", true), 0);
	CHECK(values.loud && !values.fresh && !rest.help);
	CHECK_TEXT(words[rest.operand], "-f");
	CHECK_EQUAL(word_count - rest.operand, 2);
}

TEST("without a program, options may stand after operands")
{
	CHECK_EQUAL(parse("a.lever --output x b.lever -l -- -f", false), 0);
	CHECK_TEXT(values.output, "x");
	CHECK(values.loud && !values.fresh);
	CHECK_EQUAL(word_count - rest.operand, 3);
	CHECK_TEXT(words[rest.operand], "a.lever");
	CHECK_TEXT(words[rest.operand + 1], "b.lever");
	CHECK_TEXT(words[rest.operand + 2], "-f");
}

TEST("a single dash is an operand")
{
	CHECK_EQUAL(parse("-l -", true), 0);
	CHECK_TEXT(words[rest.operand], "-");
}

TEST("every table has --help, and words behind it are not parsed")
{
	CHECK_EQUAL(parse("--help --nonsense", true), 0);
	CHECK(rest.help);
	CHECK_EQUAL(parse("-lh", true), 0);
	CHECK(rest.help);
}

TEST("an unknown option is reported with the nearest one")
{
	CHECK_EQUAL(parse("--outptu=a", true), -EINVAL);
	CHECK(strstr(error.text, "unknown option '--outptu';"));
	CHECK(strstr(error.text, "'--output'?"));
	CHECK_EQUAL(parse("-Z", true), -EINVAL);
	CHECK(strstr(error.text, "-Z"));
}

TEST("a missing or an unexpected argument is an error")
{
	CHECK_EQUAL(parse("--output", true), -EINVAL);
	CHECK(strstr(error.text, "'--output' needs an argument: FILE"));
	CHECK_EQUAL(parse("-o", true), -EINVAL);
	CHECK_EQUAL(parse("--output=", true), -EINVAL);
	CHECK_EQUAL(parse("--loud=yes", true), -EINVAL);
	CHECK(strstr(error.text, "'--loud' takes no argument"));
}

TEST("a choice is one of its names")
{
	CHECK_EQUAL(parse("--colour blue", true), 0);
	CHECK_EQUAL(values.colour, 2);
	CHECK_EQUAL(parse("--colour bleu", true), -EINVAL);
	CHECK_TEXT(error.text,
		   "--colour: 'bleu' is not one of red, green or blue; did you mean 'blue'?");
}

TEST("numbers are read with their bounds and units")
{
	CHECK_EQUAL(parse("--runs 3 --seconds 1.5 --until 2pp --period 250us", true), 0);
	CHECK_EQUAL(values.runs, 3);
	CHECK_NEAR(values.seconds, 1.5, 0);
	CHECK_NEAR(values.points, 2, 0);
	CHECK_EQUAL(values.period_ns, 250000);
	CHECK_EQUAL(parse("--until 0.5", true), 0);
	CHECK_NEAR(values.points, 0.5, 0);
	CHECK_EQUAL(parse("--slowdown 10%", true), 0);
	CHECK_NEAR(values.slowdown, 0.1, 1e-9);
	CHECK_EQUAL(parse("--slowdown 0.5", true), 0);
	CHECK_NEAR(values.slowdown, 0.005, 1e-9);
}

TEST("numbers out of bounds are refused")
{
	static const char *const wrong[] = {
		"--runs 0",       "--runs -1",     "--runs 1000001",  "--seconds 0",
		"--seconds -1",   "--seconds x",   "--until 0pp",     "--until pp",
		"--until 101pp",  "--period 5",    "--period 0us",    "--seed -1",
		"--seed 1x",      "--slowdown 0%", "--slowdown 101%", "--slowdown %",
		"--slowdown 5pp",
	};
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		CHECK_EQUAL(parse(wrong[i], true), -EINVAL);
}

TEST("the given options are told by their long names, and operands are not")
{
	CHECK_EQUAL(parse("-lo a --seed=7 -- program --output b", true), 0);
	char **given = options_words(&page, word_count, words);

	CHECK_TEXT(given[0], "--loud");
	CHECK_TEXT(given[1], "--output=a");
	CHECK_TEXT(given[2], "--seed=7");
	CHECK_TEXT(given[3], NULL);
	for (size_t i = 0; given[i]; i++)
		free(given[i]);
	free(given);
}
