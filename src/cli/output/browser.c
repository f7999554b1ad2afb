/* SPDX-License-Identifier: BSD-2-Clause */
/* browser - starts xdg-open in a session of its own, with nothing of ours attached. */
#include "cli/output/browser.h"

#include "base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>

extern char **environ;

static int start(const char *path)
{
	char *arguments[] = {(char *)"xdg-open", (char *)path, NULL};
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	pid_t pid;

	posix_spawn_file_actions_init(&files);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		posix_spawn_file_actions_addopen(&files, fd, "/dev/null", O_RDWR, 0);
	int code = posix_spawnp(&pid, arguments[0], &files, &attributes, arguments, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&files);
	return code;
}

int browser_open(const char *path, struct error *error)
{
	if (geteuid() == 0 && getenv("SUDO_UID"))
		return error_set(
			error, EPERM,
			"refusing to start a browser as root; open %s yourself, or run lever "
			"report without sudo",
			path);
	/* An absolute path: one that begins with a dash would be an option. */
	AUTO(text) char *absolute = realpath(path, NULL);
	int code = absolute ? start(absolute) : errno;
	if (code == ENOENT)
		return error_set(
			error, code,
			"cannot open %s: xdg-open is not installed (package xdg-utils); open the "
			"file in a browser",
			path);
	if (code)
		return error_set(error, code, "cannot open %s: xdg-open does not start: %s", path,
				 strerror(code));
	return 0;
}
