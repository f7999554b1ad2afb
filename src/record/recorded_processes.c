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
	struct recorded_processes *recorded_processes = memory_new(1, sizeof(*recorded_processes));
	recorded_processes->recorder = recorder;
	return recorded_processes;
}

void recorded_processes_free(struct recorded_processes *recorded_processes)
{
	if (!recorded_processes)
		return;
	array_free(&recorded_processes->processes);
	free(recorded_processes);
}

static void forget(struct recorded_processes *recorded_processes, pid_t pid)
{
	for (size_t i = 0; i < recorded_processes->processes.count; i++)
		if (recorded_processes->processes.items[i] == pid)
			recorded_processes->processes.items[i--] =
				recorded_processes->processes
					.items[--recorded_processes->processes.count];
}

int recorded_processes_add(struct recorded_processes *recorded_processes, pid_t pid,
			   struct error *error)
{
	forget(recorded_processes, pid);
	*array_add(&recorded_processes->processes) = pid;
	return recorder_add_process(recorded_processes->recorder, pid, error);
}

int recorded_processes_add_running(struct recorded_processes *recorded_processes, pid_t pid,
				   struct error *error)
{
	if (kill(pid, 0) && errno == ESRCH)
		return error_set(error, -ESRCH, "there is no process %d", (int)pid);
	return recorded_processes_add(recorded_processes, pid, error);
}

static void add_found(void *context, pid_t pid)
{
	recorded_processes_add(context, pid, NULL); /* it may have gone, or be another user's */
}

int recorded_processes_add_cgroup(struct recorded_processes *recorded_processes, const char *path,
				  struct error *error)
{
	return cgroup_each(path, add_found, recorded_processes, error);
}

void recorded_processes_on_process(struct recorded_processes *recorded_processes,
				   const struct kernel_process_event *event)
{
	if (event->kind == KERNEL_EVENT_FORK) {
		forget(recorded_processes, (pid_t)event->tgid);
		*array_add(&recorded_processes->processes) = (pid_t)event->tgid;
	} else if (event->kind == KERNEL_EVENT_EXIT) {
		forget(recorded_processes, (pid_t)event->tgid);
	}
}

bool recorded_processes_any_alive(struct recorded_processes *recorded_processes)
{
	for (size_t i = 0; i < recorded_processes->processes.count; i++)
		if (!kill(recorded_processes->processes.items[i], 0) || errno == EPERM)
			return true;
	return false;
}
