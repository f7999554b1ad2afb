/* SPDX-License-Identifier: BSD-2-Clause */
/* lockdown - what the running kernel keeps even from root (kernel_lockdown(7)). */
#pragma once

enum lockdown {
	LOCKDOWN_NONE, /* or not known: securityfs is not mounted */
	LOCKDOWN_INTEGRITY,
	LOCKDOWN_CONFIDENTIALITY, /* BPF may not read the kernel's memory */
};

/* `root` is put before the path of the kernel's file: "" but in tests. */
enum lockdown lockdown_of(const char *root);
