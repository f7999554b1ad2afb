/* SPDX-License-Identifier: BSD-2-Clause */
/* recorded_processes - process ids, from options, cgroups, and what forks. */
#include "record/recorded_processes.h"

#include "base/memory.h"
#include "collect/process/cgroup.h"

#include <errno.h>
#include <signal.h>

struct recorded_processes {
	struct recorder *recorder;
	ARRAY(pid_t) processes;
};

struct recorded_processes *recorded_processes_new(struct recorder *recorder)
{
	struct recorded_processes *processes = memory_new(1, sizeof(*processes));
	processes->recorder = recorder;
	return processes;
}

void recorded_processes_free(struct recorded_processes *processes)
{
	if (!processes)
		return;
	array_free(&processes->processes);
	free(processes);
}

static void forget(struct recorded_processes *processes, pid_t pid)
{
	for (size_t i = 0; i < processes->processes.count; i++)
		if (processes->processes.items[i] == pid)
			processes->processes.items[i--] =
				processes->processes.items[--processes->processes.count];
}

int recorded_processes_add(struct recorded_processes *processes, pid_t pid, struct error *error)
{
	forget(processes, pid);
	*array_add(&processes->processes) = pid;
	return recorder_add_process(processes->recorder, pid, error);
}

int recorded_processes_add_running(struct recorded_processes *processes, pid_t pid,
				   struct error *error)
{
	if (kill(pid, 0) && errno == ESRCH)
		return error_set(error, -ESRCH, "there is no process %d", (int)pid);
	return recorded_processes_add(processes, pid, error);
}

static void add_found(void *context, pid_t pid)
{
	recorded_processes_add(context, pid, NULL); /* it may have gone, or be another user's */
}

int recorded_processes_add_cgroup(struct recorded_processes *processes, const char *path,
				  struct error *error)
{
	return cgroup_each(path, add_found, processes, error);
}

void recorded_processes_on_process(struct recorded_processes *processes,
				   const struct kernel_process_event *event)
{
	if (event->kind == KERNEL_EVENT_FORK) {
		forget(processes, (pid_t)event->tgid);
		*array_add(&processes->processes) = (pid_t)event->tgid;
	} else if (event->kind == KERNEL_EVENT_EXIT) {
		forget(processes, (pid_t)event->tgid);
	}
}

bool recorded_processes_any_alive(struct recorded_processes *processes)
{
	for (size_t i = 0; i < processes->processes.count; i++)
		if (!kill(processes->processes.items[i], 0) || errno == EPERM)
			return true;
	return false;
}
