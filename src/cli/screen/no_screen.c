/* SPDX-License-Identifier: BSD-2-Clause */
/* no_screen - screen of a build without ncurses. */
#include "cli/screen/screen.h"

bool screen_is_built(void)
{
	return false;
}

bool screen_suits_terminal(void)
{
	return false;
}

int screen_run(const char *path, int stop, int until)
{
	(void)path, (void)stop, (void)until;
	return 1;
}
