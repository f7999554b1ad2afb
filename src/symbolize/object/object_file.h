/* SPDX-License-Identifier: BSD-2-Clause */
/* object_file - a binary, opened and identified; nothing of it is parsed. */
#pragma once

#include "base/error.h"

#include <sys/types.h>

struct object_file {
	int content;  /* what is read: the file, or a private copy */
	int identity; /* the file itself; -1: none */
	dev_t device;
	ino_t inode;
	int64_t size, modified_ns; /* with device and inode: which content, also later */
	char *open_path;           /* of symbols_object; or NULL */
};

/* The arguments are those of symbols_add_object. */
int object_file_open(const char *path, const char *open_path, struct object_file *file,
		     struct error *error);
/* The content of a file that is still open as `identity`, which stays with its owner. */
int object_file_again(const char *path, int identity, struct object_file *file,
		      struct error *error);
void object_file_close(struct object_file *file);
