/* SPDX-License-Identifier: BSD-2-Clause */
/* brokered - a fact about the process, not about one of its symbols. */
#include "symbolize/object/brokered.h"

static bool is_used;

bool broker_is_used(void)
{
	return is_used;
}

void broker_use(void)
{
	is_used = true;
}
