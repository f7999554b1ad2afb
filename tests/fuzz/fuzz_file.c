/* SPDX-License-Identifier: BSD-2-Clause */
/* fuzz_file - in a folder of memory, removed at the end. */
#include "fuzz.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char path[64];

static void remove_file(void)
{
	unlink(path);
}

const char *fuzz_file(const uint8_t *bytes, size_t size)
{
	if (!path[0]) {
		snprintf(path, sizeof(path), "/dev/shm/lever-fuzz-%d", (int)getpid());
		atexit(remove_file);
	}
	unlink(path); /* what has the old one open keeps it */
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
		abort();
	close(fd);
	return path;
}
