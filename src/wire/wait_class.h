/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * wait_class - why a task is off CPU: the one table of what a system call, a function of the
 * kernel, an interposed call and a kind of file tell about that.
 *
 * A *reason* is what the task waits for; each reason has one *class* (I, L, S or B). The BPF
 * programs and the runtime library ask for the reason by number, by the interposed call or by the
 * file; `lever record` and the timeline ask by name.
 */
#pragma once

#include <asm/unistd.h>
#include <linux/futex.h>
#include <stdbool.h>
#ifndef __bpf__
#include <string.h>
#include <sys/stat.h>
#endif

enum wait_class {
	WAIT_CLASS_IO = 1,
	WAIT_CLASS_LOCK,
	WAIT_CLASS_RUNNABLE,
	WAIT_CLASS_OTHER,
};
#define WAIT_CLASS_BIT(class) (1u << (class))

enum wait_reason {
	WAIT_FOR_UNKNOWN,
	WAIT_FOR_THREAD, /* a condition, a join, or a lock: a thread of the program ends it */
	WAIT_FOR_LOCK,   /* known to be a lock */
	WAIT_FOR_CHILD,  /* a process of the program ends it */
	WAIT_FOR_TIME,
	WAIT_FOR_FILE, /* a pipe, a socket, a queue: the other end ends it */
	WAIT_FOR_DISK,
	WAIT_FOR_CORE,
};

static inline enum wait_class wait_class_of(enum wait_reason reason)
{
	switch (reason) {
	case WAIT_FOR_THREAD:
	case WAIT_FOR_LOCK:
		return WAIT_CLASS_LOCK;
	case WAIT_FOR_DISK:
		return WAIT_CLASS_IO;
	case WAIT_FOR_CORE:
		return WAIT_CLASS_RUNNABLE;
	default:
		return WAIT_CLASS_OTHER;
	}
}

/* ---- system calls whose number alone tells the reason ---- */

#ifndef __NR_futex_wait
#define __NR_futex_wait 455 /* since Linux 6.7 */
#endif
#define WAIT_CALLS(X)          \
	X(futex, THREAD)       \
	X(futex_wait, THREAD)  \
	X(futex_waitv, THREAD) \
	X(nanosleep, TIME)     \
	X(clock_nanosleep, TIME)

/* A negative number is no system call. */
static inline enum wait_reason wait_reason_of_call(long number)
{
#define WAIT_CALL_CASE(name, reason) \
	case __NR_##name:            \
		return WAIT_FOR_##reason;
	switch (number) {
		WAIT_CALLS(WAIT_CALL_CASE)
	default:
		return WAIT_FOR_UNKNOWN;
	}
#undef WAIT_CALL_CASE
}

/* ---- futexes, by the second and third argument of the call ---- */

/*
 * What a lock's word holds while threads wait for it: 2 in mutexes of glibc, Go and Rust, 2 or 3
 * in rwlocks of glibc, -1 in mutexes of libgomp, bit 31 and the owner in those of musl, bits 30
 * and 31 in rwlocks of Rust.
 */
#define WAIT_FUTEX_CONTENDED 2
#define WAIT_FUTEX_FLAGS 0xC0000000u
#define WAIT_FUTEX_PARKED 0xFFFFFFFFu /* by FUTEX_WAIT_BITSET: a parked thread of Rust */

static inline bool wait_futex_waits(unsigned long operation)
{
	operation &= FUTEX_CMD_MASK;
	return operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET ||
	       operation == FUTEX_LOCK_PI || operation == FUTEX_LOCK_PI2 ||
	       operation == FUTEX_WAIT_REQUEUE_PI;
}

