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
				  "attach to running processes, their children and what they fork; "
				  "with commas",
				  value_add_pids,
				  FIELD(processes),
				  NULL};
const struct option option_no_children = {
	"no-children",
	0,
	NULL,
	"with --pid and --port: without the children that exist already",
	value_set_flag,
	FIELD(without_children),
	NULL};
const struct option option_port = {
	"port",
	0,
	"PORT",
	"attach to the processes that listen on these ports; with commas",
	value_add_ports,
	FIELD(ports),
	NULL};
const struct option option_comm = {
	"comm",
	0,
	"GLOB",
	"only processes with these names, with commas; a leading ! excludes; may be repeated",
	value_add_list,
	FIELD(names),
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
const struct option option_then_stop = {
	"then-stop",
	0,
	NULL,
	"end PROGRAM and all that it started when the recording is over (--seconds, Ctrl-C)",
	value_set_flag,
	FIELD(then_stop),
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

const struct option option_hosts = {
	"hosts",
	0,
	"LIST",
	"run PROGRAM on these other hosts, too, as one: HOST or HOST=ADDRESS, with commas, or "
	"@FILE",
	value_add_list,
	FIELD(hosts),
	NULL};
const struct option option_launch = {
	"launch",
	0,
	"COMMAND",
	"with several hosts: ssh, mpirun, srun, kubectl, or what starts a command on host %h "
	"(ssh, or a job's own launcher)",
	value_set_text,
	FIELD(launch),
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

void common_options_release(struct common_options *values)
{
	array_free(&values->processes);
	array_free(&values->ports);
	value_list_release(&values->names);
	value_list_release(&values->hosts);
}

int common_options_check_processes(const struct common_options *values, unsigned accepted,
				   struct error *error)
{
	bool chooses = values->processes.count || values->ports.count || values->cgroup;
	bool is_system = values->is_system_wide;

	if (values->then_stop && !values->program)
		return error_set(error, -EINVAL,
				 "--then-stop needs a PROGRAM that lever starts once");

	if (!values->program && !chooses && !is_system && !values->names.count)
		return error_set(error, -EINVAL,
				 "no program to run; name one, or use --pid, --port, --comm, "
				 "--cgroup or --system");
	if (values->program && (chooses || (is_system && !(accepted & PROGRAM_WITH_SYSTEM)) ||
				(values->names.count && !(accepted & PROGRAM_WITH_NAMES))))
		return error_set(error, -EINVAL,
				 "a program and %s exclude each other: that attaches to running "
				 "processes",
				 values->processes.count                        ? "--pid" :
				 values->ports.count                            ? "--port" :
				 values->cgroup                                 ? "--cgroup" :
				 is_system && !(accepted & PROGRAM_WITH_SYSTEM) ? "--system" :
										  "--comm");
	if (is_system && chooses)
		return error_set(error, -EINVAL,
				 "--system and --pid, --port or --cgroup exclude each other: it "
				 "attaches to all processes");
	if (is_system && values->names.count && !(accepted & PROGRAM_WITH_NAMES))
		return error_set(error, -EINVAL,
				 "--system and --comm exclude each other: --comm alone chooses "
				 "among all processes");
	if (values->without_children && !values->processes.count && !values->ports.count)
		return error_set(error, -EINVAL, "--no-children needs --pid or --port");
	return 0;
}
