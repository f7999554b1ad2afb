/* SPDX-License-Identifier: BSD-2-Clause */
/* file - whole files, also of /proc, and errors. */
#include "base/file.h"

#include "base/cleanup.h"
#include "base/memory.h"
#include "check.h"

#include <errno.h>
#include <sys/stat.h>

TEST("a file larger than the first buffer is read whole")
{
	char path[] = "/tmp/lever-test-file-XXXXXX";
	AUTO(fd) int fd = mkstemp(path);
	CHECK(fd >= 0);
	AUTO(text) char *written = memory_new(100000, 1);
	for (size_t i = 0; i < 100000; i++)
		written[i] = (char)(i * 7);
	CHECK_EQUAL(write(fd, written, 100000), 100000);
	struct error error = {0};
	size_t size = 0;
	AUTO(text) char *content = file_read(path, &size, &error);
	unlink(path);
	CHECK(content);
	CHECK_EQUAL(size, 100000);
	CHECK(!memcmp(content, written, size));
	CHECK_EQUAL(content[size], 0);
}

TEST("a file of /proc, whose size is 0, is read whole")
{
	AUTO(text) char *content = file_read("/proc/self/status", NULL, NULL);
	CHECK(content);
	CHECK(strstr(content, "\nPid:"));
}

TEST("a missing file is named in the error")
{
	struct error error = {0};
	CHECK(!file_read("/no/such/file", NULL, &error));
	CHECK_EQUAL(error.code, -ENOENT);
	CHECK(strstr(error.text, "/no/such/file"));
}

TEST("a file made under sudo belongs to the caller, without sudo it stays")
{
	if (geteuid() != 0)
		SKIP("only root can give a file away");
	char path[] = "/tmp/lever-test-file-XXXXXX";
	AUTO(fd) int fd = mkstemp(path);
	unlink(path);
	struct stat status;
	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
	file_give_to_caller(fd);
	CHECK_EQUAL(fstat(fd, &status), 0);
	CHECK_EQUAL(status.st_uid, 0);
	setenv("SUDO_UID", "12345", 1);
	setenv("SUDO_GID", "54321", 1);
	file_give_to_caller(fd);
	CHECK_EQUAL(fstat(fd, &status), 0);
	CHECK_EQUAL(status.st_uid, 12345);
	CHECK_EQUAL(status.st_gid, 54321);
}
