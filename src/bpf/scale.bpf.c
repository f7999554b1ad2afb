// SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only)
/*
 * scale - the kernel side of `lever scale`: counts the program's threads by state, and adds up for
 * each number of active threads how long there were so many.
 *
 * The sums belong to one lock, held for some ten instructions at each change. So every moment between
 * the program's start and end is added to exactly one level, whatever the rate of switches. Clocks of
 * cores may differ by less than a change takes; time never goes back here.
 */
#include "wire/scale.h"
#include "bpf/shared.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

#define TASK_UNINTERRUPTIBLE 0x02 /* include/linux/sched.h */
#define TASK_DEAD 0x80
#define FUTEX_COMMAND 0x7f
#define FUTEX_WAIT 0
#define FUTEX_LOCK_PI 6
#define FUTEX_LOCK_PI2 13
#define FUTEX_TAKEN 2 /* what glibc's and other mutexes hold while somebody waits for them */

struct scale_settings settings __attribute__((aligned(256)));
struct scale_slot slots[SCALE_SLOTS];
__u8 is_foreign[SCALE_CPUS_MOST]; /* is the core occupied by another program; by that core */

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct scale_totals);
} scale_sums SEC(".maps");

/* A system call with its arguments, as the kernel saved them. */
struct call {
	u64 number, first, second, third;
};

static __always_inline void call_read(struct task_struct *task, struct call *call)
{
	call->number = ~0ull;
	if (task->flags & PF_KTHREAD)
		return;
	struct pt_regs *saved = (struct pt_regs *)bpf_task_pt_regs(task);
#ifdef __TARGET_ARCH_x86
	struct pt_regs user;
	if (bpf_probe_read_kernel(&user, sizeof(user), saved))
		return;
	call->number = user.orig_rax;
	call->first = user.rdi;
	call->second = user.rsi;
	call->third = user.rdx;
#else
	struct user_pt_regs user;
	if (bpf_probe_read_kernel(&user, sizeof(user), saved))
		return;
	call->number = user.regs[8];
	call->first = user.regs[0];
	call->second = user.regs[1];
	call->third = user.regs[2];
#endif
}

static __always_inline struct scale_slot *slot_of(u32 tid)
{
	return &slots[tid & (SCALE_SLOTS - 1)];
}

/* Is it a thread of the program? */
static __always_inline bool is_counted(u32 tid)
{
	struct scale_slot *slot = slot_of(tid);
	return tid && slot->tid == tid && slot->state;
}

static __always_inline struct scale_totals *totals_get(void)
{
	u32 zero = 0;
	return bpf_map_lookup_elem(&scale_sums, &zero);
}

/* Adds the time since the last change to the level that held. Under the lock. */
static __always_inline void sums_advance(struct scale_totals *sums, u64 now)
{
	if (!sums->begin_ns || sums->end_ns || now <= sums->last_ns)
		return;
	u64 span = now - sums->last_ns;
	u32 running = sums->counts[SCALE_RUNNING];
	u32 active = running + sums->counts[SCALE_RUNNABLE];
	u32 wanted = active < settings.cores ? active : settings.cores;
	u32 missing = wanted > running ? wanted - running : 0;
	u32 level = active < SCALE_LEVELS ? active : SCALE_LEVELS - 1;
	struct scale_level *at = &sums->levels[level & (SCALE_LEVELS - 1)];

	sums->last_ns = now;
	at->wall_ns += span;
	at->running_ns += span * running;
	at->displaced_ns += span * (missing < sums->foreign ? missing : sums->foreign);
	at->waiting_ns[0] += span * sums->counts[SCALE_LOCK];
	at->waiting_ns[1] += span * sums->counts[SCALE_IO];
	at->waiting_ns[2] += span * sums->counts[SCALE_TIMER];
	at->waiting_ns[3] += span * sums->counts[SCALE_CONDITION];
	at->waiting_ns[4] += span * sums->counts[SCALE_OTHER];
}

/* Under the lock. */
static __always_inline void slot_set(struct scale_totals *sums, struct scale_slot *slot, u32 state)
{
	sums->counts[slot->state & (SCALE_STATES - 1)]--;
	sums->counts[state & (SCALE_STATES - 1)]++;
	slot->state = state;
}

/* For what the thread blocks. */
static __always_inline u32 wait_of(struct task_struct *task, u32 task_state,
				   const struct call *call)
{
	u32 command = call->second & FUTEX_COMMAND;

	if (BPF_CORE_READ_BITFIELD(task, in_iowait))
		return SCALE_IO;
	if (call->number == settings.calls.futex) {
		bool is_lock = (command == FUTEX_WAIT && (u32)call->third == FUTEX_TAKEN) ||
			       command == FUTEX_LOCK_PI || command == FUTEX_LOCK_PI2;
		return is_lock ? SCALE_LOCK : SCALE_CONDITION;
	}
	if (call->number == settings.calls.nanosleep ||
	    call->number == settings.calls.clock_nanosleep)
		return SCALE_TIMER;
	/* No signal, not even one that kills, ends the wait: a lock of the kernel's. */
	return task_state == TASK_UNINTERRUPTIBLE ? SCALE_LOCK : SCALE_OTHER;
}

