/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of launch. */
#include "collect/hosts/launch.h"

#include "check.h"

#include <sys/wait.h>
#include <unistd.h>

TEST("what is written to a command that has ended is lost, and nothing else")
{
	char command[] = "false", *launch[] = {command, NULL};
	struct launched launched = {0};
	struct error error = {0};
	int status = 0;

	CHECK_EQUAL(launch_start(launch, "x", "lever", &launched, &error), 0);
	CHECK_EQUAL(waitpid(launched.pid, &status, 0), launched.pid);
	CHECK_EQUAL(WEXITSTATUS(status), 1);
	CHECK_EQUAL(launch_write(&launched, "invitation\n", &error), 0);
	close(launched.input);
}
