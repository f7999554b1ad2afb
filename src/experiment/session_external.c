/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * session_outside - blocks of windows in which all that is not the program's is sped up.
 *
 * Virtual speedups rest on the program being all there is: pausing the rest of it is as good as making the target
 * faster. Clocks, devices and other programs are not paused. Beside a program that waits for the next tick of a
 * clock, they seem faster in each experiment, and every target seems to gain by that. How much of the sampling_rate they set is
 * seen where the whole program pauses for a share of the time: effective time is that much shorter, and what
 * is done in it stays the same if only the program itself decides. analyze/outside.c takes it from there.
 */
#include "experiment/session_state.h"

#include <string.h>

#define FIRST_AFTER (2 * BLOCK_TRIALS)
#define BLOCK_TRIALS (2 * SCHEDULE_BLOCK + 1)
#define ONE_OF 8 /* trials */

static size_t outside_target(struct session *session)
{
	for (size_t i = 0; i < session->targets.count; i++)
		if (session->targets.items[i].is_external)
			return i;
	struct session_target *target = array_add(&session->targets);
	target->what.place = target->what.code = SYMBOLS_NONE;
	target->is_external = true;
	return session->targets.count - 1;
}

static bool any_weight(const double *weights, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (weights[i] > 0)
			return true;
	return false;
}

void session_draw_external(struct session *session, double *weights)
{
	size_t count = session->targets.count;

	if (!schedule_has_speedups(session->schedule) || !any_weight(weights, count) ||
	    session->trials < FIRST_AFTER || session->outside_trials * ONE_OF >= session->trials)
		return;
	memset(weights, 0, count * sizeof(*weights));
	weights[outside_target(session)] = 1;
}
