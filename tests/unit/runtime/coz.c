/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * coz - a program that was built with coz.h counts in the page of points when liblever-points.so is
 * preloaded. Read from outside, as the engine does. Environment: COZ_PROGRAM, COZ_LIBRARY.
 */
#include "check.h"
#include "reader.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/wait.h>

/* Runs the program until it has done its work, and copies the page of the process that did it. */
static bool run(const char *library, const char *argument, struct points_page *page)
{
	int from[2], to[2], status;
	pid_t worker;
	if (pipe2(from, O_CLOEXEC) || pipe2(to, O_CLOEXEC))
		return false;
	fflush(stdout);
	pid_t pid = fork();
	if (!pid) {
		dup2(to[0], 0);
		dup2(from[1], 1);
		if (library)
			setenv("LD_PRELOAD", library, 1);
		execl(getenv("COZ_PROGRAM"), "coz_program", argument, (char *)NULL);
		_exit(127);
	}
	close(from[1]);
	close(to[0]);
	bool copied = read(from[0], &worker, sizeof(worker)) == (ssize_t)sizeof(worker) &&
		      reader_copy(worker, page);
	close(from[0]);
	close(to[1]);
	waitpid(pid, &status, 0);
	return copied && !status;
}

TEST("a program with coz.h counts all visits of all its threads under the preloaded library")
{
	struct points_page page;
	CHECK(run(getenv("COZ_LIBRARY"), "", &page));
	CHECK_EQUAL(page.names.count, 3);
	CHECK_EQUAL(reader_visits(&page, "rows", POINTS_PROGRESS), 400002);
	CHECK_EQUAL(reader_visits(&page, "transaction", POINTS_BEGIN), 200001);
	CHECK_EQUAL(reader_visits(&page, "transaction", POINTS_END), 200001);
}

TEST("its forked child counts from 0, with the places that it inherited")
{
	struct points_page page;
	CHECK(run(getenv("COZ_LIBRARY"), "fork", &page));
	CHECK_EQUAL(page.names.count, 3);
	CHECK_EQUAL(reader_visits(&page, "rows", POINTS_PROGRESS), 400000);
}

TEST("without the library it has no page")
{
	struct points_page page;
	CHECK(!run(NULL, "", &page));
}

TEST("the library answers nonsense with NULL, one name with one place, and a full page with NULL")
{
	void *library = dlopen(getenv("COZ_LIBRARY"), RTLD_NOW | RTLD_LOCAL);
	CHECK(library);
	unsigned long long *(*get)(int, const char *);
	*(void **)&get = dlsym(library, "_coz_get_counter");
	CHECK(get);
	CHECK(!get(0, "a"));
	CHECK(!get(4, "a"));
	CHECK(!get(1, NULL));
	CHECK(get(1, "a"));
	CHECK(get(1, "a") == get(1, "a"));
	CHECK(get(1, "a") != get(2, "a"));
	errno = 55;
	char name[16];
	for (int i = 2; i < POINTS_MOST; i++) {
		snprintf(name, sizeof(name), "%d", i);
		CHECK(get(3, name));
	}
	CHECK(!get(3, "one too many"));
	CHECK_EQUAL(errno, 55);
	CHECK_EQUAL(reader_own()->names.dropped, 1);
}
