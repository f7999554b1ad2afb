/* SPDX-License-Identifier: BSD-2-Clause */
/* resources - variables by their address, files by the descriptors in /proc. */
#include "record/resources.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/hash_map.h"
#include "base/interner.h"
#include "base/memory.h"
#include "base/text.h"
#include "record/sockets.h"
#include "symbolize/kernel/system_calls.h"
#include "symbolize/variables.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* A server may have a socket for each request: looking them up must not take its time. */
#define LOOK_UPS_A_SECOND 200
#define TOLD_BYTES 255 /* of a lock's name */

struct resources {
	struct symbols *symbols;
	struct mapped_files *mapped_files;
	struct interner names;
	struct hash_map locks; /* (process, address) -> name, 0: none */
	struct hash_map files; /* (process << 32 | device, inode) -> name, 0: none */
	uint64_t second;
	unsigned look_ups;
};

struct resources *resources_new(struct symbols *symbols, struct mapped_files *mapped_files)
{
	struct resources *resources = memory_new(1, sizeof(*resources));

	resources->symbols = symbols;
	resources->mapped_files = mapped_files;
	return resources;
}

void resources_forget(struct resources *resources)
{
	interner_clear(&resources->names);
	hash_map_clear(&resources->locks);
	hash_map_clear(&resources->files);
}

void resources_free(struct resources *resources)
{
	if (!resources)
		return;
	resources_forget(resources);
	free(resources);
}

static bool may_look_up(struct resources *resources)
{
	uint64_t second = clock_now_ns() / 1000000000;

	if (second != resources->second)
		resources->look_ups = 0;
	resources->second = second;
	return resources->look_ups++ < LOOK_UPS_A_SECOND;
}

static const char *text_of(struct resources *resources, uint32_t name)
{
	return name ? interner_text(&resources->names, name) : NULL;
}

const char *resources_lock(struct resources *resources, uint32_t tgid, uint64_t address)
{
	uint32_t object, name = hash_map_get(&resources->locks, tgid, address);
	uint64_t offset;

	if (name != HASH_MAP_NONE)
		return text_of(resources, name);
	if (!may_look_up(resources))
		return NULL;
	AUTO(text) char *variable = NULL;
	if (mapped_files_locate_data(resources->mapped_files, tgid, address, &object, &offset))
		variable = symbols_variable_at(resources->symbols, object, offset);
	name = variable ? interner_add(&resources->names, variable) : 0;
	hash_map_set(&resources->locks, tgid, address, name);
	return text_of(resources, name);
}

static char *read_text(uint32_t tgid, uint64_t address)
{
	AUTO(text) char *path = text_format("/proc/%u/mem", tgid);
	AUTO(fd) int memory = open(path, O_RDONLY | O_CLOEXEC);
	char text[TOLD_BYTES + 1] = "";
	ssize_t bytes = memory >= 0 && address <= LONG_MAX ?
				pread(memory, text, TOLD_BYTES, (off_t)address) :
				0;

	text[bytes > 0 ? bytes : 0] = '\0';
	return *text ? text_copy(text) : NULL;
}

const char *resources_told_lock(struct resources *resources, uint32_t tgid, uint64_t address)
{
	uint32_t name = hash_map_get(&resources->locks, tgid, address);

	if (name != HASH_MAP_NONE)
		return text_of(resources, name);
	if (!may_look_up(resources))
		return NULL;
	AUTO(text) char *told = read_text(tgid, address);
	name = told ? interner_add(&resources->names, told) : 0;
	hash_map_set(&resources->locks, tgid, address, name);
	return text_of(resources, name);
}

/* ---- files ---- */

