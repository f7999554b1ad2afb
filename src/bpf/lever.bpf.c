// SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only)
/*
 * lever - the kernel side of the kernel engine: samples, virtual speedups, progress, membership.
 *
 * One compilation unit of several headers: shared.h and state.h (state and its writers),
 * wire/delay.h (the rules of delays), pause.h (paying them), waiters.h and wait.h (time off CPU),
 * address_space.h, mappings.h and ranges.h (locations, scope and target), member.h (tasks of the
 * program), user_frames.h, kernel_chain.h and sample.h (samples), progress.h, visits.h and
 * latency.h (progress points), open_spans.h and span_tracker.h (spans). The programs here call
 * these in order. messages.h has programs of its own.
 */
#include "bpf/address_space.h"
#include "bpf/hosts.h"
#include "bpf/latency.h"
#include "bpf/member.h"
#include "bpf/messages.h"
#include "bpf/pause.h"
#include "bpf/progress.h"
#include "bpf/sample.h"
#include "bpf/span_tracker.h"
#include "bpf/spin.h"
#include "bpf/state.h"
#include "bpf/wait.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* ---- sampling ---- */

/* A peer pays, and is not sampled. By itself: the stack of `tick` is full on Linux 6.1. */
__noinline int peer_tick(u64 now)
{
	this_cpu()->run.is_peer = 1;
	hosts_follow();
	latency_pause(pause_charge(0, 0, now));
	pay_delay(PAUSE_AT_TICK);
	return 0;
}

/* Counts the program's CPU time on this core up to `now`. By itself, for the stack of `tick`. */
__noinline int run_add(u64 now)
{
	struct kernel_cpu *cpu = this_cpu();

	delay_run_add(&cpu->run, &cpu->delay, now);
	return 0;
}

SEC("perf_event")
int tick(struct bpf_perf_event_data *context)
{
	struct kernel_cpu *cpu = this_cpu();
	u64 now = bpf_ktime_get_ns();
	struct task_struct *task = bpf_get_current_task_btf();

	cpu->ticks++;
	waiters_advance(now);
	latency_tick(now);
	if (cpu->is_finishing)
		return 0;
	run_add(now);
	struct delay_tick passed = delay_tick(&cpu->delay, &settings.delay, now);
	u64 weight = passed.weight_ns;
	if (!task->pid)
		return 0;
	struct task_state *state = member_state(task);
	cpu->run.is_member = state != NULL;
	cpu->run.is_peer = 0;
	if (!state) {
		if (task->flags & PF_KTHREAD) {
			/* It may work for a task that waits in the target. */
			if (has_waiters())
				delay_forgive(&cpu->delay.local, &settings.delay, global_delay());
			if (settings.enable_kernel && settings.is_system_wide)
				sample_take(context, task, NULL, now, weight);
		} else if (is_peer(task)) {
			peer_tick(now);
		} else {
			displacement_count(cpu, weight, now);
			delay_forgive(&cpu->delay.local, &settings.delay, global_delay());
		}
		return 0;
	}
	hosts_follow();
	cpu->displaced_ns += passed.stalled_ns;
	cpu->run_ns = delay_run_take(&cpu->run, passed.stalled_ns);
	waiting_set(state, HAS_CORE); /* woken before it had left its core */
	crowding_count(weight);
	wait_end_unseen(state, now);
	span_tracker_poll(now);
	if (!sample_take(context, task, state, now, weight))
		pay_delay(PAUSE_AT_TICK);
	return 0;
}

/* ---- interrupts: exits are attached before entries, sched_switch resets ---- */

SEC("tp_btf/irq_handler_exit")
int BPF_PROG(irq_handler_exit)
{
	struct kernel_cpu *cpu = this_cpu();
	if (cpu->hard_interrupts)
		cpu->hard_interrupts--;
	return 0;
}

SEC("tp_btf/hrtimer_expire_exit")
int BPF_PROG(hrtimer_expire_exit)
{
	struct kernel_cpu *cpu = this_cpu();
	if (cpu->hard_interrupts)
		cpu->hard_interrupts--;
	cpu->is_expiring = 0;
	return 0;
}

