/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * archive - a folder of profiles that follow each other in time, each named by its start in UTC:
 * 20261123T140000Z.lever. Other files in the folder are left alone.
 */
#pragma once

#include "base/error.h"
#include "base/memory.h"

#include <stdint.h>

struct archive_file {
	char *path;
	int64_t start_s; /* Unix time */
};

struct archive {
	ARRAY(struct archive_file) files; /* by start */
};

char *archive_path(const char *folder, int64_t start_s); /* to be freed */
int archive_read(const char *folder, struct archive *archive, struct error *error);
void archive_release(struct archive *archive);
/* Removes the oldest files while all together are larger, but never the last one. */
int archive_prune(const char *folder, uint64_t most_bytes, struct error *error);
