/* SPDX-License-Identifier: BSD-2-Clause */
/* output_file - resolves links one by one, so that each can be refused. */
#include "base/output_file.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/path.h"

#include <errno.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>

#define LINKS_MOST 40 /* as Linux */
#define OPENINGS_MOST 8

/* A file that may not exist yet, by its name in an open folder. */
struct place {
	int folder;
	char *name;
	bool is_magic; /* a link in /proc, which leads to an open file */
};

struct output_file {
	char *path; /* as the user named it */
	struct place place;
	char *temporary; /* its name in the folder; NULL: written directly */
	FILE *stream;
	struct caller caller;
	bool is_by_caller;
};

static void place_clear(struct place *place)
{
	if (place->folder >= 0)
		close(place->folder);
	free(place->name);
	*place = (struct place){.folder = -1};
}

/* ---- finding the place ---- */

/* Without links: for root, where the user behind sudo has no right. */
static int open_folder(const char *path, bool allow_links)
{
	struct open_how how = {.flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
			       .resolve = RESOLVE_NO_SYMLINKS};

	if (allow_links)
		return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));
}

static bool is_trusted(const struct stat *link)
{
	struct caller caller;

	return !link->st_uid || link->st_uid == geteuid() ||
	       (caller_of_sudo(&caller) && link->st_uid == caller.uid);
}

/* 0: no link, or none to follow; 1: `next` is where it leads; or -errno. */
static int follow(struct place *place, const char *parent, bool allow_links, char **next)
{
	char target[PATH_MAX];
	struct stat status;
	struct statfs system;
	AUTO(fd) int link = openat(place->folder, place->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);

	if (link < 0)
		return errno == ENOENT ? 0 : -errno;
	if (fstat(link, &status) || fstatfs(link, &system))
		return -errno;
	if (!S_ISLNK(status.st_mode))
		return 0;
	if (!allow_links || !is_trusted(&status))
		return -ELOOP;
	if (system.f_type == PROC_SUPER_MAGIC) {
		place->is_magic = true;
		return 0;
	}
	ssize_t length = readlinkat(link, "", target, sizeof(target) - 1);
	if (length < 0)
		return -errno;
	target[length] = 0;
	*next = *target == '/' ? text_copy(target) : text_format("%s/%s", parent, target);
	return 1;
}

static char *parent_of(const char *path, const char *base)
{
	return base == path ? text_copy(".") : text_format("%.*s", (int)(base - path), path);
}

static int find_place(const char *path, bool allow_links, struct place *place)
{
	AUTO(text) char *current = text_copy(path);

	for (int links = 0; links < LINKS_MOST; links++) {
		const char *base = path_base(current);
		AUTO(text) char *parent = parent_of(current, base);
		char *next = NULL;
		place->folder = open_folder(parent, allow_links);
		if (place->folder < 0)
			return -errno;
		place->name = text_copy(*base ? base : ".");
		int code = follow(place, parent, allow_links, &next);
		if (code <= 0)
			return code;
		place_clear(place);
		free(current);
		current = next;
	}
	return -ELOOP;
}

/* ---- with the caller's rights, or with root's ---- */

typedef int attempt_function(const char *path, bool allow_links, void *context);

/*
 * `by_caller` is set before each attempt. Under sudo, first with the caller's rights; where they do
 * not suffice with those of root, but then a link would let the user choose among root's files.
 */
static int attempt(const char *path, attempt_function *function, void *context, bool *by_caller)
{
	struct caller caller;
	struct caller_rights rights;

	*by_caller = caller_of_sudo(&caller) && caller_rights_begin(&caller, &rights);
	if (!*by_caller)
		return function(path, true, context);
	int code = function(path, true, context);
	caller_rights_end(&rights);
	if (code != -EACCES && code != -EPERM)
		return code;
	*by_caller = false;
	return function(path, false, context);
}

struct opening {
	int flags, fd;
	bool is_new;
};

/* Another process may create the file, or remove it, at the same time. */
static int open_or_create(const struct place *place, int flags, struct opening *opening)
{
	for (int tries = 0; tries < OPENINGS_MOST; tries++) {
		opening->is_new = tries % 2;
		opening->fd = opening->is_new ? openat(place->folder, place->name,
						       flags | O_CREAT | O_EXCL, 0666) :
						openat(place->folder, place->name, flags);
		if (opening->fd >= 0)
			return 0;
		if (errno != (opening->is_new ? EEXIST : ENOENT))
			break;
	}
	return -errno;
}

static int open_at(const char *path, bool allow_links, void *context)
{
	struct opening *opening = context;
	struct place place = {.folder = -1};
	int code = find_place(path, allow_links, &place);
	int flags = opening->flags | (place.is_magic ? 0 : O_NOFOLLOW);

	if (!code)
		code = open_or_create(&place, flags, opening);
	place_clear(&place);
	return code;
}

int output_file_open_existing_or_new(const char *path, int flags, bool *is_new)
{
	struct opening opening = {.flags = flags};
	bool by_caller;
	int code = attempt(path, open_at, &opening, &by_caller);

	if (code)
		return code;
	*is_new = opening.is_new;
	if (opening.is_new)
		file_give_to_caller(opening.fd);
	return opening.fd;
}

