/* SPDX-License-Identifier: BSD-2-Clause */
/* cgroup - reads cgroup.procs, folder by folder. */
#include "collect/process/cgroup.h"

#include "base/cleanup.h"
#include "base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>

#define CGROUP_ROOT "/sys/fs/cgroup/"

CLEANUP_DEFINE(folder, DIR *, closedir, NULL)

/* A plain folder may hold a file of that name, too. */
static bool is_cgroup(DIR *folder)
{
	struct statfs system;

	return !fstatfs(dirfd(folder), &system) &&
	       (system.f_type == CGROUP2_SUPER_MAGIC || system.f_type == CGROUP_SUPER_MAGIC);
}

static int each_of(const char *path, void (*visit)(void *context, pid_t pid), void *context)
{
	AUTO(text) char *list = text_format("%s/cgroup.procs", path);
	AUTO(file) FILE *processes = fopen(list, "re");
	AUTO(folder) DIR *folder = opendir(path);
	int pid;

	if (!processes || !folder)
		return -errno;
	if (!is_cgroup(folder))
		return -ENOTSUP;
	while (fscanf(processes, "%d", &pid) == 1)
		if (pid > 0)
			visit(context, pid);
	for (struct dirent *entry; (entry = readdir(folder));) {
		if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
			continue;
		AUTO(text) char *below = text_format("%s/%s", path, entry->d_name);
		each_of(below, visit, context); /* it may have gone */
	}
	return 0;
}

int cgroup_each(const char *path, void (*visit)(void *context, pid_t pid), void *context,
		struct error *error)
{
	bool is_whole = !strncmp(path, CGROUP_ROOT, strlen(CGROUP_ROOT));
	AUTO(text)
	char *whole =
		is_whole ? text_copy(path) : text_format(CGROUP_ROOT "%s", path + (*path == '/'));
	int code = each_of(whole, visit, context);

	if (code == -ENOTSUP)
		return error_set(error, -EINVAL,
				 "%s is a plain folder, not a cgroup; name a folder of %s", whole,
				 CGROUP_ROOT);
	if (code)
		return error_set(error, code,
				 "the cgroup %s cannot be read: %s; name a folder of %s", whole,
				 strerror(-code), CGROUP_ROOT);
	return 0;
}
