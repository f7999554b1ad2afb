/* SPDX-License-Identifier: BSD-2-Clause */
/* peer_file - the recording of another host, which comes in parts, and again and again. */
#pragma once

#include <stddef.h>

struct peer_file {
	char *whole, *coming; /* the last whole one, and what has come of the next */
	size_t size, coming_size;
};

/* The data of a HOSTS_FILE. Parts come in order; one that does not fit ends what has come. */
void peer_file_take(struct peer_file *file, const char *data, size_t size);
void peer_file_free(struct peer_file *file);
