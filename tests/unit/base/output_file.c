/* SPDX-License-Identifier: BSD-2-Clause */
/* output_file - files that two processes open at once. */
#include "base/output_file.h"

#include "base/cleanup.h"
#include "base/memory.h"
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define OPENINGS 2000

/* 1: this process has made the file; 0: the other one has; or -errno. */
static int open_once(const char *path)
{
	bool is_new;
	int fd = output_file_open_existing_or_new(path, O_RDWR | O_CLOEXEC, &is_new);

	if (fd < 0)
		return fd;
	close(fd);
	return is_new;
}

/* Of files 0 to OPENINGS - 1 in the folder; how many it has made, or -errno. */
static int open_all(const char *folder)
{
	int made = 0;

	for (int i = 0; i < OPENINGS; i++) {
		AUTO(text) char *path = text_format("%s/%d", folder, i);
		int code = open_once(path);
		if (code < 0)
			return code;
		made += code;
	}
	return made;
}

TEST("of two processes that open a new file at the same time one makes it, and both have it")
{
	char folder[] = "/tmp/lever-test-output-XXXXXX";
	int counts[2], made, status;

	CHECK(mkdtemp(folder) && !pipe(counts));
	pid_t other = fork();
	if (!other) {
		made = open_all(folder);
		_exit(write(counts[1], &made, sizeof(made)) != sizeof(made));
	}
	int own = open_all(folder);
	CHECK_EQUAL(waitpid(other, &status, 0), other);
	CHECK_EQUAL(read(counts[0], &made, sizeof(made)), sizeof(made));
	for (int i = 0; i < OPENINGS; i++) {
		AUTO(text) char *path = text_format("%s/%d", folder, i);
		unlink(path);
	}
	rmdir(folder);
	CHECK(own >= 0);
	CHECK_EQUAL(own + made, OPENINGS);
}
