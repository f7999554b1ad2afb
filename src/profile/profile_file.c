/* SPDX-License-Identifier: BSD-2-Clause */
/* profile_file - opens, identifies, locks and copies the file of a profile. */
#include "profile/profile_file.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/output_file.h"
#include "profile/schema.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

/* Of SQLite's file header: https://www.sqlite.org/fileformat2.html, section 1.3. */
#define HEADER_BYTES 100
#define HEADER_MAGIC "SQLite format 3" /* with its 0 */
#define HEADER_APPLICATION_ID 68

/* Readers hold the lock for some milliseconds; a recorder waits that long. */
#define LOCK_PATIENCE_NS 2000000000u

static const char *const side_files[] = {"-wal", "-journal", "-shm"};
#define SIDE_FILES (sizeof(side_files) / sizeof(side_files[0]))

static enum profile_file_content content_of(int fd)
{
	unsigned char header[HEADER_BYTES];
	ssize_t got = pread(fd, header, sizeof(header), 0);
	if (got <= 0)
		return PROFILE_FILE_EMPTY;
	size_t compared = (size_t)got < sizeof(HEADER_MAGIC) ? (size_t)got : sizeof(HEADER_MAGIC);
	if (memcmp(header, HEADER_MAGIC, compared) != 0)
		return PROFILE_FILE_OTHER;
	if (got < HEADER_BYTES)
		return PROFILE_FILE_TRUNCATED;
	const unsigned char *id = header + HEADER_APPLICATION_ID;
	uint32_t application_id =
		(uint32_t)id[0] << 24 | (uint32_t)id[1] << 16 | (uint32_t)id[2] << 8 | id[3];
	return application_id == SCHEMA_APPLICATION_ID ? PROFILE_FILE_PROFILE :
							 PROFILE_FILE_DATABASE;
}

static int explain_read(struct error *error, int code, const char *path)
{
	switch (code) {
	case ENOENT:
		return error_set(
			error, code,
			"there is no profile %s; make one with: lever run -o %s -- PROGRAM", path,
			path);
	case EACCES:
	case EPERM:
		return error_set(
			error, code,
			"cannot read %s: %s; ask its owner for the right to read it, or use sudo",
			path, strerror(code));
	default:
		return error_set(error, code, "cannot open %s: %s", path, strerror(code));
	}
}

static int explain_write(struct error *error, int code, const char *path)
{
	switch (code) {
	case ENOENT:
		return error_set(
			error, code,
			"cannot make %s: its directory does not exist; make the directory, or "
			"choose another file with -o",
			path);
	case ELOOP:
		return error_set(error, code,
				 "refusing to write %s through a symbolic link that another user "
				 "could have made; name the file that the link leads to",
				 path);
	case ENOSPC:
	case EDQUOT:
		return error_set(
			error, code,
			"cannot make %s: the disk is full; free some space, or choose another "
			"place with -o",
			path);
	default:
		return error_set(error, code, "cannot write %s: %s; choose another place with -o",
				 path, strerror(code));
	}
}

static int check_is_file(const struct profile_file *file, struct error *error)
{
	struct stat status;
	if (fstat(file->fd, &status))
		return error_set(error, errno, "cannot inspect %s: %s", file->path,
				 strerror(errno));
	if (S_ISREG(status.st_mode))
		return 0;
	return error_set(error, EINVAL,
			 "%s is %s, not a file: a profile must be a plain file; choose one with -o",
			 file->path, S_ISDIR(status.st_mode) ? "a directory" : "a device or pipe");
}

static struct profile_file *profile_file_new(const char *path)
{
	struct profile_file *file = memory_new(1, sizeof(*file));
	file->path = text_copy(path);
	file->fd = -1;
	return file;
}

/* True if the file is locked now, or the file system has no locks. */
static bool try_lock(int fd, int kind)
{
	return !flock(fd, kind | LOCK_NB) || errno != EWOULDBLOCK;
}

