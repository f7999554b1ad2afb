/* SPDX-License-Identifier: BSD-2-Clause */
/* check - `lever check`: what this machine allows, with remedies. */
#include "base/cleanup.h"
#include "cli/commands/check_names.h"
#include "cli/commands/commands.h"
#include "cli/options/command_line.h"
#include "cli/output/message.h"
#include "collect/machine/machine.h"
#include "symbolize/parser/start.h"
#include "symbolize/scope.h"
#include "symbolize/symbols.h"

#include <stdio.h>

const struct command_page check_page = {
	.name = "check",
	.summary = "test what this machine allows, and name remedies",
	.operands = "",
	.manual = "lever-check",
	.purpose = "Tests what lever run needs. Exits with 0 if the kernel engine works here, "
		   "else with 1.",
};

CLEANUP_DEFINE(machine, struct machine *, machine_free, NULL)

static void print_item(const struct machine_item *item)
{
	static const char *const states[] = {
		[MACHINE_FINE] = "ok",
		[MACHINE_LIMITED] = "limited",
		[MACHINE_MISSING] = "missing",
	};
	printf("%-8s %-14s %s\n", states[item->state], item->what, item->sentence);
	if (item->remedy)
		printf("%23s remedy: %s\n", "", item->remedy);
}

#ifdef __x86_64__
#define WITHOUT_DECODER "built without Zydis"
#define DECODER_REMEDY "apt-get install libzydis-dev, and build Lever again"
#else
#define WITHOUT_DECODER "this processor's code is not decoded"
#define DECODER_REMEDY NULL
#endif

/* Of the build, not of the machine. */
static void print_decoder(void)
{
	bool is_built = symbols_finds_spin_loops();
	const char *remedy = is_built ? NULL : DECODER_REMEDY;
	AUTO(text)
	char *sentence = text_copy(
		is_built ? "threads that wait by spinning are recognized by their code" :
			   WITHOUT_DECODER
			": threads that spin without a pause instruction count as working, and "
			"gains of what they wait for are told far too low");
	AUTO(text) char *remedy_text = remedy ? text_copy(remedy) : NULL;
	struct machine_item item = {.what = "spin loops",
				    .state = is_built ? MACHINE_FINE : MACHINE_LIMITED,
				    .sentence = sentence,
				    .remedy = remedy_text};
	print_item(&item);
}

static void print_parser(void)
{
	struct scope *scope = scope_new();
	struct symbols *symbols = symbols_start(TARGET_LINE, scope);
	bool has_parser = symbols_process(symbols);
	AUTO(text)
	char *sentence = text_copy(
		has_parser ? "binaries are read by a process without rights" :
			     "binaries are read with this process's rights, as the kernel refuses "
			     "a seccomp filter: a hostile binary may misuse them");
	AUTO(text)
	char *remedy = has_parser ? NULL :
				    text_copy("a kernel with CONFIG_SECCOMP_FILTER, or a container "
					      "whose profile allows seccomp");
	struct machine_item item = {.what = "parser",
				    .state = has_parser ? MACHINE_FINE : MACHINE_LIMITED,
				    .sentence = sentence,
				    .remedy = remedy};

	print_item(&item);
	symbols_free(symbols);
	scope_free(scope);
}

static void print_names(void)
{
	AUTO(text) char *sentence = check_names_sentence();
	struct machine_item item = {.what = "names", .state = MACHINE_FINE, .sentence = sentence};

	print_item(&item);
}

int command_check(int argc, char **argv)
{
	int operand, exit_code;
	if (!command_line_parse(&check_page, argc, argv, NULL, &operand, &exit_code))
		return exit_code;
	if (operand < argc)
		return message_print(EXIT_USAGE, "unexpected argument '%s'", argv[operand]);
	AUTO(machine) struct machine *machine = machine_examine("");
	for (size_t i = 0; i < machine->count; i++)
		print_item(&machine->items[i]);
	print_decoder();
	print_parser();
	print_names();
	bool works = !machine_needs(machine, NULL);
	printf("\nkernel engine:  %s\n", works ? "works here" : "does not work here");
	AUTO(text) char *runtime = machine_runtime_engine();
	printf("runtime engine: %s\n", runtime);
	return works ? EXIT_ANSWERED : EXIT_FAILED;
}
