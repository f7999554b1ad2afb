/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * target_all - the pool of all kinds (--granularity all): lines, functions with all that they call,
 * system calls, processes of a name, and waits for locks and I/O.
 */
#include "experiment/target/target_kinds.h"

static void enable(struct collector_target_kinds *kinds, const char *name)
{
	(void)name;
	kinds->callers = kinds->calls = true;
	kinds->classes |= WAIT_CLASS_BIT(WAIT_CLASS_IO) | WAIT_CLASS_BIT(WAIT_CLASS_LOCK);
}

const struct target_kind_row target_all = {
	.kind = TARGET_LINE,
	.is_pool = true,
	.needs_kernel_engine = true,
	.enable = enable,
};
