/* SPDX-License-Identifier: BSD-2-Clause */
/* tracefs - reads tracepoint numbers through a mount that exists only as a descriptor. */
#include "collect/bpf/tracefs.h"

#include "base/cleanup.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <string.h>
#include <sys/syscall.h>

/* A detached mount (fsopen, kernel 5.2): invisible to others, gone with the descriptor. */
static int tracefs_open(void)
{
	int directory = open("/sys/kernel/tracing", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (directory >= 0 && !faccessat(directory, "events", R_OK, 0))
		return directory;
	if (directory >= 0)
		close(directory);
	AUTO(fd) int context = (int)syscall(SYS_fsopen, "tracefs", FSOPEN_CLOEXEC);
	if (context < 0 || syscall(SYS_fsconfig, context, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
		return -errno;
	int mount = (int)syscall(SYS_fsmount, context, FSMOUNT_CLOEXEC, 0);
	return mount < 0 ? -errno : mount;
}

static int name_is_safe(const char *name)
{
	for (; *name; name++)
		if (!isalnum((unsigned char)*name) && *name != '_' && *name != '-')
			return 0;
	return 1;
}

int tracefs_tracepoint(const char *category, const char *name, struct error *error)
{
	char path[512], number[32] = "";

	if (!name_is_safe(category) || !name_is_safe(name))
		return error_set(error, -EINVAL, "'%s:%s' is not the name of a tracepoint",
				 category, name);
	AUTO(fd) int directory = tracefs_open();
	if (directory < 0) {
		int code = directory;
		directory = -1;
		return error_set(error, code,
				 "cannot read the list of tracepoints: %s; mount tracefs on "
				 "/sys/kernel/tracing, or run as root",
				 strerror(-code));
	}
	snprintf(path, sizeof(path), "events/%s/%s/id", category, name);
	AUTO(fd) int file = openat(directory, path, O_RDONLY | O_CLOEXEC);
	if (file < 0 || read(file, number, sizeof(number) - 1) <= 0)
		return error_set(
			error, -ENOENT,
			"this kernel has no tracepoint %s:%s (`perf list tracepoint` shows all)",
			category, name);
	return atoi(number);
}
