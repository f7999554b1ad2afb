/* SPDX-License-Identifier: BSD-2-Clause */
/* wait - what stands before and after a call in which a thread may wait. */
#pragma once

#include "runtime/runtime.h"

#include <errno.h>

enum wait_kind {
	WAIT_NONE,
	WAIT_FOR_THREAD, /* locks, conditions, joins, children: ended by the program's own threads */
	WAIT_FOR_TIME,   /* sleeps */
	WAIT_FOR_FILE,   /* by whoever is at the other end */
};

struct wait {
	enum wait_kind kind;
	bool was_woken; /* WAIT_FOR_THREAD: not by its timeout or a signal. To be set by the caller */
	bool is_walked, is_counted;
	uint32_t generation;
	uint64_t start_ns, delay_ns;
	int64_t gap_ns;
	struct frame frame;
	struct walk walk;
};

void wait_begin(struct wait *wait, enum wait_kind kind, const struct frame *caller);
void wait_end(struct wait *wait);

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
#define WAIT(name, wait_kind)                                     \
	__attribute__((cleanup(wait_end))) struct wait name;      \
	{                                                         \
		struct frame frame_of_caller = FRAME_OF_CALLER(); \
		wait_begin(&name, wait_kind, &frame_of_caller);   \
	}

/*
 * A call that gives -1. A tick that comes as it begins to wait would end it with EINTR, whatever
 * SA_RESTART says: the program, which knows nothing of ticks, must not see that.
 */
#define UNLESS_TICKED(call)                                        \
	__extension__({                                            \
		uint32_t ticks_before;                             \
		int result_of_call;                                \
		do {                                               \
			ticks_before = thread_self.ticks;          \
			result_of_call = (call);                   \
		} while (result_of_call == -1 && errno == EINTR && \
			 thread_self.ticks != ticks_before);       \
		result_of_call;                                    \
	})
