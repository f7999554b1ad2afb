/* SPDX-License-Identifier: BSD-2-Clause */
/* object_file - opens a binary, and copies it if another user can change it meanwhile. */
#include "symbolize/object/object_file.h"

#include "base/cleanup.h"
#include "base/memory.h"
#include "symbolize/object/private_copy.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

void object_file_close(struct object_file *file)
{
	if (file->content >= 0)
		close(file->content);
	if (file->identity >= 0)
		close(file->identity);
	free(file->open_path);
	*file = (struct object_file){.content = -1, .identity = -1};
}

/* Stores the file, and open_path if `path` is another file outside of a container. */
static void identify(struct object_file *file, int fd, const char *path, const char *open_path)
{
	struct stat own, other;

	file->identity = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (fstat(fd, &own))
		return;
	file->device = own.st_dev;
	file->inode = own.st_ino;
	file->size = own.st_size;
	file->modified_ns = own.st_mtim.tv_sec * 1000000000ll + own.st_mtim.tv_nsec;
	if (open_path &&
	    (stat(path, &other) || other.st_dev != own.st_dev || other.st_ino != own.st_ino))
		file->open_path = text_copy(open_path);
}

static int make_private(int *fd, const char *path, struct error *error)
{
	int code = private_copy(fd);

	if (code == -EFBIG)
		return error_set(error, code,
				 "%s is not read: it is larger than 1 GiB, and another user can "
				 "change it meanwhile",
				 path);
	return code ? error_set(error, code, "cannot copy %s to memory: %s", path,
				strerror(-code)) :
		      0;
}

int object_file_open(const char *path, const char *open_path, struct object_file *file,
		     struct error *error)
{
	AUTO(fd) int fd = open(open_path ? open_path : path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	*file = (struct object_file){.content = -1, .identity = -1};
	if (fd < 0)
		return error_set(error, errno, "cannot open %s: %s", path, strerror(errno));
	identify(file, fd, path, open_path);
	int code = make_private(&fd, path, error);
	if (code) {
		object_file_close(file);
		return code;
	}
	file->content = fd;
	fd = -1;
	return 0;
}

int object_file_again(const char *path, int identity, struct object_file *file, struct error *error)
{
	AUTO(fd) int fd = fcntl(identity, F_DUPFD_CLOEXEC, 0);

	*file = (struct object_file){.content = -1, .identity = -1};
	if (fd < 0)
		return error_set(error, errno, "cannot open %s: %s", path, strerror(errno));
	int code = make_private(&fd, path, error);
	if (code)
		return code;
	file->content = fd;
	fd = -1;
	return 0;
}
