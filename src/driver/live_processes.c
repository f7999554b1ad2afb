/* SPDX-License-Identifier: BSD-2-Clause */
/* live_processes - an array of process ids. */
#include "driver/live_processes.h"

#include "base/memory.h"

#include <errno.h>
#include <signal.h>

void live_processes_remove(struct live_processes *processes, pid_t pid)
{
	for (size_t i = 0; i < processes->count; i++)
		if (processes->items[i] == pid)
			processes->items[i--] = processes->items[--processes->count];
}

void live_processes_add(struct live_processes *processes, pid_t pid)
{
	live_processes_remove(processes, pid);
	*array_add(processes) = pid;
}

bool live_processes_has(const struct live_processes *processes, pid_t pid)
{
	for (size_t i = 0; i < processes->count; i++)
		if (processes->items[i] == pid)
			return true;
	return false;
}

bool live_processes_any(struct live_processes *processes)
{
	while (processes->count) {
		if (!kill(processes->items[processes->count - 1], 0) || errno == EPERM)
			return true;
		processes->count--;
	}
	return false;
}

void live_processes_list(const struct live_processes *processes, struct process_list *list)
{
	for (size_t i = 0; i < processes->count; i++)
		*array_add(list) = processes->items[i];
}

void live_processes_release(struct live_processes *processes)
{
	array_free(processes);
}
