/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tree - the processes that run now, and who is whose child, from /proc.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct process_list {
	pid_t *items;
	size_t count, capacity;
};

struct process_entry {
	pid_t pid, parent; /* parent 0: none, or in another pid namespace */
};

struct process_table {
	struct process_entry *items; /* by pid */
	size_t count, capacity;
};

bool process_list_has(const struct process_list *list, pid_t pid);
void process_list_release(struct process_list *list);

/* Takes 5 to 10 us a process. To be released. */
void process_table_read(struct process_table *table);
void process_table_release(struct process_table *table);
bool process_table_has(const struct process_table *table, pid_t pid);
/* Adds all processes of `table` that descend from one in `list`, and are not in it yet. */
void process_table_add_descendants(const struct process_table *table, struct process_list *list);

/* 0: it has none, or is gone. */
pid_t process_parent(pid_t pid);
/* As `ps -o comm` shows it; NULL if the process is gone. To be freed. */
char *process_name(pid_t pid);
