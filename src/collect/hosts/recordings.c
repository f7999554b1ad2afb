/* SPDX-License-Identifier: BSD-2-Clause */
/* recordings - the same recording command on several hosts. */
#include "collect/hosts/recordings.h"

#include "base/cleanup.h"
#include "base/memory.h"
#include "collect/hosts/group.h"
#include "collect/hosts/peer_clock.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define END_NS 30000000000ull /* until all files have come */

struct recordings {
	struct group *group;
};

/* Nothing is paused. */
static bool is_alive(void *context)
{
	(void)context;
	return true;
}

static uint64_t no_delay(void *context)
{
	(void)context;
	return 0;
}

static void merge_nothing(void *context, uint64_t delay_ns)
{
	(void)context, (void)delay_ns;
}

int recordings_begin(const struct collector_group *options, struct recordings **result,
		     struct error *error)
{
	const struct group_hooks hooks = {.is_alive = is_alive,
					  .delay = no_delay,
					  .merge = merge_nothing};
	struct recordings *recordings = *result = memory_new(1, sizeof(*recordings));
	int code = group_open(options, &hooks, &recordings->group, error);

	if (code)
		return code;
	group_send_program(recordings->group, options->arguments);
	return group_await_ready(recordings->group, error);
}

void recordings_start(struct recordings *recordings)
{
	group_send(recordings->group, GROUP_ALL, &(struct link_content){.kind = HOSTS_START});
}

void recordings_end(struct recordings *recordings)
{
	group_await_files(recordings->group, END_NS);
}

unsigned recordings_count(const struct recordings *recordings)
{
	return group_count(recordings->group);
}

const char *recordings_host(const struct recordings *recordings, unsigned index)
{
	return group_peer(recordings->group, index)->name;
}

int recordings_save(const struct recordings *recordings, unsigned index, const char *path,
		    struct error *error)
{
	size_t size;
	const char *bytes = group_file(recordings->group, index, &size);

	if (!bytes)
		return error_set(error, -ENODATA, "host %s has sent no recording",
				 recordings_host(recordings, index));
	AUTO(fd) int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	for (size_t at = 0; file >= 0 && at < size;) {
		ssize_t written = write(file, bytes + at, size - at);
		if (written <= 0)
			return error_set(error, errno, "cannot write %s: %s", path,
					 strerror(errno));
		at += (size_t)written;
	}
	return file < 0 ? error_set(error, errno, "cannot make %s: %s", path, strerror(errno)) : 0;
}

const struct recording_clock *recordings_clock(const struct recordings *recordings, unsigned index,
					       size_t *count)
{
	const struct peer_clock *clock = group_clock(recordings->group, index);

	*count = clock->bounds.count;
	return clock->bounds.items;
}

char *recordings_troubles(const struct recordings *recordings)
{
	return group_troubles(recordings->group);
}

void recordings_close(struct recordings *recordings)
{
	if (!recordings)
		return;
	group_close(recordings->group);
	free(recordings);
}
