/* SPDX-License-Identifier: BSD-2-Clause */
/* start_gate - waits at the gate, or until the user ends the recording. */
#include "driver/start_gate.h"

#include "base/text.h"
#include "driver/interruption.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#define POLL_MS 100

static int gate = -1;

void start_gate_take(void)
{
	const char *text = getenv(START_GATE_VARIABLE);
	uint64_t number;

	if (!text || !text_to_unsigned(text, &number) || number > INT16_MAX ||
	    fcntl((int)number, F_SETFD, FD_CLOEXEC))
		return;
	gate = (int)number;
	unsetenv(START_GATE_VARIABLE); /* the program has nothing to do with it */
}

bool start_gate_is_there(void)
{
	return gate >= 0;
}

int start_gate_await(void *context, struct error *error)
{
	struct pollfd poll_gate = {.fd = gate, .events = POLLIN};
	char byte = 0;

	(void)context;
	if (gate < 0)
		return 0;
	if (write(gate, &byte, 1) == 1)
		while (!interruption_any())
			if (poll(&poll_gate, 1, POLL_MS) > 0)
				return read(gate, &byte, 1) == 1 ?
					       0 :
					       error_set(error, -ECANCELED,
							 "the agent of this host has ended");
	return error_set(error, -ECANCELED, "the job ended before the program was started here");
}
