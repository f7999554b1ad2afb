/* SPDX-License-Identifier: BSD-2-Clause */
/* wait - what stands before and after a call in which a thread may wait. */
#pragma once

#include "runtime/runtime.h"

#include <errno.h>

struct wait {
	enum wait_reason kind;
	int fd;         /* WAIT_FOR_FILE: the file's; -1: several, or none */
	bool was_woken; /* not by its timeout or a signal; set by the caller */
	bool is_walked, is_counted, is_target;
	uint32_t class;         /* enum wait_class; 0: not asked yet */
	struct delay_task task; /* the thread's debt when it began to wait */
	struct frame frame;
	struct walk walk;
};

void wait_begin(struct wait *wait, enum wait_reason kind, int fd, const struct frame *caller);
void wait_end(struct wait *wait);
/* Before something may become readable for another thread or process of the program. */
void wait_before_writing(int fd);
void wait_before_signalling(void);

/* The caller of the function in which it stands, for a walk. */
#define FRAME_OF_CALLER()                                                 \
	((struct frame){.ip = (uintptr_t)__builtin_return_address(0),     \
			.sp = (uintptr_t)__builtin_frame_address(0) + 16, \
			.bp = *(uintptr_t *)__builtin_frame_address(0),   \
			.is_return = true})

/*
 * Stands in an interposed function around the real call. Ends with the block, also where the thread
 * is cancelled in it (the folder is compiled with -fexceptions for that).
 */
#define WAIT_ON(name, wait_reason, fd)                                \
	__attribute__((cleanup(wait_end))) struct wait name;          \
	{                                                             \
		struct frame frame_of_caller = FRAME_OF_CALLER();     \
		wait_begin(&name, wait_reason, fd, &frame_of_caller); \
	}
#define WAIT(name, wait_reason) WAIT_ON(name, wait_reason, -1)

/*
 * A call that may give -1. A tick that comes as it begins to wait would end it with EINTR,
 * whatever SA_RESTART says: the program, which knows nothing of ticks, must not see that. One that
 * a signal of the program ends is left so.
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
