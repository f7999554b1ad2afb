/* SPDX-License-Identifier: BSD-2-Clause */
/* attachment - reads and writes the page of points through /proc/PID/mem. */
#include "collect/trace/attachment.h"

#include "base/cleanup.h"
#include "base/memory.h"
#include "wire/annotations.h"
#include "wire/points.h"

#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

struct listener {
	int memory; /* /proc/PID/mem: stays this address space when the id is used again */
	off_t address;
};

struct attachment {
	struct annotation_reader *reader;
	ARRAY(struct listener) listeners;
};

CLEANUP_DEFINE(words, struct annotations_name *, free, NULL)

struct attachment *attachment_new(struct annotation_reader *reader)
{
	struct attachment *attachment = memory_new(1, sizeof(*attachment));
	attachment->reader = reader;
	return attachment;
}

static bool read_head(int memory, off_t address, struct points_names *names)
{
	size_t size = offsetof(struct points_names, entries);

	return pread(memory, names, size, address) == (ssize_t)size &&
	       names->magic == POINTS_MAGIC && names->version == POINTS_VERSION;
}

static bool write_field(int memory, off_t address, const void *value, size_t size)
{
	return pwrite(memory, value, size, address) == (ssize_t)size;
}
#define WRITE(memory, address, names, field)                                         \
	write_field(memory, (address) + (off_t)offsetof(struct points_names, field), \
		    &(names)->field, sizeof((names)->field))

#define WRITE_RING(memory, address, ring, field)                                         \
	write_field(memory, (address) + (off_t)offsetof(struct annotations_ring, field), \
		    &(ring)->field, sizeof((ring)->field))

/* Others may listen, too, for other things: their bits stay. */
static void set_listening(int memory, off_t address, bool listens)
{
	struct points_names names;

	if (!read_head(memory, address, &names))
		return;
	names.listening = listens ? names.listening | POINTS_LISTEN_TRACE :
				    names.listening & ~(unsigned)POINTS_LISTEN_TRACE;
	WRITE(memory, address, &names, listening);
}

void attachment_free(struct attachment *attachment)
{
	if (!attachment)
		return;
	for (size_t i = 0; i < attachment->listeners.count; i++) {
		set_listening(attachment->listeners.items[i].memory,
			      attachment->listeners.items[i].address, false);
		close(attachment->listeners.items[i].memory);
	}
	array_free(&attachment->listeners);
	free(attachment);
}

/* Its code refers to names by their index in the memory of the earlier trace. */
static bool merge_strings(struct attachment *attachment, int memory, off_t trace)
{
	const size_t size = ANNOTATIONS_NAMES * sizeof(struct annotations_name);
	AUTO(words) struct annotations_name *words = memory_new(1, size);

	return pread(memory, words, size, trace + (off_t)offsetof(struct annotations, names)) ==
		       (ssize_t)size &&
	       annotation_reader_merge_strings(attachment->reader, words);
}

/*
 * Threads may still write into the memory of an earlier trace whose engine was killed: ends those
 * rings, as that engine would have done (wire/annotations.h).
 */
static void end_old_rings(int memory, off_t trace)
{
	struct annotations_head head;
	const size_t fields = offsetof(struct annotations_ring, tail_pad);

	if (pread(memory, &head, sizeof(head), trace) != (ssize_t)sizeof(head) ||
	    head.magic != ANNOTATIONS_MAGIC || head.version != ANNOTATIONS_VERSION)
		return;
	for (unsigned i = 0; i < head.rings && i < ANNOTATIONS_RINGS_MOST; i++) {
		struct annotations_ring ring;
		off_t at =
			trace + (off_t)(sizeof(struct annotations) + i * (size_t)head.ring_bytes);
		if (pread(memory, &ring, fields, at) != (ssize_t)fields)
			return;
		if (!ring.owner)
			continue;
		ring.is_over = 1;
		ring.tail = ring.tail_seen = 0;
		ring.room = 0;
		WRITE_RING(memory, at, &ring, is_over);
		WRITE_RING(memory, at, &ring, tail);
		WRITE_RING(memory, at, &ring, tail_seen);
		WRITE_RING(memory, at, &ring, room);
	}
}

/* In this order: the path of the memory, that it is not mapped yet, that a trace listens. */
static enum attachment_result attach(struct attachment *attachment, int memory, off_t address,
				     struct points_names *names)
{
	if (names->listening & POINTS_LISTEN_TRACE) {
		AUTO(text) char *other = text_format("%.*s", POINTS_PATH_BYTES, names->trace_path);
		if (!access(other, F_OK))
			return ATTACHMENT_BUSY;
		set_listening(memory, address, false); /* that engine was killed */
	}
	if (names->trace && !merge_strings(attachment, memory, (off_t)names->trace))
		return ATTACHMENT_CONFLICT;
	const char *path = annotation_reader_path(attachment->reader);
	memset(names->trace_path, 0, sizeof(names->trace_path));
	memcpy(names->trace_path, path, strnlen(path, sizeof(names->trace_path) - 1));
	off_t old = (off_t)names->trace;
	names->trace = 0;
	if (!WRITE(memory, address, names, trace_path) || !WRITE(memory, address, names, trace))
		return ATTACHMENT_UNAVAILABLE;
	set_listening(memory, address, true);
	if (old)
		end_old_rings(memory, old);
	return ATTACHMENT_DONE;
}

enum attachment_result attachment_add(struct attachment *attachment, pid_t pid)
{
	static const off_t addresses[] = {(off_t)POINTS_ADDRESS, (off_t)POINTS_ADDRESS_OTHER};
	AUTO(text) char *path = text_format("/proc/%d/mem", (int)pid);
	AUTO(fd) int memory = open(path, O_RDWR | O_CLOEXEC);
	struct points_names names;

	if (memory < 0)
		return ATTACHMENT_UNAVAILABLE;
	for (size_t i = 0; i < sizeof(addresses) / sizeof(*addresses); i++) {
		if (!read_head(memory, addresses[i], &names))
			continue;
		if (attachment->listeners.count == ATTACHMENT_PROCESSES_MOST)
			return ATTACHMENT_FULL;
		enum attachment_result result = attach(attachment, memory, addresses[i], &names);
		if (result != ATTACHMENT_DONE)
			return result;
		*array_add(&attachment->listeners) =
			(struct listener){.memory = memory, .address = addresses[i]};
		memory = -1;
		return result;
	}
	return ATTACHMENT_UNAVAILABLE;
}