/* Calls whose first argument is a descriptor. */
static bool is_about_file(const char *call)
{
	static const char *const calls[] = {"read",
					    "write",
					    "pread64",
					    "pwrite64",
					    "readv",
					    "writev",
					    "preadv",
					    "pwritev",
					    "preadv2",
					    "pwritev2",
					    "fsync",
					    "fdatasync",
					    "syncfs",
					    "ftruncate",
					    "fstat",
					    "fallocate",
					    "recvfrom",
					    "sendto",
					    "recvmsg",
					    "sendmsg",
					    "recvmmsg",
					    "sendmmsg",
					    "accept",
					    "accept4",
					    "connect",
					    "flock",
					    "fcntl",
					    "getdents64",
					    "lseek",
					    "ioctl",
					    "sendfile",
					    "splice",
					    "tee",
					    "epoll_wait",
					    "epoll_pwait",
					    "epoll_pwait2",
					    "shutdown",
					    "vmsplice",
					    "close",
					    "fadvise64",
					    "io_uring_enter",
					    "sync_file_range",
					    "copy_file_range",
					    "mq_timedreceive",
					    "mq_timedsend",
					    "io_getevents",
					    "fchmod",
					    "fchown"};

	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (!strcmp(calls[i], call))
			return true;
	return false;
}

static bool is_file(const char *path, const struct wire_file *file)
{
	struct stat status;

	if (stat(path, &status) || status.st_ino != file->inode)
		return false;
	/* File systems of overlays and btrfs show devices of their own. */
	dev_t device = makedev(file->device >> 20, file->device & ((1u << 20) - 1));
	return status.st_dev == device || major(device) == 0;
}

/* Where the link of a descriptor points: a path, "socket:[123]", "anon_inode:[eventpoll]". */
static char *link_of(const char *path)
{
	char target[4096];
	ssize_t length = readlink(path, target, sizeof(target) - 1);

	return length > 0 ? text_format("%.*s", (int)length, target) : NULL;
}

static char *find_link(uint32_t tgid, uint64_t descriptor, const struct wire_file *file)
{
	AUTO(text)
	char *first = text_format("/proc/%u/fd/%llu", tgid, (unsigned long long)descriptor);
	if (is_file(first, file))
		return link_of(first);
	AUTO(text) char *folder = text_format("/proc/%u/fd", tgid);
	DIR *all = opendir(folder);
	char *link = NULL;
	for (struct dirent *entry; all && !link && (entry = readdir(all));) {
		AUTO(text) char *path = text_format("%s/%s", folder, entry->d_name);
		if (entry->d_name[0] != '.' && is_file(path, file))
			link = link_of(path);
	}
	if (all)
		closedir(all);
	return link;
}

static char *name_of(uint32_t tgid, const struct record_sample *sample)
{
	AUTO(text) char *link = find_link(tgid, sample->argument, &sample->file);

	if (!link) /* it was closed meanwhile */
		return text_format("closed file %llu of device %u:%u",
				   (unsigned long long)sample->file.inode,
				   sample->file.device >> 20,
				   sample->file.device & ((1u << 20) - 1));
	if (text_starts_with(link, "socket:"))
		return sockets_name(tgid, sample->file.inode);
	if (text_starts_with(link, "anon_inode:")) {
		const char *kind = link + strlen("anon_inode:");
		size_t length = strcspn(kind + (*kind == '['), "]");
		return text_format("%.*s", (int)length, kind + (*kind == '['));
	}
	if (text_starts_with(link, "pipe:"))
		return text_format("pipe %llu", (unsigned long long)sample->file.inode);
	return take(&link);
}

const char *resources_file(struct resources *resources, const struct record_sample *sample)
{
	const char *call = system_call_name(sample->system_call);
	uint64_t first = (uint64_t)sample->tgid << 32 | sample->file.device;

	if (!sample->file.inode || !call || !is_about_file(call))
		return NULL;
	bool is_anonymous = sample->file.device >> 20 == 0 && sample->file.device < 32;
	if (is_anonymous) /* one inode stands for all epoll descriptors */
		first ^= sample->argument << 40;
	uint32_t name = hash_map_get(&resources->files, first, sample->file.inode);
	if (name != HASH_MAP_NONE)
		return text_of(resources, name);
	if (!may_look_up(resources))
		return NULL;
	AUTO(text) char *text = name_of(sample->tgid, sample);
	name = text ? interner_add(&resources->names, text) : 0;
	hash_map_set(&resources->files, first, sample->file.inode, name);
	return text_of(resources, name);
}
