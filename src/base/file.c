/* SPDX-License-Identifier: BSD-2-Clause */
/* file - reads whole files, and gives files to the user who called sudo. */
#include "base/file.h"

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
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
	const char *uid_text = getenv("SUDO_UID"), *gid_text = getenv("SUDO_GID");
	uint64_t uid, gid;
	if (geteuid() != 0 || !uid_text || !gid_text)
		return;
	if (!text_to_unsigned(uid_text, &uid) || !text_to_unsigned(gid_text, &gid))
		return;
	if (uid >= UINT_MAX || gid >= UINT_MAX)
		return;
	if (fchown(fd, (uid_t)uid, (gid_t)gid))
		return; /* not an error, see file.h */
}
