/* SPDX-License-Identifier: BSD-2-Clause */
/* private_copy - by a memory file that the kernel seals. */
#include "symbolize/object/private_copy.h"

#include "base/caller.h"
#include "base/cleanup.h"
#include "symbolize/object/brokered.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>

#define SIZE_MOST (1ll << 30)

static bool is_trusted_user(uid_t uid)
{
	struct caller caller;

	return !uid || uid == geteuid() || (caller_of_sudo(&caller) && uid == caller.uid);
}

/* A group with the number of the owner is that user's own. */
static bool is_trusted_group(const struct stat *status)
{
	return !status->st_gid || status->st_gid == status->st_uid || status->st_gid == getegid();
}

static bool is_changed_by_others(const struct stat *status)
{
	return !is_trusted_user(status->st_uid) || (status->st_mode & S_IWOTH) ||
	       (status->st_mode & S_IWGRP && !is_trusted_group(status));
}

static int copy_to(int copy, int fd, off_t size)
{
	const int seals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;

	for (off_t done = 0; done < size;) {
		ssize_t sent = sendfile(copy, fd, &done, (size_t)(size - done));
		if (sent <= 0)
			return sent ? -errno : -EIO; /* it has been shortened */
	}
	return fcntl(copy, F_ADD_SEALS, seals) ? -errno : 0;
}

int private_copy(int *fd)
{
	struct stat status;

	if (broker_is_used())
		return 0;
	if (fstat(*fd, &status))
		return -errno;
	if (!S_ISREG(status.st_mode) || !is_changed_by_others(&status))
		return 0;
	if (status.st_size > SIZE_MOST)
		return -EFBIG;
	AUTO(fd) int copy = memfd_create("lever-binary", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (copy < 0)
		return -errno;
	int code = copy_to(copy, *fd, status.st_size);
	if (code)
		return code;
	close(*fd);
	*fd = copy;
	copy = -1;
	return 0;
}
