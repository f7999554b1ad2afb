/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * visits - progress points in code that knows nothing of them: a breakpoint event in each thread.
 *
 * The processor stops at the place, and the kernel writes a record of 8 bytes into a ring that nobody
 * reads: how far it has written tells how often. The ring is mapped read-only, so it is overwritten
 * when it is full and nothing is lost. Like the sampling clock the event lives by its mapping, and the
 * program sees no descriptor.
 */
#include "runtime/runtime.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define MAPPED_BYTES 8192
#define RECORD_BYTES sizeof(struct perf_event_header)

/* Semaphores that this process has raised; a forked child has them raised, too. */
static uint64_t raised[RUNTIME_BREAKPOINTS_MOST];

static void raise_semaphore(uint64_t *mark, uint64_t address)
{
	uint64_t none = 0;

	if (address && __atomic_compare_exchange_n(mark, &none, address, false, __ATOMIC_RELAXED,
						   __ATOMIC_RELAXED))
		__atomic_fetch_add((uint16_t *)(uintptr_t)address, 1, __ATOMIC_RELAXED);
}

static bool set(struct visits *visits, const struct runtime_breakpoint *wanted)
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
	attributes.wakeup_watermark = UINT32_MAX; /* nobody waits for it */
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
	*visits = (struct visits){.event = (void *)mapped, .point = wanted->point};
	return true;
}

void visits_stop(void)
{
	if (!thread_self.breakpoint_sequence)
		return;
	for (int i = 0; i < RUNTIME_BREAKPOINTS_MOST; i++)
		if (thread_self.visits[i].event)
			lever_call_3(SYS_munmap, (unsigned long)thread_self.visits[i].event,
				     MAPPED_BYTES, 0);
	visits_fork();
}

void visits_fork(void)
{
	__builtin_memset(thread_self.visits, 0, sizeof(thread_self.visits));
	thread_self.breakpoint_sequence = 0;
}

void visits_renew(uint64_t now)
{
	const struct runtime_process *process = runtime_process;
	struct runtime_breakpoint wanted[RUNTIME_BREAKPOINTS_MOST];
	uint32_t sequence = __atomic_load_n(&process->breakpoint_sequence, __ATOMIC_ACQUIRE);

	if (runtime_page->settings.delay.is_disarmed) {
		visits_stop();
		return;
	}
	if (sequence == thread_self.breakpoint_sequence || sequence & 1 ||
	    __atomic_load_n(&process->mapped_image, __ATOMIC_ACQUIRE) != process->image)
		return;
	__builtin_memcpy(wanted, process->breakpoints, sizeof(wanted));
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (__atomic_load_n(&process->breakpoint_sequence, __ATOMIC_RELAXED) != sequence)
		return;
	visits_observe(now);
	visits_stop();
	thread_self.breakpoint_sequence = sequence;
	for (int i = 0; i < RUNTIME_BREAKPOINTS_MOST; i++)
		if (wanted[i].address && set(&thread_self.visits[i], &wanted[i]))
			raise_semaphore(&raised[i], wanted[i].semaphore);
}

void visits_observe(uint64_t now)
{
	for (int i = 0; i < RUNTIME_BREAKPOINTS_MOST; i++) {
		struct visits *visits = &thread_self.visits[i];
		uint64_t added;
		if (!visits->event)
			continue;
		added = visits->event->data_head - visits->seen_bytes;
		if (added < RECORD_BYTES)
			continue;
		visits->seen_bytes += added;
		progress_add(visits->point, added / RECORD_BYTES, now);
	}
}
