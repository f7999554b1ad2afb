/* SPDX-License-Identifier: BSD-2-Clause */
/* live_view - forks, gives up rights, and connects two pipes. */
#include "cli/commands/live_view.h"

#include "base/caller.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define NICE 10
#define COPY_BYTES 65536

static void drop_rights(void)
{
	struct caller caller;

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (!caller_of_sudo(&caller))
		return;
	if (setgroups(1, &caller.gid) || setresgid(caller.gid, caller.gid, caller.gid) ||
	    setresuid(caller.uid, caller.uid, caller.uid))
		_exit(1);
}

static void run_view(live_view_main *body, void *context, int stop, int until)
{
	static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGTSTP};

	for (size_t i = 0; i < sizeof(ignored) / sizeof(*ignored); i++)
		signal(ignored[i], SIG_IGN);
	setpriority(PRIO_PROCESS, 0, NICE);
	drop_rights();
	_exit(body(context, stop, until));
}

/* A byte in the pipe becomes SIGINT of this process. */
static int listen_for_stop(int descriptor)
{
	return fcntl(descriptor, F_SETOWN, getpid()) || fcntl(descriptor, F_SETSIG, SIGINT) ||
			       fcntl(descriptor, F_SETFL, O_ASYNC | O_NONBLOCK) ?
		       -errno :
		       0;
}

static int take_terminal(struct live_view *view)
{
	fflush(NULL);
	view->output = memfd_create("lever-output", MFD_CLOEXEC);
	if (view->output < 0)
		return -errno;
	/* The view reads the keys. */
	int nothing = isatty(STDIN_FILENO) ? open("/dev/null", O_RDONLY | O_CLOEXEC) : -1;
	if (nothing >= 0) {
		dup2(nothing, STDIN_FILENO);
		close(nothing);
	}
	/* Writers append, the program's processes as well. */
	if (fcntl(view->output, F_SETFL, O_APPEND))
		return -errno;
	for (int i = 0; i < 2; i++) {
		if (!isatty(STDOUT_FILENO + i))
			continue;
		view->saved[i] = fcntl(STDOUT_FILENO + i, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
		if (view->saved[i] < 0 || dup2(view->output, STDOUT_FILENO + i) < 0)
			return -errno;
	}
	return 0;
}

int live_view_begin(struct live_view *view, live_view_main *body, void *context,
		    bool takes_terminal, struct error *error)
{
	int until[2] = {-1, -1};

	*view = (struct live_view){.until = -1, .stop = {-1, -1}, .saved = {-1, -1}, .output = -1};
	if (pipe2(until, O_CLOEXEC) || pipe2(view->stop, O_CLOEXEC) ||
	    listen_for_stop(view->stop[0]))
		return error_set(error, -errno, "cannot make a pipe: %s", strerror(errno));
	fflush(NULL);
	view->pid = fork();
	if (view->pid < 0)
		return error_set(error, -errno, "cannot start the view: %s", strerror(errno));
	if (!view->pid) {
		close(until[1]);
		run_view(body, context, view->stop[1], until[0]);
	}
	close(until[0]);
	view->until = until[1];
	int code = takes_terminal ? take_terminal(view) : 0;
	if (code)
		return error_set(error, code, "cannot keep the program's output: %s",
				 strerror(-code));
	return 0;
}

static void give_terminal_back(struct live_view *view)
{
	char bytes[COPY_BYTES];
	ssize_t count;
	off_t at = 0;

	fflush(NULL);
	for (int i = 0; i < 2; i++) {
		if (view->saved[i] < 0)
			continue;
		dup2(view->saved[i], STDOUT_FILENO + i);
		close(view->saved[i]);
	}
	if (view->output < 0)
		return;
	for (; (count = pread(view->output, bytes, sizeof(bytes), at)) > 0; at += count)
		if (write(STDERR_FILENO, bytes, (size_t)count) != count)
			break;
	close(view->output);
}

void live_view_end(struct live_view *view, bool waits)
{
	if (view->pid <= 0)
		return;
	close(view->until);
	if (waits)
		waitpid(view->pid, NULL, 0);
	give_terminal_back(view);
	close(view->stop[0]);
	close(view->stop[1]);
	view->pid = 0;
}
