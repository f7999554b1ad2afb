/* SPDX-License-Identifier: BSD-2-Clause */
/* child - posix_spawn and wait4, with the clock around them. */
#include "compare/child.h"

#include "base/cleanup.h"
#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

static uint64_t time_ns(struct timeval time)
{
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_usec * 1000u;
}

/* Lever ignores a closed pipe; the command does not. */
static int spawn(pid_t *pid, char *const *arguments, char *const *environment,
		 posix_spawn_file_actions_t *actions)
{
	posix_spawnattr_t attributes;
	sigset_t defaults;

	sigemptyset(&defaults);
	sigaddset(&defaults, SIGPIPE);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigdefault(&attributes, &defaults);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
	int code = posix_spawnp(pid, arguments[0], actions, &attributes, arguments, environment);
	posix_spawnattr_destroy(&attributes);
	return code;
}

static int start(char *const *arguments, char *const *environment, bool shows_output,
		 int stderr_file, pid_t *pid)
{
	posix_spawn_file_actions_t actions;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	if (!shows_output) {
		posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
		posix_spawn_file_actions_adddup2(&actions, stderr_file, STDERR_FILENO);
	}
	int code = spawn(pid, arguments, environment, &actions);
	posix_spawn_file_actions_destroy(&actions);
	return code;
}

int child_run(char *const *arguments, char *const *environment, bool shows_output,
	      struct child_run *run, struct error *error)
{
	struct rusage usage;
	pid_t pid = 0, reaped;
	AUTO(fd) int file = memfd_create("stderr", MFD_CLOEXEC);

	*run = (struct child_run){.stderr_file = -1};
	if (file < 0)
		return error_set(error, errno, "cannot make a file in memory: %s", strerror(errno));
	uint64_t started_ns = clock_now_ns();
	int code = start(arguments, environment, shows_output, file, &pid);
	if (code)
		return error_set(error, code, "cannot run '%s': %s", arguments[0], strerror(code));
	do
		reaped = wait4(pid, &run->status, 0, &usage);
	while (reaped < 0 && errno == EINTR);
	if (reaped < 0)
		return error_set(error, errno, "cannot wait for '%s': %s", arguments[0],
				 strerror(errno));
	run->wall_ns = clock_now_ns() - started_ns;
	run->cpu_ns = time_ns(usage.ru_utime) + time_ns(usage.ru_stime);
	run->stderr_file = file;
	file = -1;
	return 0;
}
