/* SPDX-License-Identifier: BSD-2-Clause */
/* location - opening, judging, locking and copying the file of a profile. */
#include "profile/location.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
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

/* A reader holds the lock for some milliseconds, so a recorder waits for it. */
#define LOCK_PATIENCE_NS 2000000000u

static const char *const side_files[] = {"-wal", "-journal", "-shm"};
#define SIDE_FILES (sizeof(side_files) / sizeof(side_files[0]))

static enum location_content content_of(int fd)
{
	unsigned char header[HEADER_BYTES];
	ssize_t got = pread(fd, header, sizeof(header), 0);
	if (got <= 0)
		return LOCATION_EMPTY;
	size_t compared = (size_t)got < sizeof(HEADER_MAGIC) ? (size_t)got : sizeof(HEADER_MAGIC);
	if (memcmp(header, HEADER_MAGIC, compared) != 0)
		return LOCATION_OTHER;
	if (got < HEADER_BYTES)
		return LOCATION_TORN;
	const unsigned char *id = header + HEADER_APPLICATION_ID;
	uint32_t application_id =
		(uint32_t)id[0] << 24 | (uint32_t)id[1] << 16 | (uint32_t)id[2] << 8 | id[3];
	return application_id == SCHEMA_APPLICATION_ID ? LOCATION_PROFILE : LOCATION_DATABASE;
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
			"the profile %s cannot be read: %s; ask its owner for the right to "
			"read it, or use sudo",
			path, strerror(code));
	default:
		return error_set(error, code, "the profile %s cannot be opened: %s", path,
				 strerror(code));
	}
}

static int explain_write(struct error *error, int code, const char *path)
{
	switch (code) {
	case ENOENT:
		return error_set(
			error, code,
			"the profile %s cannot be made: its directory does not exist; make "
			"the directory, or choose another file with -o",
			path);
	case ENOSPC:
	case EDQUOT:
		return error_set(
			error, code,
			"the profile %s cannot be made: the disk is full; free some space, "
			"or choose another place with -o",
			path);
	default:
		return error_set(
			error, code,
			"the profile %s cannot be written: %s; choose another place with -o", path,
			strerror(code));
	}
}

static int check_is_file(const struct location *location, struct error *error)
{
	struct stat status;
	if (fstat(location->fd, &status))
		return error_set(error, errno, "%s cannot be looked at: %s", location->path,
				 strerror(errno));
	if (S_ISREG(status.st_mode))
		return 0;
	return error_set(error, EINVAL,
			 "%s is %s, not a file: a profile must be a plain file; choose one with -o",
			 location->path,
			 S_ISDIR(status.st_mode) ? "a directory" : "a device or pipe");
}

static struct location *location_new(const char *path)
{
	struct location *location = memory_new(1, sizeof(*location));
	location->path = text_copy(path);
	location->fd = -1;
	return location;
}

/* True if the lock was got, or where the file system has no locks. */
static bool try_lock(int fd, int kind)
{
	return !flock(fd, kind | LOCK_NB) || errno != EWOULDBLOCK;
}

static int lock_to_write(const struct location *location, struct error *error)
{
	uint64_t start_ns = clock_now_ns();
	while (!try_lock(location->fd, LOCK_EX)) {
		if (clock_now_ns() - start_ns > LOCK_PATIENCE_NS)
			return error_set(
				error, EBUSY,
				"another lever is recording into %s; wait until it ends, or "
				"choose another file with -o",
				location->path);
		usleep(20000);
	}
	return 0;
}

/*
 * Where a directory is shared and sticky, such as /tmp, Linux does not let even root open
 * another's file with O_CREAT (fs.protected_regular), and SQLite opens its side files so. Those of
 * a recording under sudo that was killed belong to the user: take them back. They go at the end.
 */
static void own_side_files(const struct location *location)
{
	if (geteuid() != 0)
		return;
	for (size_t i = 0; i < SIDE_FILES; i++) {
		AUTO(text) char *path = text_format("%s%s", location->real_path, side_files[i]);
		AUTO(fd) int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		if (fd >= 0 && fchown(fd, 0, 0))
			continue; /* then SQLite will say what it cannot open */
	}
}

static int empty(struct location *location, struct error *error)
{
	if (location->content == LOCATION_DATABASE || location->content == LOCATION_OTHER)
		return error_set(error, EEXIST,
				 "%s exists and is no Lever profile, so it is not replaced; choose "
				 "another file with -o, or remove it yourself",
				 location->path);
	for (size_t i = 0; i < SIDE_FILES; i++) {
		AUTO(text) char *path = text_format("%s%s", location->real_path, side_files[i]);
		if (unlink(path) && errno != ENOENT)
			return error_set(error, errno, "%s cannot be removed: %s", path,
					 strerror(errno));
	}
	if (ftruncate(location->fd, 0))
		return explain_write(error, errno, location->path);
	location->content = LOCATION_EMPTY;
	return 0;
}

