/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sample - what happens at a tick of a thread's sampling clock, in the signal's handler.
 *
 * A tick stands for the CPU time since the last one. All signals are blocked meanwhile. The clock
 * counts in user mode only, so a tick never interrupts a system call.
 */
#include "runtime/sample.h"

#include "runtime/breakpoints.h"
#include "runtime/contention.h"
#include "runtime/latency.h"
#include "runtime/pause.h"
#include "runtime/progress.h"
#include "runtime/thread.h"
#include "runtime/visits.h"

#include <errno.h>
#include <signal.h>
#include <ucontext.h>

#define SKIPPED_MOST 16 /* ticks under one guard: then longjmp has left it */
#define ENGINE_GONE_NS 10000000000u

void sample_emit(const struct walk *walk, uint64_t weight, uint32_t flags)
{
	uint64_t number = __atomic_load_n(&runtime_page->ring_head, __ATOMIC_RELAXED);

	do {
		uint64_t tail = __atomic_load_n(&runtime_page->ring_tail, __ATOMIC_ACQUIRE);
		if (number - tail >= RUNTIME_RING_SLOTS) {
			COUNT(lost, 1);
			return;
		}
	} while (!__atomic_compare_exchange_n(&runtime_page->ring_head, (__u64 *)&number,
					      number + 1, true, __ATOMIC_ACQ_REL,
					      __ATOMIC_RELAXED));
	struct runtime_record *record = &runtime_page->ring[number & (RUNTIME_RING_SLOTS - 1)];
	if (runtime_page->settings.delay.speedup || runtime_page->settings.delay.external_speedup)
		flags |= WIRE_SAMPLE_SPEEDUP;
	if (walk->levels & runtime_page->settings.target_levels)
		flags |= WIRE_SAMPLE_TARGET;
	if (walk->is_spinning)
		flags |= WIRE_SAMPLE_SPINS;
	if (walk->caller_count)
		flags |= WIRE_SAMPLE_CALLERS;
	if (!walk->is_found)
		flags |= WIRE_SAMPLE_NO_SCOPE | (walk->is_complete ? 0 : WIRE_SAMPLE_TRUNCATED);
	record->sample = (struct wire_sample){
		.kind = KERNEL_EVENT_SAMPLE,
		.flags = flags,
		.tgid = runtime_process->pid,
		.tid = thread_self.tid,
		.weight_ns = weight,
		.time_ns = time_now(),
		.leaf_object = walk->leaf.object,
		.scope_object = walk->found.object,
		.leaf_offset = walk->leaf.offset,
		.scope_offset = walk->found.offset,
		.system_call = -1,
		.span = walk->span,
	};
	for (uint32_t i = 0; i < RUNTIME_CALLERS_MOST; i++)
		record->callers[i] = walk->callers[i];
	__atomic_store_n(&record->sequence, number + 1, __ATOMIC_RELEASE);
}

/* Time off CPU that was no wait, no pause and no tick (`cost`): another task had the core. */
static void count_displaced(uint64_t now, uint64_t weight, uint64_t cost)
{
	uint64_t wall = now - thread_self.seen_ns;
	uint64_t known = weight + thread_self.accounted_ns + cost;

	contention_displaced(now, wall > known ? wall - known : 0);
}

/*
 * The overhead of the ticks since the last call, beside their handlers, which are measured: the
 * interrupt and the delivery of the signal. All of it but the return is CPU time before this
 * tick's handler.
 */
static uint64_t cost_beside_handler(void)
{
	uint64_t ticks = 1 + thread_self.uncharged_ticks;

	thread_self.uncharged_ticks = 0;
	return ticks * global_delay_settings()->tick_overhead_ns;
}

/*
 * CPU time of this tick is not in the next one's weight, and a pause is in no weight. Of the time
 * since seen_ns only the handler's is accounted for.
 */
static void charge_and_pay(uint64_t cost_before, uint64_t cpu, uint64_t now)
{
	uint64_t handled = time_of_thread() - cpu;

	latency_pause(pause_charge_tick(cost_before + handled, now));
	thread_self.cpu_seen_ns = cpu + handled;
	thread_self.seen_ns = now;
	thread_self.accounted_ns = handled;
	if (!delay_spun(thread_self.spin))
		pay_delay(PAUSE_MOST_IN_HANDLER_NS, &thread_self.counters->sample_pauses);
	if (thread_self.accounted_ns != handled)
		thread_self.cpu_seen_ns = time_of_thread();
	contention_settled(thread_self.seen_ns + thread_self.accounted_ns);
}

