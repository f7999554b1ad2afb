/* SPDX-License-Identifier: BSD-2-Clause */
/* archive - reads names, adds up sizes with those of SQLite's files beside, and removes. */
#include "profile/archive.h"

#include "base/cleanup.h"
#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define NAME_FORMAT "%Y%m%dT%H%M%SZ.lever"
#define NAME_LENGTH 22

/* What SQLite keeps beside a file that is open, or was when the recorder was killed. */
static const char *const endings[] = {"", "-wal", "-shm"};

char *archive_path(const char *folder, int64_t start_s)
{
	char name[NAME_LENGTH + 1];
	time_t start = start_s;
	struct tm utc;

	strftime(name, sizeof(name), NAME_FORMAT, gmtime_r(&start, &utc));
	return text_format("%s/%s", folder, name);
}

static bool start_of(const char *name, int64_t *start_s)
{
	struct tm utc = {0};
	const char *end = strlen(name) == NAME_LENGTH ? strptime(name, NAME_FORMAT, &utc) : NULL;

	if (!end || *end)
		return false;
	*start_s = timegm(&utc);
	return true;
}

static int by_start(const void *one, const void *other)
{
	const struct archive_file *a = one, *b = other;

	return a->start_s < b->start_s ? -1 : a->start_s > b->start_s;
}

int archive_read(const char *folder, struct archive *archive, struct error *error)
{
	DIR *directory = opendir(folder);

	if (!directory)
		return error_set(error, -errno, "cannot read %s: %s", folder, strerror(errno));
	for (struct dirent *entry; (entry = readdir(directory));) {
		int64_t start_s;
		if (start_of(entry->d_name, &start_s))
			*array_add(&archive->files) =
				(struct archive_file){text_format("%s/%s", folder, entry->d_name),
						      start_s};
	}
	closedir(directory);
	if (archive->files.count)
		qsort(archive->files.items, archive->files.count, sizeof(*archive->files.items),
		      by_start);
	return 0;
}

void archive_release(struct archive *archive)
{
	for (size_t i = 0; i < archive->files.count; i++)
		free(archive->files.items[i].path);
	array_free(&archive->files);
}

static uint64_t size_of(const char *path)
{
	uint64_t size = 0;

	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		AUTO(text) char *beside = text_format("%s%s", path, endings[i]);
		struct stat found;
		if (!lstat(beside, &found))
			size += (uint64_t)found.st_size;
	}
	return size;
}

static int remove_file(const char *path, struct error *error)
{
	for (size_t i = sizeof(endings) / sizeof(endings[0]); i--;) {
		AUTO(text) char *beside = text_format("%s%s", path, endings[i]);
		if (unlink(beside) && errno != ENOENT)
			return error_set(error, -errno, "cannot remove %s: %s", beside,
					 strerror(errno));
	}
	return 0;
}

int archive_prune(const char *folder, uint64_t most_bytes, struct error *error)
{
	struct archive archive = {0};
	uint64_t size = 0;
	int code = archive_read(folder, &archive, error);

	for (size_t i = 0; i < archive.files.count; i++)
		size += size_of(archive.files.items[i].path);
	for (size_t i = 0; i + 1 < archive.files.count && size > most_bytes && !code; i++) {
		size -= size_of(archive.files.items[i].path);
		code = remove_file(archive.files.items[i].path, error);
	}
	archive_release(&archive);
	return code;
}
