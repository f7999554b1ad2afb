/* SPDX-License-Identifier: BSD-2-Clause */
/* wait - the code before and after a call in which a thread may wait. */
#pragma once

#include "runtime/stack_walk.h"

#include <errno.h>

struct wait {
	enum wait_reason kind;
	int fd;         /* WAIT_FOR_FILE: the file's; -1: several, or none */
	bool was_woken; /* not by its timeout or a signal; set by the caller */
	bool is_walked, is_counted;
	uint32_t levels;        /* at which the wait is the target, a bit each */
	uint32_t code_levels;   /* at which the code that waits is; where is_walked */
	uint32_t class;         /* enum wait_class; 0: not asked yet */
	struct delay_task task; /* the thread's debt when it began to wait */
	struct frame frame;
	struct walk walk;
};

void wait_begin(struct wait *wait, enum wait_reason kind, int fd, const struct frame *caller);
void wait_end(struct wait *wait);
/* Before a call that may make the file readable for another thread or process. */
void wait_before_writing(int fd);
void pay_before_signal(void);

/* The caller of the function that contains it. */
#define FRAME_OF_CALLER()                                                 \
	((struct frame){.ip = (uintptr_t)__builtin_return_address(0),     \
			.sp = (uintptr_t)__builtin_frame_address(0) + 16, \
			.bp = *(uintptr_t *)__builtin_frame_address(0),   \
			.is_return = true})

/*
 * Before the real call of an interposed function. The wait ends with the block, also if the thread
 * is cancelled (by -fexceptions).
 */
#define WAIT_ON(name, wait_reason, fd)                                \
	__attribute__((cleanup(wait_end))) struct wait name;          \
	{                                                             \
		struct frame frame_of_caller = FRAME_OF_CALLER();     \
		wait_begin(&name, wait_reason, fd, &frame_of_caller); \
	}
#define WAIT(name, wait_reason) WAIT_ON(name, wait_reason, -1)

/*
 * A call that may return -1. A tick as it begins to wait ends it with EINTR, whatever SA_RESTART
 * says; it is then made again. EINTR from a signal of the program is passed on.
 */
#define RESTART_AFTER_TICK(call)                                            \
	__extension__({                                                     \
		uint32_t ended_before = thread_self.interrupted_calls;      \
		__typeof__(call) result_of_call;                            \
		while ((result_of_call = (call)) == -1 && errno == EINTR && \
		       thread_self.interrupted_calls != ended_before)       \
			thread_self.interrupted_calls = ended_before;       \
		thread_self.interrupted_calls = ended_before;               \
		result_of_call;                                             \
	})
