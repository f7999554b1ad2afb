/* SPDX-License-Identifier: BSD-2-Clause */
/* source_path - compares a path with the current folder. */
#include "report/source_path.h"

#include "base/memory.h"
#include "base/text.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char *source_path_relative(const char *file)
{
	char folder[PATH_MAX];

	if (!getcwd(folder, sizeof(folder)) || !text_starts_with(file, folder) ||
	    file[strlen(folder)] != '/')
		return file;
	return file + strlen(folder) + 1;
}

char *source_path_uri(const char *path)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789-._~/";
	char *uri = memory_new(strlen(path) * 3 + sizeof("file://"), 1);
	char *end = stpcpy(uri, path[0] == '/' ? "file://" : "");

	for (; *path; path++)
		end += strchr(plain, *path) ?
			       sprintf(end, "%c", *path) :
			       sprintf(end, "%%%02X", (unsigned)(unsigned char)*path);
	return uri;
}
