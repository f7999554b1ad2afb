/* SPDX-License-Identifier: BSD-2-Clause */
/* join - a process that a job's launcher has started becomes part of the run on its host. */
#include "collect/hosts/join.h"

#include "base/cleanup.h"
#include "base/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>

#define WAIT_S 10        /* of a process, until it is taken in */
#define ANSWER_BYTES 160 /* "INDEX NAME" */

int join_draw_name(char name[JOIN_NAME_BYTES], struct error *error)
{
	uint64_t drawn[2];

	if (getrandom(drawn, sizeof(drawn), 0) != sizeof(drawn))
		return error_set(error, errno, "cannot draw a name: %s", strerror(errno));
	snprintf(name, JOIN_NAME_BYTES, "%016" PRIx64 "%016" PRIx64, drawn[0], drawn[1]);
	return 0;
}

/* In the abstract name space: nothing stays in the file system. Returns its size. */
static socklen_t address_of_job(const char *job, struct sockaddr_un *address)
{
	*address = (struct sockaddr_un){.sun_family = AF_UNIX};
	int length =
		snprintf(address->sun_path + 1, sizeof(address->sun_path) - 1, "lever-job-%s", job);

	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
}

int join_listen(const char *job, struct error *error)
{
	struct sockaddr_un address;
	socklen_t size = address_of_job(job, &address);
	int listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (strlen(job) < JOIN_NAME_BYTES && listener >= 0 &&
	    !bind(listener, (const struct sockaddr *)&address, size) && !listen(listener, 512))
		return listener;
	int code = error_set(error, errno ? errno : EINVAL, "cannot await processes of the job: %s",
			     strerror(errno));
	if (listener >= 0)
		close(listener);
	return code;
}

static int take_in(int process, const struct join_host *host)
{
	struct ucred who;
	socklen_t size = sizeof(who);
	char answer[ANSWER_BYTES];
	struct error error = {0};

	if (getsockopt(process, SOL_SOCKET, SO_PEERCRED, &who, &size) ||
	    (who.uid != geteuid() && who.uid))
		return -EPERM;
	AUTO(fd) int pidfd = (int)syscall(SYS_pidfd_open, who.pid, 0);
	int code = pidfd < 0 ? -errno : host->add(host->context, pidfd, &error);
	if (code)
		return code;
	int length = snprintf(answer, sizeof(answer), "%u %s", host->index, host->name);
	return send(process, answer, (size_t)length + 1, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

void join_serve(int listener, const struct join_host *host, size_t *refused)
{
	for (;;) {
		AUTO(fd) int process = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
		if (process < 0)
			return;
		*refused += take_in(process, host) != 0;
	}
}

int join_job(const char *job, struct error *error)
{
	const struct timeval wait = {.tv_sec = WAIT_S};
	struct sockaddr_un address;
	socklen_t size = address_of_job(job, &address);
	char answer[ANSWER_BYTES] = "", name[ANSWER_BYTES];
	char index[12];
	AUTO(fd) int host = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	if (host < 0 || setsockopt(host, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait)) ||
	    connect(host, (const struct sockaddr *)&address, size) ||
	    recv(host, answer, sizeof(answer) - 1, 0) <= 0 ||
	    sscanf(answer, "%11[0-9] %159s", index, name) != 2)
		return error_set(error, -ECONNREFUSED,
				 "no engine on this host takes in processes of this job");
	setenv("LEVER_HOST_INDEX", index, 1);
	setenv("LEVER_HOST", name, 1);
	setenv("LEVER_LISTEN", "1", 1);
	return 0;
}