/* So glibc waits for conditions; for some other things, too. */
static inline bool wait_futex_is_condition(unsigned int operation)
{
	return (operation & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET;
}

/* False: a condition, a semaphore, a barrier, a join. */
static inline bool wait_futex_is_lock(unsigned int operation, unsigned int value)
{
	operation &= FUTEX_CMD_MASK;
	if (operation == FUTEX_WAIT)
		return value == WAIT_FUTEX_CONTENDED || (value & 1u << 31);
	if (operation == FUTEX_WAIT_BITSET)
		return value == WAIT_FUTEX_CONTENDED || value == (WAIT_FUTEX_CONTENDED | 1) ||
		       ((value & WAIT_FUTEX_FLAGS) && value != WAIT_FUTEX_PARKED);
	return operation == FUTEX_LOCK_PI || operation == FUTEX_LOCK_PI2;
}

#ifndef __bpf__

/* ---- files: `mode` as in struct stat ---- */

static inline enum wait_reason wait_reason_of_file(unsigned int mode)
{
	return S_ISREG(mode) || S_ISBLK(mode) || S_ISDIR(mode) ? WAIT_FOR_DISK : WAIT_FOR_FILE;
}

/* ---- by name ---- */

static inline enum wait_reason wait_reason_of_call_name(const char *call)
{
#define WAIT_CALL_NAME(name, reason) \
	if (!strcmp(call, #name))    \
		return WAIT_FOR_##reason;
	WAIT_CALLS(WAIT_CALL_NAME)
#undef WAIT_CALL_NAME
	return WAIT_FOR_UNKNOWN;
}

/*
 * Rules for `lever record`, one a line: CLASS/SUBCLASS, then patterns on the kernel function in
 * which the task blocked or, after "call:", on the system call. Functions of Linux 5.18 to 6.18. A
 * journal's wait for a commit is not counted as I/O by the scheduler.
 */
#define WAIT_SUBCLASS_THREAD "L/futex"
#define WAIT_SUBCLASS_TIME "B/sleep"
#define WAIT_CALL_RULE(name, reason) WAIT_SUBCLASS_##reason " call:" #name "\n"
#define WAIT_RULES                                                                           \
	WAIT_CALLS(WAIT_CALL_RULE)                                                           \
	"L/futex      futex_*\n"                                                             \
	"L/rwsem      *rwsem* percpu_down* __percpu_*\n"                                     \
	"L/mutex      *mutex*\n"                                                             \
	"L/semaphore  __down* down*\n"                                                       \
	"L/file-lock  *flock* *posix_lock* locks_*\n"                                        \
	"I/journal    jbd2_* *log_wait_commit* xlog_* xfs_log_* btrfs_*transaction* "        \
	"wait_transaction*\n"                                                                \
	"I/page       folio_* wait_on_page* __lock_page* filemap_* truncate_inode*\n"        \
	"I/writeback  wb_* balance_dirty* writeback_* inode_wait_*\n"                        \
	"I/disk       blk* submit_bio* bio_* *_dio_* iomap_* __iomap_* rq_qos_* wbt_* "      \
	"call:*fsync call:fdatasync call:sync*\n"                                            \
	"I/ring       io_cqring_* io_uring_*\n"                                              \
	"B/sleep      *nanosleep* *hrtimer*\n"                                               \
	"B/pipe       *pipe_* wait_for_partner\n"                                            \
	"B/poll       *poll* do_select* ep_* call:*select*\n"                                \
	"B/socket     sk_* __sk* *skb_* inet_* tcp_* unix_* sock_* call:accept* call:recv* " \
	"call:send* call:connect\n"                                                          \
	"B/process    do_wait* kernel_wait* *vfork* call:wait* call:vfork\n"                 \
	"B/signal     *sig*wait* sigsuspend do_signal_stop ptrace_* call:pause\n"            \
	"B/memory     *reclaim* *swap* *compact* mmap_* userfault* handle_userfault\n"       \
	"B/terminal   n_tty_* tty_*\n"                                                       \
	"B/queue      wq_sleep do_mq_* do_msg* *semtimedop* worker_thread kthread* rescuer_thread\n"

/* Functions of waiting as such; the caller tells the reason. */
#define WAIT_FUNCTIONS                                                                            \
	"__schedule*", "schedule*", "io_schedule*", "preempt_schedule*", "__cond_resched*",       \
		"*cond_resched*", "wait_for_complet*", "__wait_for_common*", "do_wait_for_comm*", \
		"wait_woken*", "rt_mutex_schedule", "bit_wait*", "__wait_on_bit*",                \
		"out_of_line_wait_*", "bpf_*", "__bpf_*", "__traceiter_*", "__SCT__*",            \
		"trace_call_bpf*", "wait_for_common*"

#endif
