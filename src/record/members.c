/* SPDX-License-Identifier: BSD-2-Clause */
/* members - process ids, from options, cgroups, and what forks. */
#include "record/members.h"

#include "base/memory.h"
#include "base/own.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#define CGROUP_ROOT "/sys/fs/cgroup/"

struct members {
	struct recorder *recorder;
	ARRAY(pid_t) processes;
};

OWN_DEFINE(folder, DIR *, closedir, NULL)

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

static int add_group(struct members *members, const char *path)
{
	AUTO(text) char *list = text_format("%s/cgroup.procs", path);
	AUTO(file) FILE *processes = fopen(list, "re");
	AUTO(folder) DIR *folder = opendir(path);
	int pid;

	if (!processes || !folder)
		return -errno;
	while (fscanf(processes, "%d", &pid) == 1)
		if (pid > 0)
			members_add(members, pid,
				    NULL); /* it may have gone, or be another user's */
	for (struct dirent *entry; (entry = readdir(folder));) {
		if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
			continue;
		AUTO(text) char *below = text_format("%s/%s", path, entry->d_name);
		add_group(members, below); /* it may have gone */
	}
	return 0;
}

int members_add_cgroup(struct members *members, const char *path, struct error *error)
{
	AUTO(text)
	char *whole = *path == '/' && strncmp(path, CGROUP_ROOT, strlen(CGROUP_ROOT)) ?
			      text_format(CGROUP_ROOT "%s", path + 1) :
		      *path == '/' ? text_copy(path) :
				     text_format(CGROUP_ROOT "%s", path);
	int code = add_group(members, whole);

	if (code)
		return error_set(error, code,
				 "the cgroup %s cannot be read: %s; name a folder of %s", whole,
				 strerror(-code), CGROUP_ROOT);
	return 0;
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
