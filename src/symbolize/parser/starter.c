/* SPDX-License-Identifier: BSD-2-Clause */
/* starter - waits for sockets, and clones itself for each; the clones are the engine's children. */
#include "symbolize/parser/starter.h"

#include "symbolize/parser/sandbox.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

union control {
	char bytes[CMSG_SPACE(sizeof(int))];
	struct cmsghdr header;
};

/* -1: the other end is closed, or sent none. */
static int receive_socket(int from)
{
	char nothing;
	union control control = {0};
	struct iovec content = {&nothing, 1};
	struct msghdr message = {.msg_iov = &content,
				 .msg_iovlen = 1,
				 .msg_control = control.bytes,
				 .msg_controllen = sizeof(control.bytes)};
	ssize_t got;
	int socket = -1;

	do
		got = recvmsg(from, &message, MSG_CMSG_CLOEXEC);
	while (got < 0 && errno == EINTR);
	const struct cmsghdr *header = got > 0 ? CMSG_FIRSTHDR(&message) : NULL;
	if (header && header->cmsg_type == SCM_RIGHTS)
		memcpy(&socket, CMSG_DATA(header), sizeof(socket));
	return socket;
}

static int send_socket(int to, int socket)
{
	char nothing = 0;
	union control control = {0};
	struct iovec content = {&nothing, 1};
	struct msghdr message = {.msg_iov = &content,
				 .msg_iovlen = 1,
				 .msg_control = control.bytes,
				 .msg_controllen = sizeof(control.bytes)};
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);

	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(sizeof(socket));
	memcpy(CMSG_DATA(header), &socket, sizeof(socket));
	return sendmsg(to, &message, MSG_NOSIGNAL) == 1 ? 0 : -errno;
}

static _Noreturn void serve(pid_t engine, starter_run *run, void *context)
{
	int socket;

	while (getppid() == engine && (socket = receive_socket(SANDBOX_DESCRIPTOR)) >= 0) {
		/* Not fork: the child's parent is this process's. */
		pid_t pid = (pid_t)syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);
		if (!pid)
			run(context, socket);
		close(socket);
		if (write(SANDBOX_DESCRIPTOR, &pid, sizeof(pid)) != sizeof(pid))
			break;
	}
	_exit(0);
}

void starter_begin(struct starter *starter, starter_run *run, void *context)
{
	int ends[2];
	pid_t engine = getpid();

	*starter = (struct starter){.socket = -1};
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return;
	pid_t pid = fork();
	if (!pid) {
		prctl(PR_SET_NAME, "lever-starter");
		setsid();
		if (sandbox_leave_engine(ends[1]))
			_exit(1);
		serve(engine, run, context);
	}
	close(ends[1]);
	if (pid < 0)
		close(ends[0]);
	else
		*starter = (struct starter){ends[0], pid};
}

pid_t starter_ask(struct starter *starter, int socket)
{
	pid_t pid = -1;

	if (!starter->pid || send_socket(starter->socket, socket) ||
	    recv(starter->socket, &pid, sizeof(pid), MSG_WAITALL) != sizeof(pid))
		return -1;
	return pid;
}

void starter_end(struct starter *starter)
{
	if (!starter->pid)
		return;
	close(starter->socket);
	kill(starter->pid, SIGKILL);
	waitpid(starter->pid, NULL, 0);
	*starter = (struct starter){.socket = -1};
}
