/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/* descriptor - the open files of a task. */
#pragma once

#include "bpf/shared.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct qstr___open {
	const unsigned char *name;
};
struct dentry___open {
	struct qstr___open d_name;
};
struct path___open {
	struct dentry___open *dentry;
};
struct file___open {
	struct path___open f_path;
	struct inode *f_inode;
};
struct fdtable___open {
	unsigned int max_fds;
	struct file___open **fd;
};
struct files_struct___open {
	struct fdtable___open *fdt;
};
struct task_struct___open {
	struct files_struct___open *files;
};
#pragma clang attribute pop

/* The task's open file, or NULL. */
static __always_inline struct file___open *descriptor_file(struct task_struct *task, u64 descriptor)
{
	struct task_struct___open *owner = (void *)task;
	struct fdtable___open *table = BPF_CORE_READ(owner, files, fdt);
	struct file___open *file = NULL;

	if (!table || descriptor >= BPF_CORE_READ(table, max_fds))
		return NULL;
	struct file___open **files = BPF_CORE_READ(table, fd);
	bpf_probe_read_kernel(&file, sizeof(file), files + descriptor);
	return file;
}