static int lock_to_write(const struct profile_file *file, struct error *error)
{
	uint64_t start_ns = clock_now_ns();
	while (!try_lock(file->fd, LOCK_EX)) {
		if (clock_now_ns() - start_ns > LOCK_PATIENCE_NS)
			return error_set(
				error, EBUSY,
				"another lever is recording into %s; wait until it ends, or "
				"choose another file with -o",
				file->path);
		usleep(20000);
	}
	return 0;
}

/*
 * SQLite opens its side files with O_CREAT. In a shared sticky directory such as /tmp, Linux
 * refuses that even to root if the file belongs to another user (fs.protected_regular). Side files
 * of a killed recording under sudo belong to the user: root takes them, SQLite removes them at the
 * end.
 */
static void own_side_files(const struct profile_file *file)
{
	if (geteuid() != 0)
		return;
	for (size_t i = 0; i < SIDE_FILES; i++) {
		AUTO(text) char *path = text_format("%s%s", file->real_path, side_files[i]);
		AUTO(fd) int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		if (fd >= 0 && fchown(fd, 0, 0))
			continue; /* SQLite reports what it cannot open */
	}
}

static int empty(struct profile_file *file, struct error *error)
{
	if (file->content == PROFILE_FILE_DATABASE || file->content == PROFILE_FILE_OTHER)
		return error_set(
			error, EEXIST,
			"refusing to replace %s, which is not a Lever profile; choose another "
			"file with -o, or remove it",
			file->path);
	for (size_t i = 0; i < SIDE_FILES; i++) {
		AUTO(text) char *path = text_format("%s%s", file->real_path, side_files[i]);
		if (unlink(path) && errno != ENOENT)
			return error_set(error, errno, "cannot remove %s: %s", path,
					 strerror(errno));
	}
	if (ftruncate(file->fd, 0))
		return explain_write(error, errno, file->path);
	file->content = PROFILE_FILE_EMPTY;
	return 0;
}

static int open_or_make(struct profile_file *file)
{
	int flags = O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
	int fd = output_file_open_existing_or_new(file->path, flags, &file->is_new);

	file->fd = fd < 0 ? -1 : fd;
	return fd < 0 ? fd : 0;
}

/* SQLite opens the file by this path. */
static int find_real_path(struct profile_file *file, struct error *error)
{
	struct stat opened, named;

	file->real_path = realpath(file->path, NULL);
	if (!file->real_path || fstat(file->fd, &opened) || lstat(file->real_path, &named))
		return explain_write(error, errno, file->path);
	if (opened.st_dev == named.st_dev && opened.st_ino == named.st_ino)
		return 0;
	return error_set(error, ESTALE, "%s became another file while it was opened; try again",
			 file->path);
}

int profile_file_open_to_write(const char *path, bool fresh, struct profile_file **result,
			       struct error *error)
{
	AUTO(profile_file) struct profile_file *file = profile_file_new(path);
	int code = open_or_make(file);
	if (code == -EISDIR)
		return error_set(
			error, code,
			"%s is a directory; name a file in it with -o, such as %s/lever.lever",
			path, path);
	if (code)
		return explain_write(error, -code, path);
	code = check_is_file(file, error);
	if (!code)
		code = lock_to_write(file, error);
	if (code)
		return code;
	code = find_real_path(file, error);
	if (code)
		return code;
	file->content = content_of(file->fd);
	if (fresh && !file->is_new && (code = empty(file, error)))
		return code;
	if (file->content == PROFILE_FILE_DATABASE || file->content == PROFILE_FILE_OTHER)
		return error_set(
			error, EEXIST,
			"refusing to add to %s, which is not a Lever profile; choose another "
			"file with -o",
			path);
	own_side_files(file);
	*result = take(&file);
	return 0;
}

int profile_file_open_to_read(const char *path, struct profile_file **result, struct error *error)
{
	AUTO(profile_file) struct profile_file *file = profile_file_new(path);
	file->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (file->fd < 0)
		return explain_read(error, errno, path);
	int code = check_is_file(file, error);
	if (code)
		return code;
	file->real_path = realpath(path, NULL);
	if (!file->real_path)
		return explain_read(error, errno, path);
	file->is_live = !try_lock(file->fd, LOCK_SH);
	file->content = content_of(file->fd);
	if (file->content == PROFILE_FILE_DATABASE || file->content == PROFILE_FILE_OTHER)
		return error_set(
			error, EINVAL,
			"%s is not a Lever profile; give a file that a command of lever made",
			path);
	*result = take(&file);
	return 0;
}