/* Without O_CREAT first, see own_side_files. */
static int open_or_make(struct location *location)
{
	int flags = O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
	location->fd = open(location->path, flags);
	if (location->fd >= 0 || errno != ENOENT)
		return location->fd < 0 ? -errno : 0;
	location->fd = open(location->path, flags | O_CREAT | O_EXCL, 0666);
	if (location->fd < 0)
		return -errno;
	location->is_new = true;
	file_give_to_caller(location->fd);
	return 0;
}

int location_open_to_write(const char *path, bool fresh, struct location **result,
			   struct error *error)
{
	AUTO(location) struct location *location = location_new(path);
	int code = open_or_make(location);
	if (code == -EISDIR)
		return error_set(
			error, code,
			"%s is a directory; name a file in it with -o, such as %s/lever.lever",
			path, path);
	if (code)
		return explain_write(error, -code, path);
	code = check_is_file(location, error);
	if (!code)
		code = lock_to_write(location, error);
	if (code)
		return code;
	location->real_path = realpath(path, NULL);
	if (!location->real_path)
		return explain_write(error, errno, path);
	location->content = content_of(location->fd);
	if (fresh && !location->is_new && (code = empty(location, error)))
		return code;
	if (location->content == LOCATION_DATABASE || location->content == LOCATION_OTHER)
		return error_set(error, EEXIST,
				 "%s exists and is no Lever profile, so nothing is added to it; "
				 "choose another file with -o",
				 path);
	own_side_files(location);
	*result = take(&location);
	return 0;
}

int location_open_to_read(const char *path, struct location **result, struct error *error)
{
	AUTO(location) struct location *location = location_new(path);
	location->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (location->fd < 0)
		return explain_read(error, errno, path);
	int code = check_is_file(location, error);
	if (code)
		return code;
	location->real_path = realpath(path, NULL);
	if (!location->real_path)
		return explain_read(error, errno, path);
	location->is_live = !try_lock(location->fd, LOCK_SH);
	location->content = content_of(location->fd);
	if (location->content == LOCATION_DATABASE || location->content == LOCATION_OTHER)
		return error_set(error, EINVAL,
				 "%s is not a Lever profile; `lever report` reads files that "
				 "`lever run` made",
				 path);
	*result = take(&location);
	return 0;
}

void location_close(struct location *location)
{
	if (!location)
		return;
	if (location->fd >= 0)
		close(location->fd);
	free(location->path);
	free(location->real_path);
	free(location);
}

void location_undo(struct location *location)
{
	if (location->is_new)
		unlink(location->real_path);
	location_close(location);
}

bool location_has_journal(const struct location *location)
{
	for (size_t i = 0; i < 2; i++) {
		struct stat status;
		AUTO(text) char *path = text_format("%s%s", location->real_path, side_files[i]);
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

/* A file that is not there is not copied. */
static int copy_file(const char *from, const char *to, struct error *error)
{
	AUTO(fd) int source = open(from, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (source < 0 && errno == ENOENT)
		return 0;
	if (source < 0)
		return error_set(error, errno, "%s cannot be read: %s", from, strerror(errno));
	AUTO(fd) int target = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	int code = target < 0 ? -errno : copy_content(source, target);
	if (code)
		return error_set(
			error, code,
			"%s cannot be copied to %s, where its recording, which was cut "
			"short, would be put in order: %s; set TMPDIR to a place with space",
			from, to, strerror(-code));
	return 0;
}

char *location_copy(const struct location *location, struct error *error)
{
	const char *parent = getenv("TMPDIR");
	AUTO(text)
	char *directory = text_format("%s/lever-XXXXXX", parent && *parent ? parent : "/tmp");
	if (!mkdtemp(directory)) {
		error_set(error, errno,
			  "no directory %s could be made, where the recording %s, which was cut "
			  "short, would be put in order: %s; set TMPDIR to a place with space",
			  directory, location->path, strerror(errno));
		return NULL;
	}
	AUTO(text) char *copy = text_format("%s/" LOCATION_COPY_NAME, directory);
	int code = copy_file(location->real_path, copy, error);
	for (size_t i = 0; i < 2 && !code; i++) {
		AUTO(text) char *from = text_format("%s%s", location->real_path, side_files[i]);
		AUTO(text) char *to = text_format("%s%s", copy, side_files[i]);
		code = copy_file(from, to, error);
	}
	if (!code)
		return take(&directory);
	location_remove_copy(directory);
	return NULL;
}

void location_remove_copy(const char *directory)
{
	AUTO(text) char *copy = text_format("%s/" LOCATION_COPY_NAME, directory);
	unlink(copy);
	for (size_t i = 0; i < SIDE_FILES; i++) {
		AUTO(text) char *path = text_format("%s%s", copy, side_files[i]);
		unlink(path);
	}
	rmdir(directory);
}

char *location_uri(const char *real_path, const char *query)
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
