/* SPDX-License-Identifier: BSD-2-Clause */
/* program - forks the profiled command, lets it go when the engine is ready, and reaps it. */
#include "collect/process/program.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static struct {
	sigset_t mask;
	struct sigaction interrupt, terminate, quit, child, pipe, hangup, file_size;
} inherited;

void program_remember_signals(void)
{
	sigprocmask(SIG_SETMASK, NULL, &inherited.mask);
	sigaction(SIGINT, NULL, &inherited.interrupt);
	sigaction(SIGTERM, NULL, &inherited.terminate);
	sigaction(SIGQUIT, NULL, &inherited.quit);
	sigaction(SIGCHLD, NULL, &inherited.child);
	sigaction(SIGPIPE, NULL, &inherited.pipe);
	sigaction(SIGHUP, NULL, &inherited.hangup);
	/* Lever itself ignores it from now on: a full profile is an error, not its end. */
	sigaction(SIGXFSZ, &(struct sigaction){.sa_handler = SIG_IGN}, &inherited.file_size);
}

static void restore_signals(void)
{
	sigaction(SIGINT, &inherited.interrupt, NULL);
	sigaction(SIGTERM, &inherited.terminate, NULL);
	sigaction(SIGQUIT, &inherited.quit, NULL);
	sigaction(SIGCHLD, &inherited.child, NULL);
	sigaction(SIGPIPE, &inherited.pipe, NULL);
	sigaction(SIGHUP, &inherited.hangup, NULL);
	sigaction(SIGXFSZ, &inherited.file_size, NULL);
	sigprocmask(SIG_SETMASK, &inherited.mask, NULL);
}

struct child_descriptors {
	int go, failure;
	const int *files; /* NULL: lever's own */
};

static _Noreturn void run_child(const struct child_descriptors *descriptors, char *const *arguments,
				const char *const *environment)
{
	int go = descriptors->go, failure = descriptors->failure;
	char letter;

	for (int i = 0; descriptors->files && i < 3; i++)
		if (descriptors->files[i] >= 0)
			dup2(descriptors->files[i], i);
	for (; *environment; environment++)
		putenv((char *)(uintptr_t)*environment);
	restore_signals();
	if (read(go, &letter, 1) == 1)
		execvp(arguments[0], arguments);
	else
		_exit(127); /* lever has ended before the start */
	int code = errno;
	ssize_t written = write(failure, &code, sizeof(code));
	(void)written;
	_exit(127);
}

int program_prepare_with_files(struct program *program, char *const *arguments,
			       const char *const *environment, const int files[3],
			       struct error *error)
{
	int go[2] = {-1, -1}, failure[2] = {-1, -1};

	memset(program, 0, sizeof(*program));
	program->pidfd = program->go = program->failure = -1;
	if (pipe2(go, O_CLOEXEC) || pipe2(failure, O_CLOEXEC))
		return error_set(error, errno, "cannot make a pipe: %s", strerror(errno));
	program->pid = fork();
	if (!program->pid) {
		close(go[1]);
		close(failure[0]);
		run_child(&(struct child_descriptors){go[0], failure[1], files}, arguments,
			  environment);
	}
	close(go[0]);
	close(failure[1]);
	program->go = go[1];
	program->failure = failure[0];
	if (program->pid < 0)
		return error_set(error, errno, "cannot fork: %s", strerror(errno));
	program->pidfd = (int)syscall(SYS_pidfd_open, program->pid, 0);
	if (program->pidfd < 0)
		return error_set(error, errno, "cannot open the program's pidfd: %s",
				 strerror(errno));
	return 0;
}

int program_prepare(struct program *program, char *const *arguments, const char *const *environment,
		    struct error *error)
{
	return program_prepare_with_files(program, arguments, environment, NULL, error);
}

static const char *remedy_of(const char *name, int code)
{
	switch (code) {
	case ENOENT:
		return strchr(name, '/') ?
			       "No such file or directory; check its path" :
			       "it is in no folder of PATH; install it, or give its path";
	case EISDIR:
		return "it is a folder; give a program in it";
	case EACCES:
		return "it is not executable; make it so by chmod +x, or name its "
		       "interpreter first";
	case ENOEXEC:
		return "it is no program for this machine, and no script that begins with #!; "
		       "name its interpreter first";
	default:
		return NULL;
	}
}

int program_cannot_run(const char *name, int code, struct error *error)
{
	const char *remedy = remedy_of(name, abs(code));

	return error_set(error, code, "cannot run '%s': %s%s", name,
			 remedy ? remedy : strerror(abs(code)), remedy ? "" : "; check its path");
}

int program_start(struct program *program, const char *name, struct error *error)
{
	int code = 0;

	program->started_ns = clock_now_ns();
	if (write(program->go, "g", 1) != 1)
		return error_set(error, errno, "the program's process is gone: %s",
				 strerror(errno));
	close(program->go);
	program->go = -1;
	ssize_t got;
	do
		got = read(program->failure, &code, sizeof(code));
	while (got < 0 && errno == EINTR);
	if (got != (ssize_t)sizeof(code))
		return 0; /* exec closed the pipe */
	waitpid(program->pid, &program->status, 0);
	program->has_ended = true;
	/* program_find has seen the file. */
	if (code == ENOENT)
		return error_set(error, code,
				 "cannot run '%s': its interpreter is missing; check its first "
				 "line, or the loader that readelf -l shows",
				 name);
	return program_cannot_run(name, code, error);
}

int program_exec_status(int code)
{
	return code == -ENOENT || code == -ENOTDIR ? 127 : 126;
}

bool program_poll(struct program *program)
{
	if (program->has_ended)
		return true;
	pid_t reaped = waitpid(program->pid, &program->status, WNOHANG);
	if (reaped == program->pid || (reaped < 0 && errno == ECHILD)) {
		program->has_ended = true;
		program->ended_ns = clock_now_ns();
	}
	return program->has_ended;
}

void program_release(struct program *program)
{
	if (program->go >= 0) {
		close(program->go); /* the waiting child reads the end and exits */
		if (program->pid > 0)
			waitpid(program->pid, NULL, 0);
	}
	if (program->failure >= 0)
		close(program->failure);
	if (program->pidfd >= 0)
		close(program->pidfd);
	program->go = program->failure = program->pidfd = -1;
}

static int check_file(const char *path)
{
	struct stat status;
	if (stat(path, &status))
		return -errno;
	if (S_ISDIR(status.st_mode))
		return -EISDIR;
	return access(path, X_OK) ? -EACCES : 0;
}

char *program_find(const char *name, int *code, struct error *error)
{
	const char *path = getenv("PATH");
	int worst = -ENOENT;

	if (strchr(name, '/')) {
		worst = check_file(name);
		if (!worst)
			return text_copy(name);
		path = NULL;
	}
	AUTO(text) char *folders = text_copy(path && *path ? path : "/bin:/usr/bin");
	char *rest = NULL;
	for (char *folder = path || !strchr(name, '/') ? strtok_r(folders, ":", &rest) : NULL;
	     folder; folder = strtok_r(NULL, ":", &rest)) {
		char *file = text_format("%s/%s", folder, name);
		int found = check_file(file);
		if (!found)
			return file;
		free(file);
		if (found == -EACCES)
			worst = found;
	}
	*code = worst;
	program_cannot_run(name, worst, error);
	return NULL;
}
