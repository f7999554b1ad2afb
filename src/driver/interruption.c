/* SPDX-License-Identifier: BSD-2-Clause */
/* interruption - signal handlers that only count. */
#include "driver/interruption.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t interrupts, terminations;

static void on_signal(int number)
{
	if (number == SIGINT)
		interrupts++;
	else
		terminations++;
}

void interruption_catch(void)
{
	struct sigaction action = {.sa_handler = on_signal};

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	action.sa_handler = SIG_IGN;
	sigaction(SIGPIPE, &action, NULL);
	action.sa_handler = SIG_DFL;
	sigaction(SIGCHLD, &action, NULL); /* ignored, it would hide how the program ended */
}

int interruption_count(void)
{
	return interrupts;
}

int interruption_terminations(void)
{
	return terminations;
}

bool interruption_any(void)
{
	return interrupts || terminations;
}