SEC("tp_btf/softirq_exit")
int BPF_PROG(softirq_exit)
{
	struct kernel_cpu *cpu = this_cpu();
	cpu->soft_interrupts = 0;
	cpu->is_receiving = cpu->has_message = 0;
	return 0;
}

SEC("tp_btf/irq_handler_entry")
int BPF_PROG(irq_handler_entry)
{
	this_cpu()->hard_interrupts++;
	return 0;
}

SEC("tp_btf/hrtimer_expire_entry")
int BPF_PROG(hrtimer_expire_entry)
{
	this_cpu()->hard_interrupts++;
	this_cpu()->is_expiring = 1;
	return 0;
}

/*
 * A softirq does the work of a device or a timer: its wake-ups are external. Two kinds are wake-ups
 * by the task that raised the softirq: packets that a task of this core has sent to this machine,
 * and blocks that a kernel thread has read or written (a loop device). A device's completions also
 * arrive as interrupts between cores, which have no tracepoint and interrupt any task.
 */
#define SOFTIRQ_RECEIVE 3 /* NET_RX_SOFTIRQ */
#define SOFTIRQ_BLOCK 4

SEC("tp_btf/softirq_raise")
int BPF_PROG(softirq_raise, unsigned int vector)
{
	struct kernel_cpu *cpu = this_cpu();
	struct task_struct *task = bpf_get_current_task_btf();
	if (vector != SOFTIRQ_RECEIVE && vector != SOFTIRQ_BLOCK)
		return 0;
	if (cpu->hard_interrupts || cpu->soft_interrupts || !task->pid ||
	    (vector == SOFTIRQ_BLOCK && !(task->flags & PF_KTHREAD)))
		cpu->raised_by_device |= 1u << vector;
	else
		cpu->raised_by_task |= 1u << vector;
	return 0;
}

SEC("tp_btf/softirq_entry")
int BPF_PROG(softirq_entry, unsigned int vector)
{
	struct kernel_cpu *cpu = this_cpu();
	u16 bit = 1u << (vector & 15);
	bool is_of_task = cpu->raised_by_task & bit && !(cpu->raised_by_device & bit);
	cpu->soft_interrupts = !is_of_task;
	cpu->is_receiving = vector == SOFTIRQ_RECEIVE;
	cpu->has_message = 0;
	cpu->raised_by_task &= ~bit;
	cpu->raised_by_device &= ~bit;
	return 0;
}

/* ---- scheduling ---- */

static __always_inline enum delay_waker external_waker(const struct kernel_cpu *cpu)
{
	return cpu->is_expiring ? DELAY_WAKER_TIMER : DELAY_WAKER_EXTERNAL;
}