void profile_file_close(struct profile_file *file)
{
	if (!file)
		return;
	if (file->fd >= 0)
		close(file->fd);
	free(file->path);
	free(file->real_path);
	free(file);
}

void profile_file_undo(struct profile_file *file)
{
	struct stat opened, named;

	if (file->is_new && !fstat(file->fd, &opened) && !lstat(file->real_path, &named) &&
	    opened.st_dev == named.st_dev && opened.st_ino == named.st_ino)
		unlink(file->real_path);
	profile_file_close(file);
}

bool profile_file_has_journal(const struct profile_file *file)
{
	for (size_t i = 0; i < 2; i++) {
		struct stat status;
		AUTO(text) char *path = text_format("%s%s", file->real_path, side_files[i]);
		if (!stat(path, &status) && S_ISREG(status.st_mode) && status.st_size > 0)
			return true;
	}
	return false;
}

static int copy_content(int from, int to)
{
	char block[65536];
	for (;;) {
		ssize_t got = read(from, block, sizeof(block));
		if (got <= 0)
			return got ? -errno : 0;
		for (ssize_t done = 0; done < got;) {
			ssize_t put = write(to, block + done, (size_t)(got - done));
			if (put < 0)
				return -errno;
			done += put;
		}
	}
}

/* A missing file is no error. */
static int copy_file(const char *from, const char *to, struct error *error)
{
	AUTO(fd) int source = open(from, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (source < 0 && errno == ENOENT)
		return 0;
	if (source < 0)
		return error_set(error, errno, "cannot read %s: %s", from, strerror(errno));
	AUTO(fd) int target = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	int code = target < 0 ? -errno : copy_content(source, target);
	if (code)
		return error_set(
			error, code,
			"cannot copy %s to %s to recover its last commits: %s; set TMPDIR to a "
			"place with space",
			from, to, strerror(-code));
	return 0;
}

char *profile_file_copy(const struct profile_file *file, struct error *error)
{
	const char *parent = getenv("TMPDIR");
	AUTO(text)
	char *directory = text_format("%s/lever-XXXXXX", parent && *parent ? parent : "/tmp");
	if (!mkdtemp(directory)) {
		error_set(error, errno,
			  "cannot make the directory %s to recover the last commits of %s: %s; set "
			  "TMPDIR to a place with space",
			  directory, file->path, strerror(errno));
		return NULL;
	}
	AUTO(text) char *copy = text_format("%s/" PROFILE_FILE_COPY_NAME, directory);
	int code = copy_file(file->real_path, copy, error);
	for (size_t i = 0; i < 2 && !code; i++) {
		AUTO(text) char *from = text_format("%s%s", file->real_path, side_files[i]);
		AUTO(text) char *to = text_format("%s%s", copy, side_files[i]);
		code = copy_file(from, to, error);
	}
	if (!code)
		return take(&directory);
	profile_file_remove_copy(directory);
	return NULL;
}

void profile_file_remove_copy(const char *directory)
{
	AUTO(text) char *copy = text_format("%s/" PROFILE_FILE_COPY_NAME, directory);
	unlink(copy);
	for (size_t i = 0; i < SIDE_FILES; i++) {
		AUTO(text) char *path = text_format("%s%s", copy, side_files[i]);
		unlink(path);
	}
	rmdir(directory);
}

char *profile_file_uri(const char *real_path, const char *query)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-";
	AUTO(text) char *escaped = memory_new(strlen(real_path) * 3 + 1, 1);
	char *end = escaped;
	for (const char *next = real_path; *next; next++) {
		if (strchr(plain, *next))
			*end++ = *next;
		else
			end += sprintf(end, "%%%02x", (unsigned char)*next);
	}
	return text_format("file:%s%s%s", escaped, query ? "?" : "", query ? query : "");
}
