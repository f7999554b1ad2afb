/* SPDX-License-Identifier: BSD-2-Clause */
/* source_path - compares a path with the current folder. */
#include "report/source_path.h"

#include "base/text.h"

#include <limits.h>
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
