/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kernel_features - what differs between the kernels that the engine runs on, found by BTF.
 */
#pragma once

#include <stdbool.h>

struct kernel_features {
	bool has_prepare_exec;    /* sched_prepare_exec (6.10): before exec frees the old memory */
	bool has_early_exit;      /* sched_process_exit comes before the memory is freed (6.16) */
	bool has_sched_exit;      /* sched_exit_tp: after a switch, in the woken task itself */
	bool has_socket_messages; /* sock_send_length, sock_recv_length (6.3) */
};

/* LEVER_ASSUME_OLD_KERNEL=1 in the environment hides all, for tests. */
struct kernel_features kernel_features_find(void);