SEC("tp_btf/sched_waking")
int BPF_PROG(sched_waking, struct task_struct *woken)
{
	struct kernel_cpu *cpu = this_cpu();
	struct task_struct *waker = bpf_get_current_task_btf();
	struct task_state *state = task_state_of(woken);
	int external =
		cpu->hard_interrupts || cpu->soft_interrupts || !waker->pid || !is_pausable(waker);
	bool by_thread = !external && waker->flags & PF_KTHREAD;
	bool by_host = is_by_message(cpu, !external && !by_thread);
	bool is_owed =
		!(cpu->is_expiring && state && (state->is_housekeeping || state->owes_no_timer));
	enum delay_waker kind = by_host   ? DELAY_WAKER_HOST :
				!is_owed  ? DELAY_WAKER_TASK :
				external  ? external_waker(cpu) :
				by_thread ? DELAY_WAKER_KERNEL_THREAD :
					    DELAY_WAKER_TASK;
	u64 now = bpf_ktime_get_ns();

	waiters_advance(now);
	if (!external && !by_thread && !by_host && woken != waker) {
		if (state && (state->is_member || state->is_peer))
			delay_turn_act(&cpu->turn, &cpu->delay);
		pay_delay(PAUSE_AT_WAKE);
	}
	if (!state)
		return 0;
	if (state->is_member) {
		state->was_woken_externally =
			!by_host &&
			(cpu->hard_interrupts || waker->flags & PF_KTHREAD || !is_pausable(waker));
		state->waits_for_core =
			(external || by_thread) && !by_host && wait_lasts_until_core(woken, state);
		if (!state->waits_for_core)
			wait_end(state, ids_of(woken), now);
		bool by_task = by_host || (!external && !by_thread && woken != waker);
		idle_wait_end(woken, state, by_task);
		cpu->hand_overs += by_task;
		cpu->timed_waits += cpu->is_expiring && is_owed;
		hosts_totals.wakeups += by_host;
	}
	u64 global = global_delay();
	delay_wake(&state->delay, kind,
		   by_host  ? message_gap(cpu, global) :
		   external ? 0 :
			      core_gap(cpu, global),
		   global, bpf_ktime_get_ns());
	if (!external && kind == DELAY_WAKER_TASK && state->waits_for_lock)
		hand_over(state);
	waiting_set(state, state->waits_for_core     ? HAS_CORE :
			   kind == DELAY_WAKER_TIMER ? WAITS_AFTER_TIMER :
						       WAITS_FOR_CORE);
	return 0;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(sched_switch, bool preempt, struct task_struct *previous, struct task_struct *next,
	     unsigned int previous_state)
{
	struct kernel_cpu *cpu = this_cpu();
	u64 now = bpf_ktime_get_ns();
	struct task_state *leaving = previous->pid ? task_state_of(previous) : NULL;
	struct task_state *entering = next->pid ? task_state_of(next) : NULL;

	waiters_advance(now);
	run_add(now);
	cpu->run.is_member = entering && entering->is_member;
	cpu->run.is_peer = entering && entering->is_peer;
	cpu->hard_interrupts = 0;
	cpu->is_expiring = 0;
	cpu->has_message = 0;
	cpu->owes_more = 0;
	cpu->has_user_task = next->mm != NULL;
	cpu->is_idle = !next->pid;
	if (!previous->pid) {
		cpu->soft_interrupts = 0;
		cpu->delay.busy_since_ns = now;
	}
	if (leaving) {
		bool blocked = !preempt && previous_state;
		if (leaving->is_member) {
			if (blocked && cpu->turn.brief_ns && makes_visits(now))
				cpu->turn.has_acted = 1;
			progress_observe_rarely(previous, cpu, now);
			span_tracker_poll(now);
		}
		pause_leave(cpu, leaving, now, blocked);
		if (leaving->is_member && blocked)
			wait_begin(ctx, previous, leaving, now);
		else if (leaving->is_member)
			runnable_begin(ctx, previous, leaving, now);
		else
			leaving->delay.is_in_io = BPF_CORE_READ_BITFIELD(previous, in_iowait);
	}
	if (!next->pid)
		return 0;
	if (!entering)
		delay_forgive(&cpu->delay.local, &settings.delay, global_delay());
	else {
		if (entering->waits_for_core) {
			wait_end(entering, ids_of(next), now);
			delay_wake_late(&entering->delay, global_delay(), now);
			entering->waits_for_core = 0;
		} else {
			wait_end_unseen(entering, now);
		}
		runnable_end(next, entering, now);
		span_tracker_enter(next, cpu);
		pause_enter(entering, now, !previous->pid, leaving ? leaving->delay.gap_ns : 0);
	}
	return 0;
}

/* At the end of a switch: the new task is current, with interrupts enabled. Newer kernels only. */
SEC("tp_btf/sched_exit_tp")
int BPF_PROG(sched_exit)
{
	struct kernel_cpu *cpu = this_cpu();
	if (!cpu->owes_more)
		return 0;
	struct task_state *state = member_state(bpf_get_current_task_btf());
	if (state)
		pay_rest(cpu, state);
	return 0;
}

/* ---- processes ---- */

SEC("tp_btf/sched_process_fork")
int BPF_PROG(sched_process_fork, struct task_struct *parent, struct task_struct *child)
{
	struct task_state *state = bpf_task_storage_get(&tasks, parent, NULL, 0);
	if (!state || !state->is_in_tree)
		return 0;
	/* Like a wake-up: the parent pays before the child can run. */
	if (state->is_member) {
		delay_turn_act(&this_cpu()->turn, &this_cpu()->delay);
		pay_delay(PAUSE_AT_WAKE);
	}
	if (!member_fork(state, child))
		return 0;
	if (state->is_member && address_space_key(child) != address_space_key(parent))
		address_space_fork(parent, child);
	if (child->tgid != parent->tgid)
		process_event(KERNEL_EVENT_FORK, tgid_of(child), tgid_of(parent), NULL);
	return 0;
}

SEC("tp_btf/sched_prepare_exec")
int BPF_PROG(sched_prepare_exec, struct task_struct *task)
{
	if (is_member(task))
		progress_observe(bpf_ktime_get_ns(), 1);
	return 0;
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(sched_process_exec, struct task_struct *task, int old_pid, struct linux_binprm *binary)
{
	struct task_state *state = member_exec(task);
	if (!state)
		return 0;
	address_space_exec(task);
	process_event(KERNEL_EVENT_EXEC, tgid_of(task), 0, binary->filename);
	return 0;
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(sched_process_exit, struct task_struct *task)
{
	struct task_state *state = bpf_task_storage_get(&tasks, task, NULL, 0);
	if (!state || !state->is_in_tree)
		return 0;
	if (state->is_member)
		progress_observe(bpf_ktime_get_ns(), 1);
	if (state->serves) {
		__sync_fetch_and_add(&serving.ended, 1);
		__sync_fetch_and_add(&serving.ended_ns, bpf_ktime_get_ns());
	}
	if (task->pid == task->tgid)
		process_event(KERNEL_EVENT_EXIT, tgid_of(task), 0, NULL);
	return 0;
}

/* Before 6.16 a dying task has no memory left at sched_process_exit, and before 6.10 there is no
 * sched_prepare_exec: the same is then done a little earlier, at the system call or the signal. */

SEC("tp_btf/signal_deliver")
int BPF_PROG(signal_deliver)
{
	struct task_struct *task = bpf_get_current_task_btf();
	if (is_member(task))
		progress_observe(bpf_ktime_get_ns(), 1);
	return 0;
}

SEC("tracepoint/leave")
int leave_syscall(void *context)
{
	struct task_struct *task = bpf_get_current_task_btf();
	if (is_member(task))
		progress_observe(bpf_ktime_get_ns(), 1);
	return 0;
}

/* ---- progress points that the engine attached; the cookie is the point's index ---- */

static __always_inline int visit(void *context)
{
	if (!is_member(bpf_get_current_task_btf()))
		return 0;
	this_cpu()->turn.has_acted = 1;
	progress_add(bpf_get_attach_cookie(context), 1, bpf_ktime_get_ns());
	return 0;
}

SEC("uprobe")
int visit_uprobe(struct pt_regs *context)
{
	return visit(context);
}

SEC("tracepoint/visit")
int visit_tracepoint(void *context)
{
	return visit(context);
}

/* ---- messages between the hosts of a job ---- */

/* Each packet: one that no option follows is not another host's. */
SEC("tp_btf/netif_receive_skb")
int packet(void *context)
{
	this_cpu()->has_message = 0;
	return 0;
}

SEC("sockops")
int host_messages(struct bpf_sock_ops *context)
{
	/* Other runs on this machine, in namespaces of their own, have programs here, too. */
	if (bpf_get_netns_cookie(context) != hosts_settings.network)
		return 1;
	switch (context->op) {
	case BPF_SOCK_OPS_ACTIVE_ESTABLISHED_CB:
	case BPF_SOCK_OPS_PASSIVE_ESTABLISHED_CB:
		connection_begin(context);
		break;
	case BPF_SOCK_OPS_HDR_OPT_LEN_CB:
		bpf_reserve_hdr_opt(context, sizeof(struct hosts_option), 0);
		break;
	case BPF_SOCK_OPS_WRITE_HDR_OPT_CB:
		option_write(context);
		break;
	case BPF_SOCK_OPS_PARSE_HDR_OPT_CB:
		option_read(context);
		break;
	}
	return 1;
}
