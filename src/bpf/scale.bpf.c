// SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only)
/*
 * scale - the kernel side of `lever scale`: counts the program's threads by state, and adds up the
 * time for each number of active threads.
 *
 * One lock protects the sums; a change holds it for about ten instructions. So each nanosecond from
 * the program's start to its end is added to exactly one level, at any rate of switches. The clocks
 * of cores differ by less than a change takes, and time never goes back here.
 *
 * If a runnable thread of the program takes over a core from a thread that stays runnable, no count
 * changes, and the lock is not taken: only its core writes the state of a thread that runs or has
 * been chosen to run, and a wake-up of such a thread changes nothing.
 */
#include "wire/scale.h"
#include "bpf/spin.h"
#include "bpf/system_calls.h"
#include "wire/wait_class.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

#define TASK_UNINTERRUPTIBLE 0x02 /* include/linux/sched.h */
#define TASK_DEAD 0x80

struct scale_settings settings __attribute__((aligned(256)));
struct scale_slot slots[SCALE_SLOTS];
struct scale_counts counts[SCALE_CPUS_MOST];

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct scale_totals);
} scale_sums SEC(".maps");

/* The yields that this sampled one stands for. The thread left its core and stays runnable. */
static __always_inline u32 yields_of(struct scale_counts *core, struct task_struct *task)
{
	if (++core->stays & (SCALE_STAYS_PER_SAMPLE - 1))
		return 0;
	return system_call_of(task) == __NR_sched_yield ? SCALE_STAYS_PER_SAMPLE : 0;
}

/* The call is a futex. */
static __always_inline bool is_lock_wait(const struct pt_regs___kernel *saved)
{
	return wait_futex_is_lock(CALL_SECOND(saved), CALL_THIRD(saved));
}

static __always_inline struct scale_slot *slot_of(u32 tid)
{
	return &slots[tid & (SCALE_SLOTS - 1)];
}

/* A thread of the program. */
static __always_inline bool is_counted(u32 tid)
{
	struct scale_slot *slot = slot_of(tid);
	return tid && slot->tid == tid && slot->state;
}

static __always_inline u64 packed(u32 tid, u32 state)
{
	return tid | (u64)state << 32;
}

/* Both fields, by one load. */
static __always_inline u64 slot_packed(const struct scale_slot *slot)
{
	u64 value;
	__builtin_memcpy(&value, slot, sizeof(value));
	return value;
}

static __always_inline struct scale_totals *totals_get(void)
{
	u32 zero = 0;
	return bpf_map_lookup_elem(&scale_sums, &zero);
}

/* Adds the time since the last change to its level. Under the lock. */
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

/* The state of a thread that blocks. */
static __always_inline u32 wait_of(struct task_struct *task, u32 task_state)
{
	if (BPF_CORE_READ_BITFIELD(task, in_iowait))
		return SCALE_IO;
	const struct pt_regs___kernel *saved = (void *)bpf_task_pt_regs(task);
	int call = system_call_in(saved);
	enum wait_reason reason = wait_reason_of_call(call);
	if (reason == WAIT_FOR_THREAD)
		return call == __NR_futex && is_lock_wait(saved) ? SCALE_LOCK : SCALE_CONDITION;
	if (reason == WAIT_FOR_TIME)
		return SCALE_TIMER;
	/* Not even a fatal signal ends the wait: a lock of the kernel. */
	return task_state == TASK_UNINTERRUPTIBLE ? SCALE_LOCK : SCALE_OTHER;
}

/* The state of a thread that has left its core. */
static __always_inline u32 state_after(struct task_struct *task, u32 task_state)
{
	if (!task_state)
		return SCALE_RUNNABLE;
	return task_state & TASK_DEAD ? SCALE_NONE : wait_of(task, task_state);
}

/*
 * True if a runnable thread of the program takes over the core from a thread that stays runnable.
 * Nearly all switches of programs with 100,000 switches a second are such; this path is short.
 */
static __always_inline bool is_taken_over(struct scale_counts *core, struct scale_slot *out,
					  struct scale_slot *in, u32 out_tid, u32 in_tid)
{
	if (slot_packed(out) != packed(out_tid, SCALE_RUNNING) ||
	    slot_packed(in) != packed(in_tid, SCALE_RUNNABLE) || core->is_foreign)
		return false;
	out->state = SCALE_RUNNABLE;
	in->state = SCALE_RUNNING;
	core->switches++;
	core->escapes += !core->is_allowed;
	return true;
}

/* A switch that changes a count. */
static __always_inline void change(struct scale_counts *core, struct scale_slot *out, u32 out_state,
				   struct scale_slot *in, bool is_taken)
{
	bool was_taken = core->is_foreign, is_woken = false; /* while it was leaving its core */
	u64 now = bpf_ktime_get_ns();
	struct scale_totals *sums = totals_get();

