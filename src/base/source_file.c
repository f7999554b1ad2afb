/* SPDX-License-Identifier: BSD-2-Clause */
/* source_file - opens with a user's rights, then looks at what it has opened. */
#include "base/source_file.h"

#include "base/cleanup.h"
#include "base/memory.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SIZE_MOST 16000000 /* bytes; generated code may be long */

static int open_for(const char *path, const struct caller *user)
{
	const int flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
	struct open_how how = {.flags = flags, .resolve = RESOLVE_NO_SYMLINKS};
	struct caller_rights rights;

	if (geteuid() != 0)
		return open(path, flags);
	if (!user->uid)
		return (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));
	if (!caller_rights_begin(user, &rights))
		return -1;
	int fd = open(path, flags);
	caller_rights_end(&rights);
	return fd;
}

/* At most `size` bytes, as files of /proc have more than they say. */
static char *read_text(int fd, size_t size)
{
	char *text = memory_new(size + 1, 1);
	size_t done = 0;

	while (done < size) {
		ssize_t got = read(fd, text + done, size - done);
		if (got <= 0)
			break;
		done += (size_t)got;
	}
	return text;
}

char *source_file_read(const char *path, const struct caller *user, struct stat *status)
{
	AUTO(fd) int fd = open_for(path, user);

	if (fd < 0 || fstat(fd, status) || !S_ISREG(status->st_mode) || status->st_size > SIZE_MOST)
		return NULL;
	return read_text(fd, (size_t)status->st_size);
}
