/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sandbox - takes all rights from this process for good: it computes, talks through the
 * descriptors that it has, and asks its opener for files. docs/security.md.
 */
#pragma once

#include <stdint.h>

/* In place of open(2), in a signal handler: a descriptor or a negative errno. */
typedef int sandbox_open(const char *path, int flags);

/*
 * The process ends with its parent. Keeps the descriptor `kept`, under number SANDBOX_DESCRIPTOR,
 * and 0 to 2 as /dev/null. Shared memory is unmapped. 0, or a negative errno: the process still has
 * rights, and should end.
 */
#define SANDBOX_DESCRIPTOR 3
int sandbox_enter(int kept, sandbox_open *opener);
/*
 * The first part of that, for a process that is to start others: user, capabilities, descriptors
 * and shared memory are given up, system calls are not.
 */
int sandbox_leave_engine(int kept);
