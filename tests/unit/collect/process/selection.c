/* SPDX-License-Identifier: BSD-2-Clause */
/* selection - processes that this test makes: a child, its child, a listener. */
#include "collect/process/selection.h"

#include "base/cleanup.h"
#include "check.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

struct family {
	pid_t child, grandchild;
	uint16_t port; /* the grandchild listens on it */
};

static uint16_t listen_somewhere(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof(address);
	int made = socket(AF_INET, SOCK_STREAM, 0);

	if (made < 0 || bind(made, (struct sockaddr *)&address, size) || listen(made, 1) ||
	    getsockname(made, (struct sockaddr *)&address, &size))
		return 0;
	return ntohs(address.sin_port);
}

static void wait_as_grandchild(int answer)
{
	struct family family = {.grandchild = getpid(), .port = listen_somewhere()};

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, "lever-selected");
	if (write(answer, &family, sizeof(family)) == (ssize_t)sizeof(family))
		pause();
	_exit(0);
}

static struct family make_family(void)
{
	struct family family = {0};
	int answers[2];

	if (pipe(answers))
		return family;
	pid_t child = fork();
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (!fork())
			wait_as_grandchild(answers[1]);
		pause();
		_exit(0);
	}
	CHECK_EQUAL(read(answers[0], &family, sizeof(family)), (ssize_t)sizeof(family));
	close(answers[0]);
	close(answers[1]);
	family.child = child;
	return family;
}

static void end_family(const struct family *family)
{
	kill(family->grandchild, SIGKILL);
	kill(family->child, SIGKILL);
	waitpid(family->child, NULL, 0);
}

static struct process_list list;
static struct error error;

static int find(const struct process_selection *selection)
{
	process_list_release(&list);
	error = (struct error){0};
	return process_selection_find(selection, true, &list, &error);
}

TEST("a process is selected with its children, or without them")
{
	struct family family = make_family();
	struct process_selection selection = {.pids = &family.child, .pid_count = 1};

	CHECK_EQUAL(find(&selection), 0);
	CHECK_EQUAL(list.count, 2);
	CHECK_EQUAL(list.items[0], family.child);
	CHECK_EQUAL(list.items[1], family.grandchild);
	selection.without_children = true;
	CHECK_EQUAL(find(&selection), 0);
	CHECK_EQUAL(list.count, 1);
	end_family(&family);
}

TEST("who listens on a port is found, and a port of nobody is an error")
{
	struct family family = make_family();
	struct process_selection selection = {.ports = &family.port, .port_count = 1};

	CHECK(family.port > 0);
	CHECK_EQUAL(find(&selection), 0);
	CHECK_EQUAL(list.count, 1);
	CHECK_EQUAL(list.items[0], family.grandchild);
	end_family(&family);
	while (!find(&selection)) /* the killed process may still be there */
		usleep(1000);
	CHECK_EQUAL(error.code, -ESRCH);
	CHECK(strstr(error.text, "no process listens on port"));
}

TEST("names choose among all processes, or among those that are chosen otherwise")
{
	struct family family = make_family();
	const char *names[] = {"lever-sel*"};
	struct process_selection selection = {.names = names, .name_count = 1};

	CHECK_EQUAL(find(&selection), 0);
	CHECK(process_list_has(&list, family.grandchild));
	CHECK(!process_list_has(&list, family.child));
	selection.pids = &family.child;
	selection.pid_count = 1;
	CHECK_EQUAL(find(&selection), 0);
	CHECK_EQUAL(list.count, 1);
	CHECK_EQUAL(list.items[0], family.grandchild);
	names[0] = "!lever-sel*";
	CHECK_EQUAL(find(&selection), 0);
	CHECK_EQUAL(list.count, 1);
	CHECK_EQUAL(list.items[0], family.child);
	end_family(&family);
}

TEST("a process that is gone, and the one that asks, are errors")
{
	pid_t own = getpid(), gone = fork();
	struct process_selection selection = {.pids = &own, .pid_count = 1};

	if (!gone)
		_exit(0);
	waitpid(gone, NULL, 0);
	CHECK_EQUAL(find(&selection), -EINVAL);
	selection.pids = &gone;
	CHECK_EQUAL(find(&selection), -ESRCH);
	selection.pids = NULL;
	selection.pid_count = 0;
	selection.cgroup = "no-such-cgroup";
	CHECK(find(&selection) < 0);
	process_list_release(&list);
}

TEST("a plain folder is no cgroup, even if it has a file of that name")
{
	char folder[] = "/tmp/lever-selection-XXXXXX", path[64], file[64];
	struct process_selection selection = {.cgroup = path};

	CHECK(mkdtemp(folder));
	snprintf(path, sizeof(path), "../../..%s", folder);
	snprintf(file, sizeof(file), "%s/cgroup.procs", folder);
	fclose(fopen(file, "w"));
	CHECK_EQUAL(find(&selection), -EINVAL);
	CHECK(strstr(error.text, "plain folder"));
	unlink(file);
	rmdir(folder);
	process_list_release(&list);
}
