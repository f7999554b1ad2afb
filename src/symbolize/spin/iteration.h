/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * iteration - whether a loop's iterations repeat each other as long as no other thread writes.
 */
#pragma once

#include "symbolize/spin/loop.h"

struct iteration {
	bool repeats;   /* each iteration is the same, but for counters */
	bool has_poll;  /* an exit depends on memory alone */
	bool has_pause; /* it contains a pause instruction, or yields */
};

struct iteration iteration_analyze(const struct loop *loop);
