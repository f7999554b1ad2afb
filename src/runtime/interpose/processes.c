/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * processes - interposed: exec and spawn, so that started programs are profiled, too, and exits
 * without destructors.
 *
 * A new image has no handler for our signal yet, so the signal must not be pending: the sampling
 * clock stops before an exec, and starts again if the exec fails. Environments that the program
 * makes get our variables, on the stack.
 */
#include "runtime/interpose/processes.h"

#include "runtime/breakpoints.h"
#include "runtime/interpose/real.h"
#include "runtime/progress.h"
#include "runtime/thread.h"
#include "runtime/wake.h"

#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

#define ENTRY_BYTES 4096
#define ENTRIES_MOST 65536
#define OURS 3

static const char *const names[OURS] = {"LD_PRELOAD=", RUNTIME_VARIABLE "=", "LEVER_LISTEN="};
static char entries[OURS][ENTRY_BYTES]; /* as at the start of the program; "": not set */

void processes_remember(void)
{
	for (char *const *entry = environ; entry && *entry; entry++)
		for (int i = 0; i < OURS; i++)
			if (!strncmp(*entry, names[i], strlen(names[i])) &&
			    strlen(*entry) < ENTRY_BYTES)
				strcpy(entries[i], *entry);
}

static size_t count_entries(char *const *environment)
{
	size_t count = 0;
	while (environment && environment[count] && count < ENTRIES_MOST)
		count++;
	return count;
}

/* "LD_PRELOAD=" with the libraries of both. */
static char *join_preload(const char *old, char *room)
{
	const char *theirs = old + strlen(names[0]);

	if (strstr(theirs, entries[0] + strlen(names[0])) ||
	    strlen(entries[0]) + strlen(theirs) + 2 > ENTRY_BYTES)
		return (char *)(uintptr_t)old;
	strcpy(room, entries[0]);
	if (*theirs) {
		strcat(room, ":");
		strcat(room, theirs);
	}
	return room;
}

/* Copies the environment to `made`, which has room for OURS + 1 more entries. */
static void complete(char *const *environment, size_t count, char **made, char *room)
{
	bool has[OURS] = {false};
	size_t used = 0;

	for (size_t i = 0; i < count; i++) {
		made[used] = environment[i];
		for (int ours = 0; ours < OURS; ours++)
			has[ours] |= !strncmp(environment[i], names[ours], strlen(names[ours]));
		if (!strncmp(environment[i], names[0], strlen(names[0])))
			made[used] = join_preload(environment[i], room);
		used++;
	}
	for (int ours = 0; ours < OURS; ours++)
		if (!has[ours] && entries[ours][0])
			made[used++] = entries[ours];
	made[used] = NULL;
}

static bool is_ours_to_follow(size_t count)
{
	return runtime_page && entries[0][0] && entries[1][0] && count < ENTRIES_MOST;
}

#define COMPLETE(environment)                                                \
	size_t entry_count = count_entries(environment);                     \
	bool is_followed = is_ours_to_follow(entry_count);                   \
	char *completed[is_followed ? entry_count + OURS + 1 : 1];           \
	char preload_room[ENTRY_BYTES];                                      \
	if (is_followed) {                                                   \
		complete(environment, entry_count, completed, preload_room); \
		environment = completed;                                     \
	}

/* Counts a setuid or setgid program: it does not load this library. */
static void count_setuid(const char *path)
{
	struct stat status;
	const long arguments[6] = {AT_FDCWD, (long)path, (long)&status, 0, 0, 0};

	if (runtime_page && !lever_system_call(SYS_newfstatat, arguments) &&
	    ((status.st_mode & S_ISUID && status.st_uid != geteuid()) ||
	     (status.st_mode & S_ISGID && status.st_gid != getegid())))
		__atomic_fetch_add(&runtime_page->unfollowed_setuid, 1, __ATOMIC_RELAXED);
}

/* True: the clock is stopped, and after_failed_exec starts it again. */
static bool before_exec(void)
{
	sigset_t ours, before;
	const struct timespec at_once = {0};

	/* The child of a vfork shares the clock with its parent. */
	if (!thread_self.is_started || thread_self.tid != (uint32_t)lever_call_1(SYS_gettid, 0))
		return false;
	pay_before_wake();
	reentrancy_guard_begin();
	progress_poll(time_now());
	breakpoints_stop();
	sigemptyset(&ours);
	sigaddset(&ours, RUNTIME_SIGNAL);
	REAL(pthread_sigmask)(SIG_BLOCK, &ours, &before);
	thread_clock_stop();
	while (REAL(sigtimedwait)(&ours, NULL, &at_once) == RUNTIME_SIGNAL)
		;
	REAL(pthread_sigmask)(SIG_SETMASK, &before, NULL);
	return true;
}

