/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/* wakeup - the code that ends the wait of another thread for a futex. */
#pragma once

#include "bpf/record_sample.h"
#include "bpf/system_calls.h"
#include "wire/wait_class.h"

/*
 * The current task wakes `task`, whose wait has `weight_ns`. An interrupt wakes no thread for which
 * the interrupted task called futex, but at a time-out that falls into such a call.
 */
static __always_inline void wakeup_take(struct task_struct *task, u64 weight_ns, u64 now)
{
	struct task_struct *waker = bpf_get_current_task_btf();
	u32 which = MAPPING_CACHE_WAKE;

	if (wait_reason_of_call(system_call_of(task)) != WAIT_FOR_THREAD ||
	    wait_reason_of_call(system_call_of(waker)) != WAIT_FOR_THREAD || waker == task)
		return;
	struct record_sample *sample = bpf_map_lookup_elem(&record_scratches, &which);
	if (!sample)
		return;
	sample_begin(sample, waker, now);
	sample->kind = RECORD_EVENT_WAKEUP;
	sample->flags = 0;
	sample->weight_ns = weight_ns;
	sample->waiting_ns = 0;
	sample->waiter_tgid = tgid_of(task);
	sample->argument = CALL_FIRST((struct pt_regs___kernel *)bpf_task_pt_regs(task));
	struct frame frame = {};
	user_frame_of(waker, &frame);
	user_frames_take(sample, waker, &frame, which);
	sample_send(sample, record_this_cpu());
}
