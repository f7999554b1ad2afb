/* SPDX-License-Identifier: BSD-2-Clause */
/* common_options - their rows, and the program behind them. */
#include "cli/options/common_options.h"

#include <errno.h>

#define FIELD(member) offsetof(struct common_options, member)

const struct option option_output = {"output",
				     'o',
				     "FILE",
				     "write the profile to FILE (" DEFAULT_OUTPUT "), or add to it",
				     value_set_text,
				     FIELD(output),
				     NULL};
const struct option option_fresh = {
	"fresh", 0, NULL, "replace the profile file", value_set_flag, FIELD(fresh), NULL};
const struct option option_pid = {"pid",
				  'p',
				  "PID",
				  "attach to running processes and what they fork; with commas",
				  value_add_pids,
				  FIELD(processes),
				  NULL};
const struct option option_cgroup = {"cgroup",
				     0,
				     "CGROUP",
				     "attach to the processes of a cgroup and of those below it",
				     value_set_text,
				     FIELD(cgroup),
				     NULL};
const struct option option_system = {
	"system", 'a', NULL, "attach to all processes", value_set_flag, FIELD(is_system_wide),
	NULL};
const struct option option_seconds = {"seconds",
				      0,
				      "NUMBER",
				      "stop after this time (at the program's end)",
				      value_set_seconds,
				      FIELD(seconds),
				      NULL};
const struct option option_force = {"force",
				    0,
				    NULL,
				    "record also on a kernel that can hang when cores are sampled",
				    value_set_flag,
				    FIELD(force),
				    NULL};
const struct option option_quiet = {
	"quiet", 'q', NULL, "print errors and warnings only", value_set_flag, FIELD(quiet), NULL};
const struct option option_verbose = {"verbose",
				      'v',
				      NULL,
				      "print the engine's decisions and the BPF loader's messages",
				      value_set_flag,
				      FIELD(verbose),
				      NULL};

int common_options_parse(const struct command_page *page, int argc, char **argv,
			 struct common_options *values, bool *help, struct error *error)
{
	struct options_outcome outcome;

	values->output = DEFAULT_OUTPUT;
	if (options_parse(page, argc, argv, values, &outcome, error))
		return error->code;
	*help = outcome.help;
	if (outcome.help)
		return 0;
	if (outcome.operand < argc && argv[outcome.operand][0])
		values->program = argv + outcome.operand;
	if (values->quiet && values->verbose)
		return error_set(error, -EINVAL, "--quiet and --verbose exclude each other");
	return 0;
}
