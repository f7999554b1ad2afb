/* SPDX-License-Identifier: BSD-2-Clause */
/* binaries - looks for a text in files that others may change meanwhile. */
#include "trace/binaries.h"

#include "base/cleanup.h"
#include "check.h"

#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLDER "/tmp/lever-binaries-XXXXXX"

static char folder[] = FOLDER;

static bool contains(const char *path, const char *text)
{
	char *arguments[] = {(char *)(uintptr_t)path, NULL};
	return binaries_script_contains(arguments, text);
}

static bool write_at(const char *path, const char *text, off_t at)
{
	AUTO(fd) int file = open(path, O_WRONLY | O_CREAT, 0600);
	return file >= 0 && pwrite(file, text, strlen(text), at) == (ssize_t)strlen(text);
}

TEST("a text is found wherever it stands in the first MiB, also across what is read at once")
{
	strcpy(folder, FOLDER);
	CHECK(mkdtemp(folder) != NULL);
	AUTO(text) char *path = text_format("%s/file", folder);
	for (off_t at = 65536 - 8; at < 65536 + 2; at++) {
		CHECK(write_at(path, "needle", at));
		CHECK(contains(path, "needle"));
		CHECK(!contains(path, "needles"));
		unlink(path);
	}
	CHECK(write_at(path, "needle", 1048576 + 65536));
	CHECK(!contains(path, "needle"));
	unlink(path);
	rmdir(folder);
}

TEST("a FIFO, a folder and an empty file contain nothing, and nobody waits for them")
{
	strcpy(folder, FOLDER);
	CHECK(mkdtemp(folder) != NULL);
	AUTO(text) char *path = text_format("%s/file", folder);
	alarm(10);
	CHECK(!mkfifo(path, 0600));
	CHECK(!contains(path, "needle"));
	unlink(path);
	CHECK(write_at(path, "", 0));
	CHECK(!contains(path, "needle"));
	unlink(path);
	CHECK(!contains(folder, "needle"));
	alarm(0);
	rmdir(folder);
}

/* As a file that is cut while it is read: pages of it cannot be had. */
TEST("a file whose pages cannot be read ends nothing")
{
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		SKIP("file systems can be mounted by root only");
	strcpy(folder, FOLDER);
	CHECK(mkdtemp(folder) != NULL);
	CHECK(!mount("lever", folder, "tmpfs", 0, "size=64k"));
	AUTO(text) char *full = text_format("%s/full", folder);
	AUTO(text) char *path = text_format("%s/holes", folder);
	CHECK(write_at(path, "needles", 0));
	CHECK(!truncate(path, 1 << 20));
	AUTO(fd) int file = open(full, O_WRONLY | O_CREAT, 0600);
	char zeros[4096] = "";
	while (write(file, zeros, sizeof(zeros)) > 0)
		;
	CHECK(contains(path, "needle"));
	CHECK(!contains(path, "haystack"));
	umount2(folder, MNT_DETACH);
	rmdir(folder);
}
