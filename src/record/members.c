/* SPDX-License-Identifier: BSD-2-Clause */
/* members - process ids, from options, cgroups, and what forks. */
#include "record/members.h"

#include "base/memory.h"
#include "collect/cgroup.h"

#include <errno.h>
#include <signal.h>

struct members {
	struct recorder *recorder;
	ARRAY(pid_t) processes;
};

struct members *members_new(struct recorder *recorder)
{
	struct members *members = memory_new(1, sizeof(*members));
	members->recorder = recorder;
	return members;
}

void members_free(struct members *members)
{
	if (!members)
		return;
	array_free(&members->processes);
	free(members);
}

static void forget(struct members *members, pid_t pid)
{
	for (size_t i = 0; i < members->processes.count; i++)
		if (members->processes.items[i] == pid)
			members->processes.items[i--] =
				members->processes.items[--members->processes.count];
}

int members_add(struct members *members, pid_t pid, struct error *error)
{
	forget(members, pid);
	*array_add(&members->processes) = pid;
	return recorder_add_process(members->recorder, pid, error);
}

int members_add_running(struct members *members, pid_t pid, struct error *error)
{
	if (kill(pid, 0) && errno == ESRCH)
		return error_set(error, -ESRCH, "there is no process %d", (int)pid);
	return members_add(members, pid, error);
}

static void add_found(void *context, pid_t pid)
{
	members_add(context, pid, NULL); /* it may have gone, or be another user's */
}

int members_add_cgroup(struct members *members, const char *path, struct error *error)
{
	return cgroup_each(path, add_found, members, error);
}

void members_on_process(struct members *members, const struct kernel_process_event *event)
{
	if (event->kind == KERNEL_EVENT_FORK) {
		forget(members, (pid_t)event->tgid);
		*array_add(&members->processes) = (pid_t)event->tgid;
	} else if (event->kind == KERNEL_EVENT_EXIT) {
		forget(members, (pid_t)event->tgid);
	}
}

bool members_any_alive(struct members *members)
{
	for (size_t i = 0; i < members->processes.count; i++)
		if (!kill(members->processes.items[i], 0) || errno == EPERM)
			return true;
	return false;
}
