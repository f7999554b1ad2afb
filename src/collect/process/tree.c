/* SPDX-License-Identifier: BSD-2-Clause */
/* tree - /proc/PID/stat of all processes. */
#include "collect/process/tree.h"

#include "base/cleanup.h"
#include "base/memory.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

CLEANUP_DEFINE(folder, DIR *, closedir, NULL)

pid_t process_parent(pid_t pid)
{
	AUTO(text) char *path = text_format("/proc/%d/stat", (int)pid);
	AUTO(file) FILE *file = fopen(path, "re");
	char text[512] = "";
	int parent = 0;

	if (file)
		text[fread(text, 1, sizeof(text) - 1, file)] = 0;
	const char *end = strrchr(text, ')'); /* the name may hold anything */
	return end && sscanf(end + 1, " %*c %d", &parent) == 1 ? parent : 0;
}

char *process_name(pid_t pid)
{
	AUTO(text) char *path = text_format("/proc/%d/comm", (int)pid);
	AUTO(file) FILE *file = fopen(path, "re");
	char name[64] = "";

	if (!file || !fgets(name, sizeof(name), file))
		return NULL;
	name[strcspn(name, "\n")] = 0;
	return text_copy(name);
}

bool process_list_has(const struct process_list *list, pid_t pid)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->items[i] == pid)
			return true;
	return false;
}

void process_list_release(struct process_list *list)
{
	array_free(list);
}

static int compare_entries(const void *left, const void *right)
{
	pid_t a = ((const struct process_entry *)left)->pid;
	pid_t b = ((const struct process_entry *)right)->pid;

	return (a > b) - (a < b);
}

void process_table_read(struct process_table *table)
{
	AUTO(folder) DIR *processes = opendir("/proc");

	*table = (struct process_table){0};
	for (struct dirent *entry; processes && (entry = readdir(processes));) {
		pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
		if (pid > 0)
			*array_add(table) = (struct process_entry){pid, process_parent(pid)};
	}
	if (table->count)
		qsort(table->items, table->count, sizeof(*table->items), compare_entries);
}

void process_table_release(struct process_table *table)
{
	array_free(table);
}

static size_t index_of(const struct process_table *table, pid_t pid)
{
	const struct process_entry key = {.pid = pid};
	const struct process_entry *found = table->count ? bsearch(&key, table->items, table->count,
								   sizeof(key), compare_entries) :
							   NULL;

	return found ? (size_t)(found - table->items) : table->count;
}

bool process_table_has(const struct process_table *table, pid_t pid)
{
	return index_of(table, pid) < table->count;
}

/* A child may have a smaller pid than its parent, so the table is passed until nothing changes. */
void process_table_add_descendants(const struct process_table *table, struct process_list *list)
{
	AUTO(text) char *is_chosen = memory_new(table->count + 1, 1);
	bool has_grown = true;

	for (size_t i = 0; i < list->count; i++)
		is_chosen[index_of(table, list->items[i])] = 1;
	is_chosen[table->count] = 0; /* a process that is gone */
	while (has_grown) {
		has_grown = false;
		for (size_t i = 0; i < table->count; i++) {
			const struct process_entry *entry = &table->items[i];
			if (is_chosen[i] || !is_chosen[index_of(table, entry->parent)])
				continue;
			is_chosen[i] = 1;
			*array_add(list) = entry->pid;
			has_grown = true;
		}
	}
}
