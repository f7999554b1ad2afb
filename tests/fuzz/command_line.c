/* SPDX-License-Identifier: BSD-2-Clause */
/* command_line - words, one a line, for `lever run` and for completion; and a file of options. */
#include "fuzz.h"

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli/commands/commands.h"
#include "cli/commands/run_options.h"
#include "cli/options/completion.h"
#include "experiment/target/target_pattern.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS_MOST 32

static void parse_run(int count, char **words)
{
	struct run_options options;
	struct error error;
	bool help = false;

	run_options_init(&options);
	if (!common_options_parse(&run_page, count, words, &options.common, &help, &error) && !help)
		run_options_check(&options.common, &error);
	run_options_free(&options);
}

static char *values_of(const struct option *option, const struct completion_line *line)
{
	return option->choices ? NULL : text_copy(line->program ? line->program : line->profile);
}

static void complete(int count, char **words)
{
	const struct command run = {.page = &run_page};
	const struct completion completion = {.commands = &run,
					      .command_count = 1,
					      .values = values_of};
	FILE *out = fopen("/dev/null", "w");

	for (int behind = 0; behind < count; behind++)
		completion_print(out, &completion, count, words, (unsigned)behind);
	fclose(out);
}

static void read_values(const char *word)
{
	uint64_t number;
	double real;

	text_to_unsigned(word, &number);
	text_to_double(word, &real);
	if (text_to_duration_ns(word, &number) && number > 1ull << 63)
		abort();
	text_to_size_bytes(word, &number);
	if (target_pattern_is(word))
		free(text_copy(target_pattern_glob(word)));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	AUTO(text) char *text = text_format("%.*s", (int)size, (const char *)bytes);
	char *words[WORDS_MOST + 1] = {(char[]){"run"}};
	int count = 1;
	struct config config = {0};
	struct error error;

	if (!config_read_file(&config, fuzz_file(bytes, size), &error))
		options_use_config(&config);
	for (char *word = strtok(text, "\n"); word && count < WORDS_MOST; word = strtok(NULL, "\n"))
		words[count++] = word;
	for (int i = 1; i < count; i++)
		read_values(words[i]);
	complete(count - 1, words + 1);
	parse_run(count, words);
	options_use_config(NULL);
	config_release(&config);
	return 0;
}
