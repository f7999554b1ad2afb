/* SPDX-License-Identifier: BSD-2-Clause */
/* peer_file - puts parts together. */
#include "collect/hosts/peer_file.h"

#include "base/memory.h"
#include "collect/hosts/messages.h"

#include <string.h>

#define MOST_BYTES (1ull << 32)

void peer_file_take(struct peer_file *file, const char *data, size_t size)
{
	struct hosts_file part;

	memcpy(&part, data, sizeof(part));
	data += sizeof(part);
	size -= sizeof(part);
	if (!part.offset)
		file->coming_size = 0;
	if (part.total > MOST_BYTES || part.offset != file->coming_size ||
	    size > part.total - part.offset)
		return;
	file->coming = memory_resize(file->coming, part.offset + size + 1, 1);
	memcpy(file->coming + part.offset, data, size);
	file->coming_size += size;
	if (file->coming_size < part.total)
		return;
	free(file->whole);
	file->whole = file->coming;
	file->coming = NULL;
	file->size = part.total;
	file->coming_size = 0;
}

void peer_file_free(struct peer_file *file)
{
	free(file->whole);
	free(file->coming);
}
