/* SPDX-License-Identifier: BSD-2-Clause */
/* check - `lever check`: what this machine allows, with remedies. */
#include "base/cleanup.h"
#include "cli/commands/commands.h"
#include "cli/options/command_line.h"
#include "cli/output/message.h"
#include "collect/machine/machine.h"

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
	bool works = !machine_needs(machine, NULL);
	printf("\nkernel engine:  %s\n", works ? "works here" : "does not work here");
	AUTO(text) char *runtime = machine_runtime_engine();
	printf("runtime engine: %s\n", runtime);
	return works ? EXIT_ANSWERED : EXIT_FAILED;
}
