/* SPDX-License-Identifier: BSD-2-Clause */
/* pool - which target of all kinds is worth the next block, with --granularity all. */
#pragma once

#include "experiment/session/state.h"

/* What one more block on the target is worth; 0: nothing, it cannot gain. */
double pool_weight(const struct session *session, const struct session_target *target);
/* Finds which part of the time in code threads sleep; pool_learn does, too. */
void pool_find_asleep(struct session *session);
/* After a block on the target of this index. */
void pool_learn(struct session *session, size_t index);
/* The mean number of threads in it so far, at most 1: no speedup of it gains more. */
double pool_active_share(const struct session *session, uint32_t location);
