/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * blocked_thread - where a thread of the same user waits: its system call and its stack.
 */
#pragma once

#include "collect/perf/stack_walk.h"

#include <sys/types.h>

#define BLOCKED_THREAD_STACK_BYTES 8192

struct blocked_thread {
	int system_call; /* -1: none, as in a page fault */
	uint64_t argument;
	struct stack_frame frame; /* bp is unknown: 0 */
	uint64_t stack_bytes;     /* from frame.sp on */
	unsigned char stack[BLOCKED_THREAD_STACK_BYTES];
};

/* False if it runs, has gone, or may not be read. */
bool blocked_thread_read(pid_t process, pid_t thread, struct blocked_thread *wait);
