/* SPDX-License-Identifier: BSD-2-Clause */
/* waiting - time that passes while the engine goes on, and whether to rest, to begin or to end. */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct session;

/* Waits `duration_ns`, or until the program ends or the user interrupts; false then. */
bool session_wait(struct session *session, uint64_t duration_ns);
/* --until: the targets that the report says first are sure. */
bool session_is_precise_enough(struct session *session);
/* --max-slowdown: pauses may go on; if not, samples come more slowly. */
bool session_may_pause(struct session *session);
/* What is sampled from here on, until it is called with false, tells no shares. */
void session_leave_out(struct session *session, bool is_left_out);
/* --after: the program runs without experiments, and its time does not count. */
int session_warm_up(struct session *session, struct error *error);
/* Since the program was started, or has warmed up. */
uint64_t session_measured_ns(const struct session *session, uint64_t now);
