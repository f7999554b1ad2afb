/* SPDX-License-Identifier: BSD-2-Clause */
/* file - reads whole files, and gives files to the user who called sudo. */
#include "base/file.h"

#include "base/caller.h"
#include "base/cleanup.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

char *file_read(const char *path, size_t *size_bytes, struct error *error)
{
	AUTO(fd) int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		error_set(error, errno, "cannot open %s: %s", path, strerror(errno));
		return NULL;
	}
	size_t size = 0, capacity = 4096;
	AUTO(text) char *content = memory_new(capacity, 1);
	for (;;) {
		ssize_t got = read(fd, content + size, capacity - size - 1);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			error_set(error, errno, "cannot read %s: %s", path, strerror(errno));
			return NULL;
		}
		if (got == 0)
			break;
		size += (size_t)got;
		if (size + 1 == capacity)
			content = memory_resize(content, capacity *= 2, 1);
	}
	content[size] = 0;
	if (size_bytes)
		*size_bytes = size;
	return take(&content);
}

void file_give_to_caller(int fd)
{
	struct caller caller;

	if (caller_of_sudo(&caller) && fchown(fd, caller.uid, caller.gid))
		return; /* not an error, see file.h */
}
