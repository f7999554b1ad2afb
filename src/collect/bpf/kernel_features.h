/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kernel_features - what differs between the kernels that the engine runs on, found by BTF.
 */
#pragma once

#include <stdbool.h>

struct kernel_features {
	bool has_prepare_exec; /* tracepoint sched_prepare_exec (6.10): the old memory is still there */
	bool has_early_exit; /* sched_process_exit fires before the memory goes (6.16) */
	bool has_sched_exit; /* tracepoint sched_exit_tp: the woken task itself is current */
};

/* LEVER_ASSUME_OLD_KERNEL=1 in the environment hides all, for tests of the older way. */
struct kernel_features kernel_features_find(void);
