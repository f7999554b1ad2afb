/* SPDX-License-Identifier: BSD-2-Clause */
/* again - which options the command of another run repeats. */
#include "report/causal/again.h"

#include "base/cleanup.h"
#include "base/text.h"

#include "check.h"

static char *command_after(const char *command, const char *options)
{
	struct recording_experiment experiment = {.run_id = 1,
						  .start_ns = 1000000000,
						  .duration_ns = 5500000000};
	struct recording_run run = {.id = 1,
				    .command = (char *)command,
				    .options = (char *)options,
				    .wall_ns = 60000000000,
				    .exit_status = -1};
	struct recording recording = {.runs = {.items = &run, .count = 1},
				      .experiments = {.items = &experiment, .count = 1}};
	struct again again = again_new(&recording, &run, 5);

	free(again.text);
	return again.command;
}

TEST("what is measured stays, and the time, the seed and what replaces the profile do not")
{
	AUTO(text)
	char *command = command_after("[\"./pack\", \"a b\"]",
				      "[\"--seconds=8\", \"--fresh\", \"--seed=3\", "
				      "\"--target=ns::f(int)\", \"--output=pack.lever\"]");

	CHECK_TEXT(command, "lever run --seconds 40 '--target=ns::f(int)' --output=pack.lever -- "
			    "./pack 'a b'");
}

TEST("processes are named once")
{
	AUTO(text)
	char *command = command_after("[\"--pid=7\"]", "[\"--pid=7\", \"--class=L\", \"--quiet\"]");

	CHECK_TEXT(command, "lever run --seconds 40 --class=L --pid=7");
}

TEST("profiles without options have the command alone")
{
	AUTO(text) char *command = command_after("[\"./pack\"]", NULL);

	CHECK_TEXT(command, "lever run --seconds 40 -- ./pack");
}
