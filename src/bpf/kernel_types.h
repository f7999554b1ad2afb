/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kernel_types - the few kernel types that the BPF programs read, written out by hand.
 *
 * Only the fields that are used; CO-RE moves them to where the running kernel has them. All hold
 * since 5.18 at the latest.
 */
#pragma once

#include <linux/types.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s16 s16;
typedef __s64 s64;

#define PF_KTHREAD 0x00200000 /* include/linux/sched.h, unchanged since 2.6 */

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct super_block {
	u32 s_dev;
	unsigned long s_magic;
};

struct inode {
	unsigned long i_ino;
	struct super_block *i_sb;
};

struct file {
	struct inode *f_inode;
};

struct vm_area_struct {
	unsigned long vm_start;
	unsigned long vm_end;
	unsigned long vm_pgoff;
	unsigned long vm_flags;
	const struct vm_operations_struct *vm_ops;
	struct file *vm_file;
};

typedef struct {
	int counter;
} atomic_t;

struct mm_struct {
	atomic_t mm_users;
	struct {
		void *vdso; /* x86, arm64 and others: where the kernel's own library is mapped */
	} context;
};

struct signal_struct {
	atomic_t live; /* threads that have not begun to exit */
};

struct sched_info {
	unsigned long long run_delay; /* ns runnable without a core; added up at switch-in */
};

/* A process id in each of the namespaces that know it. */
struct upid {
	int nr;
	void *ns;
};

struct pid {
	unsigned int level;
	struct upid numbers[1];
};

struct thread_info {
	unsigned long flags;
	u32 cpu;
};

/* Where the thread pointer is while the task runs: x86 and arm64. */
struct thread_struct {
#if defined(__TARGET_ARCH_x86)
	unsigned long fsbase;
#elif defined(__TARGET_ARCH_arm64)
	struct {
		unsigned long tp_value;
	} uw;
#endif
};

struct task_struct {
	struct thread_info thread_info;
	unsigned int flags;
	int pid;
	int tgid;
	struct mm_struct *mm;
	struct task_struct *group_leader;
	struct signal_struct *signal;
	struct pid *thread_pid;
	struct sched_info sched_info;
	int on_cpu;
	struct thread_struct thread;
	unsigned in_iowait : 1;
	char comm[16];
};

struct bpf_iter__task {
	struct task_struct *task;
};

struct linux_binprm {
	const char *filename;
};

#pragma clang attribute pop