/* ---- a file that takes another's place at the end ---- */

static int open_temporary(struct output_file *file)
{
	int fd = -1;

	for (int tries = 0; tries < 100 && fd < 0; tries++) {
		unsigned number = 0;
		if (getrandom(&number, sizeof(number), 0) < 0)
			return -errno;
		free(file->temporary);
		file->temporary = text_format(".lever-%08x", number);
		fd = openat(file->place.folder, file->temporary,
			    O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	if (fd >= 0)
		return fd;
	int code = -errno;
	free(file->temporary);
	file->temporary = NULL;
	return code;
}

/* What is no file is written directly, and a file whose folder takes no new one. */
static int open_direct(struct output_file *file, int fd, const struct stat *status)
{
	int flags = fcntl(fd, F_GETFL);

	if (S_ISREG(status->st_mode) && ftruncate(fd, 0))
		return -errno;
	if (fcntl(fd, F_SETFL, flags & ~O_NONBLOCK))
		return -errno;
	file->stream = fdopen(fd, "w");
	return file->stream ? 0 : -errno;
}

static int open_in_place_of(struct output_file *file, int existing)
{
	struct stat status;

	if (fstat(existing, &status))
		return -errno;
	int fd = S_ISREG(status.st_mode) && !file->place.is_magic ? open_temporary(file) : -1;
	if (fd < 0) {
		int copy = fcntl(existing, F_DUPFD_CLOEXEC, 0);
		return copy < 0 ? -errno : open_direct(file, copy, &status);
	}
	/* Before the mode: a change of owner clears set-id bits. Not root's: it has the user's. */
	if (fchown(fd, status.st_uid, status.st_gid) && geteuid() == 0 && !file->is_by_caller)
		return -errno;
	if (fchmod(fd, status.st_mode & 0777))
		return -errno;
	file->stream = fdopen(fd, "w");
	return file->stream ? 0 : -errno;
}

static int open_output(const char *path, bool allow_links, void *context)
{
	struct output_file *file = context;
	int flags = O_WRONLY | O_NOCTTY | O_CLOEXEC;

	place_clear(&file->place);
	int code = find_place(path, allow_links, &file->place);
	if (code)
		return code;
	if (!file->place.is_magic)
		flags |= O_NOFOLLOW | O_NONBLOCK;
	AUTO(fd) int existing = openat(file->place.folder, file->place.name, flags);
	if (existing < 0 && errno == ENXIO) /* a pipe without a reader yet */
		existing = openat(file->place.folder, file->place.name, flags & ~O_NONBLOCK);
	if (existing >= 0)
		return open_in_place_of(file, existing);
	if (errno != ENOENT)
		return -errno;
	int fd = open_temporary(file);
	if (fd < 0)
		return fd;
	if (!file->is_by_caller)
		file_give_to_caller(fd);
	file->stream = fdopen(fd, "w");
	return file->stream ? 0 : -errno;
}

int output_file_open(const char *path, struct output_file **result, struct error *error)
{
	AUTO(output_file) struct output_file *file = memory_new(1, sizeof(*file));

	file->path = text_copy(path);
	file->place.folder = -1;
	caller_of_sudo(&file->caller);
	int code = attempt(path, open_output, file, &file->is_by_caller);
	if (code == -ELOOP)
		return error_set(error, code,
				 "refusing to write %s through a symbolic link that another user "
				 "could have made; name the file that the link leads to",
				 path);
	if (code)
		return error_set(error, code, "cannot write %s: %s", path, strerror(-code));
	*result = take(&file);
	return 0;
}

FILE *output_file_stream(struct output_file *file)
{
	return file->stream;
}

/* Renames the temporary file, or removes it. */
static int settle(struct output_file *file, bool keep)
{
	struct caller_rights rights;
	int code = 0;

	if (!file->temporary)
		return 0;
	if (file->is_by_caller && !caller_rights_begin(&file->caller, &rights))
		return -EPERM;
	if (keep &&
	    renameat(file->place.folder, file->temporary, file->place.folder, file->place.name))
		code = -errno;
	if (!keep || code)
		unlinkat(file->place.folder, file->temporary, 0);
	if (file->is_by_caller)
		caller_rights_end(&rights);
	return code;
}

static void output_file_free(struct output_file *file)
{
	if (file->stream)
		fclose(file->stream);
	place_clear(&file->place);
	free(file->temporary);
	free(file->path);
	free(file);
}

int output_file_finish(struct output_file *file, struct error *error)
{
	bool is_written = !fflush(file->stream) && !ferror(file->stream);
	int code = is_written ? 0 : -(errno ? errno : EIO);
	int settled = settle(file, is_written);

	code = code ? code : settled;
	if (code)
		error_set(error, code, "cannot write %s: %s", file->path, strerror(-code));
	output_file_free(file);
	return code;
}

void output_file_discard(struct output_file *file)
{
	settle(file, false);
	output_file_free(file);
}