static int after_failed_exec(bool is_stopped, int code)
{
	if (is_stopped) {
		thread_clock_start();
		reentrancy_guard_end();
	}
	return code;
}

RUNTIME_EXPORT int execve(const char *path, char *const *arguments, char *const *environment)
{
	COMPLETE(environment)
	count_setuid(path);
	bool is_stopped = before_exec();
	return after_failed_exec(is_stopped, REAL(execve)(path, arguments, environment));
}

RUNTIME_EXPORT int fexecve(int fd, char *const *arguments, char *const *environment)
{
	COMPLETE(environment)
	bool is_stopped = before_exec();
	return after_failed_exec(is_stopped, REAL(fexecve)(fd, arguments, environment));
}

RUNTIME_EXPORT int execvpe(const char *name, char *const *arguments, char *const *environment)
{
	COMPLETE(environment)
	bool is_stopped = before_exec();
	return after_failed_exec(is_stopped, REAL(execvpe)(name, arguments, environment));
}

RUNTIME_EXPORT int execv(const char *path, char *const *arguments)
{
	return execve(path, arguments, environ);
}

RUNTIME_EXPORT int execvp(const char *name, char *const *arguments)
{
	return execvpe(name, arguments, environ);
}

static size_t count_arguments(va_list list)
{
	size_t count = 1;
	while (va_arg(list, char *))
		count++;
	return count;
}

/* `arguments`: `first` and the list after it, with the NULL at its end. */
#define ARGUMENTS(first)                               \
	va_list list;                                  \
	va_start(list, first);                         \
	size_t argument_count = count_arguments(list); \
	va_end(list);                                  \
	char *arguments[argument_count + 1];           \
	arguments[0] = (char *)(uintptr_t)first;       \
	va_start(list, first);                         \
	for (size_t i = 1; i <= argument_count; i++)   \
		arguments[i] = va_arg(list, char *);

RUNTIME_EXPORT int execl(const char *path, const char *first, ...)
{
	ARGUMENTS(first)
	va_end(list);
	return execve(path, arguments, environ);
}

RUNTIME_EXPORT int execlp(const char *name, const char *first, ...)
{
	ARGUMENTS(first)
	va_end(list);
	return execvpe(name, arguments, environ);
}

RUNTIME_EXPORT int execle(const char *path, const char *first, ...)
{
	ARGUMENTS(first)
	char *const *environment = va_arg(list, char *const *);
	va_end(list);
	return execve(path, arguments, environment);
}

RUNTIME_EXPORT int posix_spawn(pid_t *restrict pid, const char *restrict path,
			       const posix_spawn_file_actions_t *restrict actions,
			       const posix_spawnattr_t *restrict attributes,
			       char *const *restrict arguments, char *const *restrict environment)
{
	COMPLETE(environment)
	count_setuid(path);
	return REAL(posix_spawn)(pid, path, actions, attributes, arguments, environment);
}

RUNTIME_EXPORT int posix_spawnp(pid_t *restrict pid, const char *restrict name,
				const posix_spawn_file_actions_t *restrict actions,
				const posix_spawnattr_t *restrict attributes,
				char *const *restrict arguments, char *const *restrict environment)
{
	COMPLETE(environment)
	return REAL(posix_spawnp)(pid, name, actions, attributes, arguments, environment);
}

static void end_process(void)
{
	if (!thread_self.is_started || thread_self.tid != (uint32_t)lever_call_1(SYS_gettid, 0))
		return;
	pay_before_wake();
	progress_poll(time_now());
}

RUNTIME_EXPORT _Noreturn void _exit(int status)
{
	end_process();
	REAL(_exit)(status);
	__builtin_unreachable();
}

RUNTIME_EXPORT _Noreturn void _Exit(int status)
{
	end_process();
	REAL(_Exit)(status);
	__builtin_unreachable();
}

RUNTIME_EXPORT _Noreturn void quick_exit(int status)
{
	end_process();
	REAL(quick_exit)(status);
	__builtin_unreachable();
}
