/* SPDX-License-Identifier: BSD-2-Clause */
/* child - posix_spawn or fork, and wait4, with the clock around them. */
#include "compare/child.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/memory.h"
#include "collect/process/program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#define POLL_MS 100

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

static int start(const struct child_command *command, int stderr_file, pid_t *pid)
{
	posix_spawn_file_actions_t actions;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	if (!command->shows_output) {
		posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
		posix_spawn_file_actions_adddup2(&actions, stderr_file, STDERR_FILENO);
	}
	int code = spawn(pid, command->arguments, command->environment, &actions);
	posix_spawn_file_actions_destroy(&actions);
	return code;
}

static int reap(pid_t pid, const char *name, struct child_run *run, struct error *error)
{
	struct rusage usage;
	pid_t reaped;

	do
		reaped = wait4(pid, &run->status, 0, &usage);
	while (reaped < 0 && errno == EINTR);
	if (reaped < 0)
		return error_set(error, errno, "cannot wait for '%s': %s", name, strerror(errno));
	run->cpu_ns = time_ns(usage.ru_utime) + time_ns(usage.ru_stime);
	return 0;
}

/* ---- with visits: the engine knows the process before it execs ---- */

static int prepare_counted(const struct child_command *command, int stderr_file,
			   struct program *program, struct error *error)
{
	AUTO(fd) int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	const int files[] = {null, command->shows_output ? -1 : null,
			     command->shows_output ? -1 : stderr_file};
	const char *const *entries = visits_environment(command->visits);
	ARRAY(const char *) environment = {0};

	for (char *const *entry = command->environment; *entry; entry++)
		*array_add(&environment) = *entry;
	for (; *entries; entries++)
		*array_add(&environment) = *entries;
	*array_add(&environment) = NULL;
	int code = program_prepare_with_files(program, command->arguments, environment.items, files,
					      error);
	array_free(&environment);
	return code ? code : visits_begin(command->visits, program->pidfd, error);
}

static void await_end(const struct program *program, struct visits *visits)
{
	struct pollfd end = {.fd = program->pidfd, .events = POLLIN};

	while (poll(&end, 1, POLL_MS) <= 0)
		visits_poll(visits);
}

static int run_counted(const struct child_command *command, int stderr_file, struct child_run *run,
		       struct error *error)
{
	struct program program;
	int code = prepare_counted(command, stderr_file, &program, error);

	code = code ? code : program_start(&program, command->arguments[0], error);
	if (!code) {
		await_end(&program, command->visits);
		code = reap(program.pid, command->arguments[0], run, error);
		run->wall_ns = clock_now_ns() - program.started_ns;
		run->visit_s = visits_end(command->visits);
	}
	program_release(&program);
	return code;
}

/* ---- without ---- */

static int run_timed(const struct child_command *command, int stderr_file, struct child_run *run,
		     struct error *error)
{
	uint64_t started_ns = clock_now_ns();
	pid_t pid = 0;
	int code = start(command, stderr_file, &pid);

	if (code)
		return program_cannot_run(command->arguments[0], code, error);
	code = reap(pid, command->arguments[0], run, error);
	run->wall_ns = clock_now_ns() - started_ns;
	return code;
}

int child_run(const struct child_command *command, struct child_run *run, struct error *error)
{
	AUTO(fd) int file = memfd_create("stderr", MFD_CLOEXEC);

	*run = (struct child_run){.stderr_file = -1};
	if (file < 0)
		return error_set(error, errno, "cannot make a file in memory: %s", strerror(errno));
	int code = (command->visits ? run_counted : run_timed)(command, file, run, error);
	if (code)
		return code;
	run->stderr_file = file;
	file = -1;
	return 0;
}
