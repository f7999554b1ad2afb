/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * breakpoints - progress points in unmodified code: a breakpoint event in each thread.
 *
 * At each visit the kernel writes a record of 8 bytes into a ring; the bytes written so far tell
 * the number of visits, and the records are not read. The ring is mapped read-only, so it is
 * overwritten when it is full and no visit is lost. Like the sampling clock, the event lives as
 * long as its mapping, and the program sees no descriptor.
 */
#include "runtime/breakpoints.h"

#include "runtime/visits.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define MAPPED_BYTES 8192
#define RECORD_BYTES sizeof(struct perf_event_header)

/* Semaphores of USDT probes that this process has raised; a forked child inherits them. */
static uint64_t raised[RUNTIME_BREAKPOINTS_MOST];

static void raise_semaphore(uint64_t *mark, uint64_t address)
{
	uint64_t none = 0;

	if (address && __atomic_compare_exchange_n(mark, &none, address, false, __ATOMIC_RELAXED,
						   __ATOMIC_RELAXED))
		__atomic_fetch_add((uint16_t *)(uintptr_t)address, 1, __ATOMIC_RELAXED);
}

static bool set(struct breakpoint *breakpoint, const struct runtime_breakpoint *wanted)
{
	struct perf_event_attr attributes;

	__builtin_memset(&attributes, 0, sizeof(attributes));
	attributes.type = PERF_TYPE_BREAKPOINT;
	attributes.size = sizeof(attributes);
	attributes.bp_type = HW_BREAKPOINT_X;
	attributes.bp_addr = wanted->address;
	attributes.bp_len = sizeof(long);
	attributes.sample_period = 1;
	attributes.exclude_kernel = 1;
	attributes.exclude_hv = 1;
	attributes.watermark = 1;
	attributes.wakeup_watermark = UINT32_MAX; /* without wake-ups */
	const long open_arguments[6] = {(long)&attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC, 0};
	long fd = lever_system_call(SYS_perf_event_open, open_arguments), mapped = fd;
	if (fd >= 0) {
		const long map_arguments[6] = {0, MAPPED_BYTES, PROT_READ, MAP_SHARED, fd, 0};
		mapped = lever_system_call(SYS_mmap, map_arguments);
		lever_call_1(SYS_close, (unsigned long)fd);
	}
	if (mapped <= 0 && mapped > -4096) {
		__atomic_store_n(&runtime_page->failed_breakpoints_errno, (uint64_t)-mapped,
				 __ATOMIC_RELAXED);
		__atomic_fetch_add(&runtime_page->failed_breakpoints, 1, __ATOMIC_RELAXED);
		return false;
	}
	*breakpoint = (struct breakpoint){.event = (void *)mapped, .point = wanted->point};
	return true;
}

void breakpoints_stop(void)
{
	if (!thread_self.breakpoint_sequence)
		return;
	for (int i = 0; i < RUNTIME_BREAKPOINTS_MOST; i++)
		if (thread_self.breakpoints[i].event)
			lever_call_3(SYS_munmap, (unsigned long)thread_self.breakpoints[i].event,
				     MAPPED_BYTES, 0);
	breakpoints_fork();
}

void breakpoints_fork(void)
{
	__builtin_memset(thread_self.breakpoints, 0, sizeof(thread_self.breakpoints));
	thread_self.breakpoint_sequence = 0;
}

void breakpoints_renew(uint64_t now)
{
	const struct runtime_process *process = runtime_process;
	struct runtime_breakpoint wanted[RUNTIME_BREAKPOINTS_MOST];
	uint32_t sequence = __atomic_load_n(&process->breakpoint_sequence, __ATOMIC_ACQUIRE);

	if (runtime_page->settings.delay.is_disarmed) {
		breakpoints_stop();
		return;
	}
	if (sequence == thread_self.breakpoint_sequence || sequence & 1 ||
	    __atomic_load_n(&process->mapped_image, __ATOMIC_ACQUIRE) != process->image)
		return;
	__builtin_memcpy(wanted, process->breakpoints, sizeof(wanted));
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (__atomic_load_n(&process->breakpoint_sequence, __ATOMIC_RELAXED) != sequence)
		return;
	breakpoints_poll(now);
	breakpoints_stop();
	thread_self.breakpoint_sequence = sequence;
	for (int i = 0; i < RUNTIME_BREAKPOINTS_MOST; i++)
		if (wanted[i].address && set(&thread_self.breakpoints[i], &wanted[i]))
			raise_semaphore(&raised[i], wanted[i].semaphore);
}

void breakpoints_poll(uint64_t now)
{
	for (int i = 0; i < RUNTIME_BREAKPOINTS_MOST; i++) {
		struct breakpoint *breakpoint = &thread_self.breakpoints[i];
		uint64_t added;
		if (!breakpoint->event)
			continue;
		added = breakpoint->event->data_head - breakpoint->seen_bytes;
		if (added < RECORD_BYTES)
			continue;
		breakpoint->seen_bytes += added;
		visits_add(breakpoint->point, added / RECORD_BYTES, now);
	}
}
