/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * marks - what points had after each part of a window: trends within windows, and noise of all
 * lengths, are seen in them.
 */
#pragma once

#include "experiment/session/state.h"

/*
 * Waits, and where visits are rare until the next one; adds marks to the experiment. `before`: the
 * counters at its begin. Returns as session_wait.
 */
bool session_wait_marks(struct session *session, uint64_t duration_ns,
			const struct collector_counters *before,
			struct recording_experiment *experiment);
