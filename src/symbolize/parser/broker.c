/* SPDX-License-Identifier: BSD-2-Clause */
/* broker - by name what the engine named, by content and rights everything else. */
#include "symbolize/parser/broker.h"

#include "base/caller.h"
#include "base/cleanup.h"
#include "symbolize/debug_fetch.h"
#include "symbolize/object/brokered.h"
#include "symbolize/object/jit_file.h"
#include "symbolize/object/private_copy.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

static const char *const kernel_lists[] = {"/proc/kallsyms", "/proc/modules", "/sys/kernel/notes"};

void broker_clear(struct broker *broker)
{
	for (size_t i = 0; i < broker->named.count; i++)
		free(broker->named.items[i].path);
	array_free(&broker->named);
}

static const struct broker_file *find_named(const struct broker *broker, const char *path)
{
	for (size_t i = 0; i < broker->named.count; i++)
		if (!strcmp(broker->named.items[i].path, path))
			return &broker->named.items[i];
	return NULL;
}

void broker_add(struct broker *broker, const char *path, bool is_jit)
{
	if (!find_named(broker, path))
		*array_add(&broker->named) = (struct broker_file){text_copy(path), is_jit};
}

/* Devices and pipes are not opened at all: that alone can have effects. */
static int open_regular(const char *path)
{
	AUTO(fd) int place = open(path, O_PATH | O_CLOEXEC);
	AUTO(text) char *again = text_format("/proc/self/fd/%d", place);
	struct stat status;

	if (place < 0 || fstat(place, &status))
		return -errno;
	if (!S_ISREG(status.st_mode))
		return -EACCES;
	int fd = open(again, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int open_elf(const char *path)
{
	char magic[SELFMAG];
	AUTO(fd) int fd = open_regular(path);

	if (fd < 0) {
		int code = fd;
		fd = -1;
		return code;
	}
	if (pread(fd, magic, SELFMAG, 0) != SELFMAG || memcmp(magic, ELFMAG, SELFMAG) != 0)
		return -EACCES;
	int code = private_copy(&fd);
	if (code)
		return code;
	int opened = fd;
	fd = -1;
	return opened;
}

/* Under sudo, with no more rights than the user behind it has: who profiles need not read all. */
static int open_unnamed(const char *path)
{
	struct caller caller;
	struct caller_rights rights;

	if (!caller_of_sudo(&caller))
		return open_elf(path);
	if (!caller_rights_begin(&caller, &rights))
		return -EACCES;
	int fd = open_elf(path);
	caller_rights_end(&rights);
	return fd;
}

/* A build id, and the path of the file that has it, which begins with a slash. */
static int fetch(const char *asked)
{
	const char *name = strchrnul(asked, '/');
	AUTO(text) char *build_id = text_format("%.*s", (int)(name - asked), asked);
	AUTO(text) char *path = debug_fetch_by_build_id(build_id, name);
	return path ? open_elf(path) : -ENOENT;
}

int broker_open(const struct broker *broker, const char *path)
{
	for (size_t i = 0; i < sizeof(kernel_lists) / sizeof(*kernel_lists); i++)
		if (!strcmp(path, kernel_lists[i])) {
			int fd = open(path, O_RDONLY | O_CLOEXEC);
			return fd < 0 ? -errno : fd;
		}
	const struct broker_file *named = find_named(broker, path);
	if (named && named->is_jit) {
		int fd = jit_file_open(path);
		return fd < 0 ? -EACCES : fd;
	}
	if (!strncmp(path, BROKER_FETCH, strlen(BROKER_FETCH)))
		return fetch(path + strlen(BROKER_FETCH));
	return named ? open_elf(path) : open_unnamed(path);
}