/* What the thread does that leaves its core. */
static __always_inline u32 state_after(struct task_struct *task, u32 task_state, bool *is_yield)
{
	struct call call = {};

	call_read(task, &call);
	*is_yield = !task_state && call.number == settings.calls.sched_yield;
	if (!task_state)
		return SCALE_RUNNABLE;
	return task_state & TASK_DEAD ? SCALE_NONE : wait_of(task, task_state, &call);
}

SEC("tp_btf/sched_switch")
int BPF_PROG(scale_switch, bool preempt, struct task_struct *previous, struct task_struct *next,
	     unsigned int previous_state)
{
	u32 out_tid = previous->pid, in_tid = next->pid;
	bool leaves = is_counted(out_tid), enters = is_counted(in_tid), is_yield = false;
	u32 cpu = bpf_get_smp_processor_id() & (SCALE_CPUS_MOST - 1);
	bool is_allowed = settings.allowed[cpu / 64] >> (cpu & 63) & 1;
	bool was_taken = is_foreign[cpu], is_taken = is_allowed && in_tid && !enters;
	u32 out_state = SCALE_RUNNABLE;

	if (!leaves && !enters && was_taken == is_taken)
		return 0;
	u64 now = bpf_ktime_get_ns();
	struct scale_totals *sums = totals_get();
	if (!sums)
		return 0;
	if (leaves && !preempt)
		out_state = state_after(previous, previous_state, &is_yield);
	is_foreign[cpu] = is_taken;
	struct scale_slot *out = slot_of(out_tid), *in = slot_of(in_tid);
	bpf_spin_lock(&sums->lock);
	sums_advance(sums, now);
	sums->foreign += is_taken - was_taken;
	if (leaves)
		slot_set(sums, out, out_state);
	if (enters) {
		sums->wakes += in->state >= SCALE_LOCK; /* woken on its way out */
		slot_set(sums, in, SCALE_RUNNING);
	}
	sums->switches += leaves || enters;
	sums->yields += is_yield;
	sums->escapes += enters && !is_allowed;
	bpf_spin_unlock(&sums->lock);
	return 0;
}

SEC("tp_btf/sched_waking")
int BPF_PROG(scale_waking, struct task_struct *task)
{
	u32 tid = task->pid;
	struct scale_totals *sums = is_counted(tid) ? totals_get() : NULL;
	struct scale_slot *slot = slot_of(tid);

	if (!sums)
		return 0;
	u64 now = bpf_ktime_get_ns();
	bpf_spin_lock(&sums->lock);
	/* One that is still on its way out of its core is found runnable when it enters again. */
	if (slot->state >= SCALE_LOCK) {
		sums_advance(sums, now);
		slot_set(sums, slot, SCALE_RUNNABLE);
		sums->wakes++;
	}
	bpf_spin_unlock(&sums->lock);
	return 0;
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(scale_fork, struct task_struct *parent, struct task_struct *child)
{
	u32 tid = child->pid;
	struct scale_slot *slot = slot_of(tid);
	struct scale_totals *sums = is_counted(parent->pid) ? totals_get() : NULL;
	bool is_process = child->tgid == child->pid;

	if (!sums)
		return 0;
	u64 now = bpf_ktime_get_ns();
	bpf_spin_lock(&sums->lock);
	sums_advance(sums, now);
	sums->overwritten += slot->state != SCALE_NONE;
	slot_set(sums, slot, SCALE_RUNNABLE);
	slot->tid = tid;
	sums->threads++;
	sums->processes += is_process;
	/* The first one, and those made since; SCALE_NONE counts the dead, less those made. */
	u32 alive = 1 - sums->counts[SCALE_NONE];
	if (sums->most_threads < alive)
		sums->most_threads = alive;
	bpf_spin_unlock(&sums->lock);
	return 0;
}

/* A thread that execs takes the id of its process's first thread; that one has gone. */
SEC("tp_btf/sched_process_exec")
int BPF_PROG(scale_exec, struct task_struct *task, int old_tid, struct linux_binprm *binary)
{
	u32 tid = task->pid;
	struct scale_slot *slot = slot_of(tid), *old = slot_of(old_tid);
	struct scale_totals *sums = is_counted(old_tid) ? totals_get() : NULL;

	if (!sums)
		return 0;
	u64 now = bpf_ktime_get_ns();
	bpf_spin_lock(&sums->lock);
	sums_advance(sums, now);
	if ((u32)old_tid != tid) {
		slot_set(sums, slot, SCALE_RUNNING);
		slot->tid = tid;
		slot_set(sums, old, SCALE_NONE);
	}
	if (!sums->begin_ns && tid == settings.root)
		sums->begin_ns = sums->last_ns = now;
	bpf_spin_unlock(&sums->lock);
	return 0;
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(scale_exit, struct task_struct *task)
{
	struct scale_totals *sums = (u32)task->tgid == settings.root ? totals_get() : NULL;

	if (!sums || task->signal->live.counter > 0)
		return 0;
	u64 now = bpf_ktime_get_ns();
	bpf_spin_lock(&sums->lock);
	sums_advance(sums, now);
	if (sums->begin_ns && !sums->end_ns)
		sums->end_ns = sums->last_ns;
	bpf_spin_unlock(&sums->lock);
	return 0;
}
