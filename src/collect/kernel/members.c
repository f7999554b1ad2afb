/* SPDX-License-Identifier: BSD-2-Clause */
/* members - marks the program's processes for the kernel side (bpf/member.h). */
#include "base/cleanup.h"
#include "collect/kernel/engine.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Mirrors struct task_state of bpf/state.h, whose layout the skeleton does not export. */
static int mark(const struct collector *collector, int pidfd, const size_t *bytes, uint64_t flags)
{
	const struct bpf_map *tasks = kernel_of(collector)->bpf->maps.tasks;
	unsigned char state[KERNEL_TASK_STATE_BYTES] = {0};

	if (bpf_map__value_size(tasks) != sizeof(state))
		return -EINVAL;
	for (; *bytes; bytes++)
		state[*bytes] = 1;
	return bpf_map_update_elem(bpf_map__fd(tasks), &pidfd, state, flags) ? -errno : 0;
}

static int mark_process(struct collector *collector, pid_t pid, const size_t *bytes,
			struct error *error)
{
	AUTO(fd) int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	int code = pidfd < 0 ? -errno : mark(collector, pidfd, bytes, BPF_NOEXIST);

	if (!code || code == -EEXIST)
		return 0;
	if (code == -ESRCH)
		return error_set(error, code, "there is no process %d; \"ps -e\" lists them",
				 (int)pid);
	if (code == -EINVAL || code == -ENOENT)
		return error_set(error, code, "%d is no process (a thread's id?)", (int)pid);
	return error_set(error, code, "cannot follow process %d: %s", (int)pid, strerror(-code));
}

int kernel_add_task(struct collector *collector, int pidfd, struct error *error)
{
	static const size_t bytes[] = {KERNEL_TASK_STATE_MEMBER, KERNEL_TASK_STATE_IN_TREE, 0};
	int code = mark(collector, pidfd, bytes, BPF_ANY);

	return code ? error_set(error, code, "cannot follow the program: %s", strerror(-code)) : 0;
}

int kernel_mark_itself(struct collector *collector, int pidfd, struct error *error)
{
	static const size_t bytes[] = {KERNEL_TASK_STATE_MEMBER, 0};
	int code = mark(collector, pidfd, bytes, BPF_ANY);

	return code ? error_set(error, code, "cannot follow lever itself: %s", strerror(-code)) : 0;
}

int kernel_add_process(struct collector *collector, pid_t pid, struct error *error)
{
	static const size_t bytes[] = {KERNEL_TASK_STATE_IN_TREE, KERNEL_TASK_STATE_UNDECIDED, 0};
	return mark_process(collector, pid, bytes, error);
}

int kernel_add_peer(struct collector *collector, pid_t pid, struct error *error)
{
	static const size_t bytes[] = {KERNEL_TASK_STATE_PEER, 0};
	int code = mark_process(collector, pid, bytes, error);

	__atomic_store_n(&collector->settings->has_peers, 1, __ATOMIC_RELEASE);
	return code;
}

int kernel_exclude_process(struct collector *collector, pid_t pid, struct error *error)
{
	static const size_t bytes[] = {KERNEL_TASK_STATE_EXCLUDED, 0};
	return mark_process(collector, pid, bytes, error);
}

void kernel_follow_all(struct collector *collector)
{
	__atomic_store_n(&collector->settings->is_system_wide, 1, __ATOMIC_RELEASE);
}

int kernel_filter_name(struct collector *collector, const char *name, bool is_wanted)
{
	struct kernel_name key = {0};
	uint32_t verdict = is_wanted ? KERNEL_NAME_WANTED : KERNEL_NAME_UNWANTED;

	memcpy(key.text, name, strnlen(name, sizeof(key.text) - 1));
	return bpf_map_update_elem(bpf_map__fd(kernel_of(collector)->bpf->maps.names), &key,
				   &verdict, BPF_ANY) ?
		       -errno :
		       0;
}

void kernel_announce_names(struct collector *collector)
{
	__atomic_store_n(&collector->settings->filter_by_name, 1, __ATOMIC_RELEASE);
}
