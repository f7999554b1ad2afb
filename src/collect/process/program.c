/* SPDX-License-Identifier: BSD-2-Clause */
/* program - forks the profiled command, lets it go when the engine is ready, and reaps it. */
#include "collect/process/program.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/memory.h"
#include "collect/process/executable.h"

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

struct child_start {
	const char *path;
	char *const *arguments;
	char *const *shell; /* arguments of /bin/sh, if the file is no more than text */
	int go, failure;
	const int *files; /* NULL: lever's own */
};

static _Noreturn void run_child(const struct child_start *start, const char *const *environment)
{
	int go = start->go, failure = start->failure;
	char letter;

	for (int i = 0; start->files && i < 3; i++)
		if (start->files[i] >= 0)
			dup2(start->files[i], i);
	for (; *environment; environment++)
		putenv((char *)(uintptr_t)*environment);
	restore_signals();
	if (read(go, &letter, 1) != 1)
		_exit(127); /* lever has ended before the start */
	execv(start->path, start->arguments);
	int code = errno;
	if (code == ENOEXEC && start->shell)
		execv(start->shell[0], start->shell);
	ssize_t written = write(failure, &code, sizeof(code));
	(void)written;
	_exit(127);
}

/* As execvp does it: `/bin/sh PATH ARGUMENTS`. */
static char **shell_arguments(const char *path, char *const *arguments)
{
	static char shell[] = "/bin/sh";
	ARRAY(char *) words = {0};

	*array_add(&words) = shell;
	*array_add(&words) = (char *)(uintptr_t)path;
	for (arguments++; *arguments; arguments++)
		*array_add(&words) = *arguments;
	*array_add(&words) = NULL;
	return words.items;
}

int program_prepare_with_files(struct program *program, char *const *arguments,
			       const char *const *environment, const int files[3],
			       struct error *error)
{
	int go[2] = {-1, -1}, failure[2] = {-1, -1}, code;

	memset(program, 0, sizeof(*program));
	program->pidfd = program->go = program->failure = -1;
	if (pipe2(go, O_CLOEXEC) || pipe2(failure, O_CLOEXEC))
		return error_set(error, errno, "cannot make a pipe: %s", strerror(errno));
	AUTO(text) char *found = program_find(arguments[0], &code, NULL);
	const char *path = found ? found : arguments[0];
	char **shell = executable_is_shell_text(path) ? shell_arguments(path, arguments) : NULL;
	program->pid = fork();
	if (!program->pid) {
		close(go[1]);
		close(failure[0]);
		run_child(&(struct child_start){path, arguments, shell, go[0], failure[1], files},
			  environment);
	}
	free(shell);
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

static int check_file(const char *path)
{
	struct stat status;
	if (stat(path, &status))
		return -errno;
	if (S_ISDIR(status.st_mode))
		return -EISDIR;
	return access(path, X_OK) ? -EACCES : executable_check(path);
}

/* `path`: the file that was found, or NULL. */
static int cannot_run(const char *name, const char *path, int code, struct error *error)
{
	AUTO(text) char *problem = path ? executable_problem(path, abs(code)) : NULL;
	const char *remedy = problem ? problem : remedy_of(name, abs(code));

	bool is_here = !strchr(name, '/') && !access(name, F_OK);

	if (!path && is_here && check_file(name) != -EISDIR)
		return error_set(
			error, code,
			"cannot run '%s': it is in no folder of PATH; did you mean './%s'?", name,
			name);
	return error_set(error, code, "cannot run '%s': %s%s", name,
			 remedy ? remedy : strerror(abs(code)), remedy ? "" : "; check its path");
}

int program_cannot_run(const char *name, int code, struct error *error)
{
	struct error why = {0};
	int found;
	AUTO(text) char *path = program_find(name, &found, &why);

	return path ? cannot_run(name, path, code, error) : error_set(error, code, "%s", why.text);
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

/* The program of this name in the folders of PATH; else what `problem` has, and why. */
static char *find_in_path(const char *name, char **problem, int *worst)
{
	const char *path = getenv("PATH");
	AUTO(text) char *folders = text_copy(path && *path ? path : "/bin:/usr/bin");
	char *rest = NULL;

	for (char *folder = strtok_r(folders, ":", &rest); folder;
	     folder = strtok_r(NULL, ":", &rest)) {
		AUTO(text) char *file = text_format("%s/%s", folder, name);
		int code = check_file(file);
		if (!code)
			return take(&file);
		bool is_there = code != -ENOENT || !access(file, X_OK);
		if (!is_there || code == -EISDIR || code == -ENOTDIR || *problem)
			continue;
		*worst = code;
		*problem = take(&file);
	}
	return NULL;
}

char *program_find(const char *name, int *code, struct error *error)
{
	AUTO(text) char *problem = NULL;
	char *found = NULL;
	int failure = -ENOENT;

	if (!strchr(name, '/')) {
		found = find_in_path(name, &problem, &failure);
	} else if (!(failure = check_file(name))) {
		found = text_copy(name);
	} else if (!access(name, X_OK)) {
		problem = text_copy(name);
	}
	if (found)
		return found;
	*code = failure;
	cannot_run(name, problem, failure, error);
	return NULL;
}
