/* SPDX-License-Identifier: BSD-2-Clause */
/* selection - asks /proc and the cgroup's files. */
#include "collect/process/selection.h"

#include "base/cleanup.h"
#include "base/memory.h"
#include "collect/process/cgroup.h"
#include "collect/process/listeners.h"

#include <errno.h>
#include <fnmatch.h>
#include <unistd.h>

#define PORTS_MOST 64

bool process_selection_has_sources(const struct process_selection *selection)
{
	return selection->pid_count || selection->port_count || selection->cgroup;
}

bool process_selection_is_open(const struct process_selection *selection)
{
	return selection->cgroup || (!process_selection_has_sources(selection) &&
				     (selection->name_count || selection->is_system_wide));
}

bool process_selection_wants_name(const struct process_selection *selection, const char *name)
{
	bool is_asked = false, matches = false;

	for (size_t i = 0; i < selection->name_count; i++) {
		const char *glob = selection->names[i];
		bool is_negative = *glob == '!';
		if (is_negative && !fnmatch(glob + 1, name, 0))
			return false;
		is_asked = is_asked || !is_negative;
		matches = matches || (!is_negative && !fnmatch(glob, name, 0));
	}
	return !is_asked || matches;
}

bool process_selection_has_pid(const struct process_selection *selection, pid_t pid)
{
	for (size_t i = 0; i < selection->pid_count; i++)
		if (selection->pids[i] == pid)
			return true;
	return false;
}

struct process_selection process_selection_later(const struct process_selection *selection)
{
	struct process_selection later = *selection;

	later.pid_count = later.port_count = 0;
	return later;
}

static void add_found(void *context, pid_t pid)
{
	struct process_list *list = context;

	if (!process_list_has(list, pid))
		*array_add(list) = pid;
}

static int add_pids(const struct process_selection *selection, const struct process_table *table,
		    struct process_list *list, struct error *error)
{
	for (size_t i = 0; i < selection->pid_count; i++) {
		pid_t pid = selection->pids[i];
		if (pid == getpid())
			return error_set(error, -EINVAL, "process %d is this lever itself",
					 (int)pid);
		if (!process_table_has(table, pid))
			return error_set(error, -ESRCH,
					 "there is no process %d; \"ps -e\" lists them", (int)pid);
		add_found(list, pid);
	}
	return 0;
}

static int add_listeners(const struct process_selection *selection,
			 const struct process_table *table, struct process_list *list,
			 struct error *error)
{
	bool is_found[PORTS_MOST] = {false};

	if (selection->port_count > PORTS_MOST)
		return error_set(error, -EINVAL, "more than %d ports", PORTS_MOST);
	if (selection->port_count)
		listeners_find(table, selection->ports, selection->port_count, is_found, list);
	for (size_t i = 0; i < selection->port_count; i++)
		if (!is_found[i])
			return error_set(error, -ESRCH,
					 "no process listens on port %u; \"ss -lntup\" shows who "
					 "listens where",
					 selection->ports[i]);
	return 0;
}

static int add_sources(const struct process_selection *selection, const struct process_table *table,
		       struct process_list *list, struct error *error)
{
	int code = add_pids(selection, table, list, error);

	code = code ? code : add_listeners(selection, table, list, error);
	if (!code && !selection->without_children)
		process_table_add_descendants(table, list);
	if (!code && selection->cgroup)
		code = cgroup_each(selection->cgroup, add_found, list, error);
	return code;
}

/* Lever, if a parent of it was selected, and processes with names that are not wanted. */
static void remove_unwanted(const struct process_selection *selection, bool filters_by_name,
			    struct process_list *list)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->count; i++) {
		pid_t pid = list->items[i];
		AUTO(text) char *name = filters_by_name ? process_name(pid) : NULL;
		bool is_wanted =
			!filters_by_name || (name && process_selection_wants_name(selection, name));
		if (is_wanted && pid != getpid())
			list->items[kept++] = pid;
	}
	list->count = kept;
}

int process_selection_find(const struct process_selection *selection, bool filters_by_name,
			   struct process_list *list, struct error *error)
{
	struct process_table table;
	int code = 0;

	*list = (struct process_list){0};
	if (!process_selection_has_sources(selection) && !selection->name_count)
		return 0; /* reading all of /proc takes milliseconds */
	process_table_read(&table);
	if (process_selection_has_sources(selection))
		code = add_sources(selection, &table, list, error);
	else if (selection->name_count)
		for (size_t i = 0; i < table.count; i++)
			*array_add(list) = table.items[i].pid;
	process_table_release(&table);
	remove_unwanted(selection, filters_by_name && selection->name_count, list);
	return code;
}
