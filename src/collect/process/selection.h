/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * selection - which running processes a command was asked for, and which those are now.
 */
#pragma once

#include "base/error.h"
#include "collect/process/tree.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All pointers are borrowed. Zeroed: nothing is selected. */
struct process_selection {
	const pid_t *pids;
	size_t pid_count;
	const uint16_t *ports; /* the processes that listen on them */
	size_t port_count;
	const char *cgroup; /* a folder of /sys/fs/cgroup, with those below it */
	bool is_system_wide;
	bool without_children;    /* of pids and listeners: not the children that exist */
	const char *const *names; /* globs on comm; with a ! before: not those */
	size_t name_count;
};

/* Are processes named by something else than their names? */
bool process_selection_has_sources(const struct process_selection *selection);
/* May processes join later that no selected one has forked? */
bool process_selection_is_open(const struct process_selection *selection);
/* By the globs alone; with only globs that begin with !, all others. */
bool process_selection_wants_name(const struct process_selection *selection, const char *name);

bool process_selection_has_pid(const struct process_selection *selection, pid_t pid);
/* What may still join: the selection without its pids and ports. */
struct process_selection process_selection_later(const struct process_selection *selection);

/*
 * The processes of pids, ports and cgroup, each once and without lever itself; those of the machine
 * if there are only names. `filters_by_name`: only those whose name is wanted. The list is to be
 * released, also after an error: a pid that is gone, a port that nobody listens on, no cgroup.
 */
int process_selection_find(const struct process_selection *selection, bool filters_by_name,
			   struct process_list *list, struct error *error);