	if (!sums)
		return;
	core->is_foreign = is_taken;
	bpf_spin_lock(&sums->lock);
	sums_advance(sums, now);
	sums->foreign += is_taken - was_taken;
	if (out)
		slot_set(sums, out, out_state);
	if (in) {
		is_woken = in->state >= SCALE_LOCK;
		slot_set(sums, in, SCALE_RUNNING);
	}
	bpf_spin_unlock(&sums->lock);
	core->wakes += is_woken;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(scale_switch, bool preempt, struct task_struct *previous, struct task_struct *next,
	     unsigned int previous_state)
{
	u32 out_tid = previous->pid, in_tid = next->pid, out_state = SCALE_RUNNABLE;
	struct scale_slot *out = slot_of(out_tid), *in = slot_of(in_tid);
	struct scale_counts *core = &counts[bpf_get_smp_processor_id() & (SCALE_CPUS_MOST - 1)];
	bool stays = preempt || !previous_state;

	if (stays && is_taken_over(core, out, in, out_tid, in_tid)) {
		if (!preempt)
			core->yields += yields_of(core, previous);
		return 0;
	}
	bool leaves = is_counted(out_tid), enters = is_counted(in_tid);
	bool is_taken = core->is_allowed && in_tid && !enters;
	if (!leaves && !enters && core->is_foreign == is_taken)
		return 0;
	core->switches += leaves || enters;
	core->escapes += enters && !core->is_allowed;
	if (leaves && !preempt && !previous_state)
		core->yields += yields_of(core, previous);
	if (leaves && !stays)
		out_state = state_after(previous, previous_state);
	change(core, leaves ? out : NULL, out_state, enters ? in : NULL, is_taken);
	return 0;
}

SEC("tp_btf/sched_waking")
int BPF_PROG(scale_waking, struct task_struct *task)
{
	u32 tid = task->pid;
	struct scale_slot *slot = slot_of(tid);
	/* A thread that is still leaving its core is found runnable when it enters again. */
	bool is_blocked = is_counted(tid) && slot->state >= SCALE_LOCK, is_woken = false;
	struct scale_totals *sums = is_blocked ? totals_get() : NULL;

	if (!sums)
		return 0;
	u64 now = bpf_ktime_get_ns();
	bpf_spin_lock(&sums->lock);
	if (slot->state >= SCALE_LOCK) {
		sums_advance(sums, now);
		slot_set(sums, slot, SCALE_RUNNABLE);
		is_woken = true;
	}
	bpf_spin_unlock(&sums->lock);
	counts[bpf_get_smp_processor_id() & (SCALE_CPUS_MOST - 1)].wakes += is_woken;
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
	/* The first thread, and all created since; SCALE_NONE: the ended less the created. */
	u32 alive = 1 - sums->counts[SCALE_NONE];
	if (sums->most_threads < alive)
		sums->most_threads = alive;
	bpf_spin_unlock(&sums->lock);
	return 0;
}

/* A thread that calls exec takes the id of its process's first thread, which has ended. */
SEC("tp_btf/sched_process_exec")
int BPF_PROG(scale_exec, struct task_struct *task, int old_tid, struct linux_binprm *binary)
{
	u32 tid = task->pid;
	struct scale_slot *slot = slot_of(tid), *old = slot_of(old_tid);
	bool is_root = tgid_of(task) == settings.root, is_found = is_root && !is_counted(old_tid);
	struct scale_totals *sums = is_found || is_counted(old_tid) ? totals_get() : NULL;

	if (!sums || (is_found && sums->begin_ns))
		return 0;
	if (is_found) { /* the engine is in a namespace and does not know this id */
		slot->tid = tid;
		slot->state = SCALE_OTHER;
	}
	u64 now = bpf_ktime_get_ns();
	bpf_spin_lock(&sums->lock);
	sums_advance(sums, now);
	if (is_found) {
		slot_set(sums, slot, SCALE_RUNNING);
	} else if ((u32)old_tid != tid) {
		slot_set(sums, slot, SCALE_RUNNING);
		slot->tid = tid;
		slot_set(sums, old, SCALE_NONE);
	}
	if (!sums->begin_ns && is_root)
		sums->begin_ns = sums->last_ns = now;
	bpf_spin_unlock(&sums->lock);
	return 0;
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(scale_exit, struct task_struct *task)
{
	struct scale_totals *sums = tgid_of(task) == settings.root ? totals_get() : NULL;

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

/* ---- samples of running threads, on demand ---- */

SEC("perf_event")
int scale_sample(struct bpf_perf_event_data *context)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct scale_counts *core = &counts[bpf_get_smp_processor_id() & (SCALE_CPUS_MOST - 1)];

	if (!is_counted(task->pid))
		return 0;
	core->samples++;
	core->spinning += spins(context);
	return 0;
}
