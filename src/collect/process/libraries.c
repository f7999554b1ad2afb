/* SPDX-License-Identifier: BSD-2-Clause */
/* libraries - runs the loader that the ELF header names, and reads its list. */
#include "collect/process/libraries.h"

#include "base/cleanup.h"
#include "collect/process/executable.h"

#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Starts `loader --list executable`; its output can be read from the result. */
static FILE *run_loader(char *loader, const char *executable, pid_t *pid)
{
	char list[] = "--list";
	char *arguments[] = {loader, list, (char *)(uintptr_t)executable, NULL};
	posix_spawn_file_actions_t actions;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return NULL;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
	int failed = posix_spawn(pid, loader, &actions, NULL, arguments, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	FILE *out = failed ? NULL : fdopen(ends[0], "re");
	if (!out)
		close(ends[0]);
	return out;
}

/* "	libz.so.1 => /lib/x86_64-linux-gnu/libz.so.1 (0x00007f...)" */
static char *path_of_line(char *line)
{
	char *path = strchr(line, '/'), *address = strstr(line, " (0x");

	if (!path || !address || address < path)
		return NULL;
	char *arrow = strstr(line, "=> ");
	if (arrow)
		path = arrow + 3;
	*address = 0;
	return realpath(path, NULL);
}

void libraries_each(const char *executable, void (*found)(void *context, const char *path),
		    void *context)
{
	char loader[PATH_MAX];
	AUTO(text) char *line = NULL;
	size_t room = 0;
	pid_t pid;

	if (!executable_loader(executable, loader, sizeof(loader)))
		return;
	AUTO(file) FILE *out = run_loader(loader, executable, &pid);
	if (!out)
		return;
	while (getline(&line, &room, out) > 0) {
		AUTO(text) char *path = path_of_line(line);
		if (path)
			found(context, path);
	}
	waitpid(pid, NULL, 0);
}
