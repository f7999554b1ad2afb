/* SPDX-License-Identifier: BSD-2-Clause */
/* contention - what changes where threads outnumber cores. */
#include "runtime/contention.h"

#include "runtime/global_delay.h"

#include <sys/resource.h>

/* Shorter absences are interrupts, or a hypervisor's. */
#define DISPLACED_LEAST_NS 100000u
#define RECENT_NS 20000000u
#define STEP_NS 1000u
#define NOTICED_LATE_NS 1000000u /* each tick looks whether threads outnumber cores */

bool contention_has_core_each(uint64_t now)
{
	uint32_t running = 0, used = runtime_page->processes_used;

	for (uint32_t i = 0; i < used && i < RUNTIME_PROCESSES_MOST; i++) {
		const struct runtime_process *process = &runtime_page->processes[i];
		if (__atomic_load_n(&process->pid, __ATOMIC_RELAXED))
			running += __atomic_load_n(&process->running, __ATOMIC_RELAXED);
	}
	if (running <= runtime_cores)
		return true;
	if (now - __atomic_load_n(&runtime_page->crowded_ns, __ATOMIC_RELAXED) > STEP_NS)
		__atomic_store_n(&runtime_page->crowded_ns, now, __ATOMIC_RELAXED);
	return false;
}

bool contention_is_met(uint64_t now)
{
	bool is_recent =
		thread_self.displaced_at_ns && now - thread_self.displaced_at_ns < RECENT_NS;

	return is_recent || !contention_has_core_each(now);
}

void contention_displaced(uint64_t now, uint64_t length_ns)
{
	uint64_t crowded = __atomic_load_n(&runtime_page->crowded_ns, __ATOMIC_RELAXED);
	uint64_t since = now - length_ns - NOTICED_LATE_NS;

	if (contention_has_core_each(now) && (int64_t)(since - crowded) > 0)
		COUNT(displaced_ns, length_ns);
}

uint64_t contention_hold(uint64_t length_ns)
{
	uint64_t last = time_now(), before = global_delay(last), paid = 0;

	while (paid < length_ns) {
		uint64_t now;
		do
			now = time_now();
		while (now - last < STEP_NS);
		uint64_t global = global_delay(now);
		if (now - last >= DISPLACED_LEAST_NS) {
			thread_self.local.delay_ns += global - before;
			thread_self.displaced_at_ns = now;
			break;
		}
		paid += now - last;
		last = now;
		before = global;
	}
	return paid;
}

/* Whether the scheduler has taken the core since the last call; a wait is no such switch. */
static bool was_preempted(void)
{
	struct rusage usage;
	const long arguments[6] = {RUSAGE_THREAD, (long)&usage, 0, 0, 0, 0};

	if (lever_system_call(SYS_getrusage, arguments))
		return false;
	uint64_t before = thread_self.preemptions;
	thread_self.preemptions = (uint64_t)usage.ru_nivcsw;
	return thread_self.preemptions != before;
}

void contention_poll(uint64_t now, uint64_t cpu)
{
	struct thread *self = &thread_self;
	int64_t displaced = (int64_t)(now - self->seen_ns - self->accounted_ns) -
			    (int64_t)(cpu - self->cpu_seen_ns);

	if (displaced < (int64_t)DISPLACED_LEAST_NS || !was_preempted())
		return;
	int64_t ran = (int64_t)(now - self->settled_ns) - displaced;
	int64_t grown = (int64_t)(global_delay(now) - self->settled_delay_ns);
	delay_thread_displaced(&self->local, grown, (uint64_t)displaced,
			       (uint64_t)delay_not_negative(ran), runtime_cores);
	contention_displaced(now, (uint64_t)displaced);
	self->accounted_ns += (uint64_t)displaced;
	self->displaced_at_ns = now;
	contention_settled(now);
}

void contention_settled(uint64_t now)
{
	thread_self.settled_ns = now;
	thread_self.settled_delay_ns = global_delay(now);
}
