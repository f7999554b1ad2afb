/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * live_processes - processes that may still live: those that were added and are not known to be
 * gone.
 */
#pragma once

#include "collect/process/tree.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Zeroed: none. */
struct live_processes {
	pid_t *items;
	size_t count, capacity;
};

void live_processes_add(struct live_processes *processes, pid_t pid);
void live_processes_remove(struct live_processes *processes, pid_t pid);
bool live_processes_has(const struct live_processes *processes, pid_t pid);
/* Asks the kernel, and removes those that are gone. */
bool live_processes_any(struct live_processes *processes);
/* Adds those that may still live. */
void live_processes_list(const struct live_processes *processes, struct process_list *list);
void live_processes_release(struct live_processes *processes);