static void take(const struct frame *where)
{
	uint64_t cpu = time_of_thread(), now = time_now(), cost = cost_beside_handler();
	uint64_t weight = delay_tick_of_thread(cpu, thread_self.cpu_seen_ns, cost);
	struct frame frame = *where;
	struct walk walk;

	pause_renew();
	contention_poll(now, cpu);
	stack_walk_up(&frame, &walk);
	walk.levels &= runtime_page->settings.code_levels;
	pause_check_spin(walk.is_spinning, weight, now);
	count_displaced(now, weight, cost);
	COUNT(samples, 1);
	COUNT(sampled_ns, weight);
	COUNT(crowded_ns, contention_has_core_each(now) ? 0 : weight);
	if (!walk.is_found && !walk.is_complete)
		COUNT(unwound_badly, 1);
	if (walk.levels & runtime_page->settings.target_levels) {
		COUNT(target_samples, 1);
		COUNT(target_ns, weight);
	}
	latency_update(now);
	latency_pause(pause_charge(walk.levels, weight, now));
	if (walk.is_found)
		visits_add(stack_walk_sampled_point(&walk.found), weight, now);
	sample_emit(&walk, weight, 0);
	progress_poll(now);
	charge_and_pay(cost, cpu, now);
}

/* Whether the engine has ended, or stopped measuring: the program runs on without samples. */
static bool is_over(void)
{
	const struct wire_settings *settings = &runtime_page->settings;
	uint64_t last = __atomic_load_n(&settings->delay.heartbeat_ns, __ATOMIC_ACQUIRE);

	/* Read before the clock: a heartbeat in between would be later than the time. */
	return settings->delay.is_disarmed ||
	       (int64_t)(time_now() - last) > (int64_t)ENGINE_GONE_NS;
}

/*
 * Whether this tick has ended a system call that had begun to wait: the kernel makes it return
 * EINTR before it runs the handler. Calls that a signal of the program has ended stay ended.
 */
static bool has_ended_call(const ucontext_t *user)
{
#if defined(__x86_64__)
	uint64_t ip = (uint64_t)user->uc_mcontext.gregs[REG_RIP];
	const uint8_t *instruction = (const uint8_t *)(uintptr_t)(ip - 2);

	return user->uc_mcontext.gregs[REG_RAX] == -EINTR && (ip & 4095) >= 2 &&
	       instruction[0] == 0x0f && instruction[1] == 0x05; /* syscall */
#elif defined(__aarch64__)
	uint64_t ip = user->uc_mcontext.pc;
	return (int64_t)user->uc_mcontext.regs[0] == -EINTR && (ip & 4095) >= 4 &&
	       *(const uint32_t *)(uintptr_t)(ip - 4) == 0xd4000001; /* svc 0 */
#else
	uint64_t ip = user->uc_mcontext.__gregs[REG_PC];
	return (int64_t)user->uc_mcontext.__gregs[REG_A0] == -EINTR && (ip & 4095) >= 4 &&
	       *(const uint32_t *)(uintptr_t)(ip - 4) == 0x00000073; /* ecall */
#endif
}

static struct frame interrupted_frame(const ucontext_t *user)
{
#if defined(__x86_64__)
	return (struct frame){.ip = (uint64_t)user->uc_mcontext.gregs[REG_RIP],
			      .sp = (uint64_t)user->uc_mcontext.gregs[REG_RSP],
			      .bp = (uint64_t)user->uc_mcontext.gregs[REG_RBP]};
#elif defined(__aarch64__)
	return (struct frame){.ip = user->uc_mcontext.pc,
			      .sp = user->uc_mcontext.sp,
			      .bp = user->uc_mcontext.regs[29],
			      .link = user->uc_mcontext.regs[30]};
#else
	return (struct frame){.ip = user->uc_mcontext.__gregs[REG_PC],
			      .sp = user->uc_mcontext.__gregs[REG_SP],
			      .bp = user->uc_mcontext.__gregs[REG_S0],
			      .link = user->uc_mcontext.__gregs[REG_RA]};
#endif
}

void sample_on_signal(int number, void *information, void *context)
{
	const siginfo_t *origin = information;
	const ucontext_t *user = context;
	int before = errno;

	(void)number;
	/* POLL_IN and its like from a perf event, SI_TIMER from a timer; not from kill. */
	if (!thread_self.is_started || (origin->si_code <= 0 && origin->si_code != SI_TIMER))
		return;
	if (has_ended_call(user))
		thread_self.interrupted_calls++;
	if (thread_self.guard_depth) {
		if (++thread_self.skipped_ticks < SKIPPED_MOST) {
			thread_self.uncharged_ticks++;
			return;
		}
		thread_self.guard_depth = 0;
	}
	reentrancy_guard_begin();
	thread_self.skipped_ticks = 0;
	if (is_over()) {
		runtime_page->settings.delay.is_disarmed = 1; /* a killed engine cannot do that */
		breakpoints_renew(time_now());
		thread_clock_stop();
	} else {
		struct frame frame = interrupted_frame(user);
		take(&frame);
		if (runtime_page->settings.delay.period_ns != thread_self.period_ns) {
			thread_clock_stop();
			thread_clock_start();
		}
	}
	reentrancy_guard_end();
	errno = before;
}
