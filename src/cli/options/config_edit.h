/* SPDX-License-Identifier: BSD-2-Clause */
/* config_edit - changes an option in a configuration file; comments and other lines stay. */
#pragma once

#include "cli/options/config.h"

struct config_change {
	const char *section, *name;
	const char *value; /* NULL: the name stands alone */
	bool is_removed;
	bool is_appended; /* beside values that stand there; else in place of all of them */
};

/* The new text of a file that holds `text`, read as `old`. The caller frees it. */
char *config_edit(const struct config *old, const char *text, const struct config_change *change);

enum config_place {
	CONFIG_NEAREST, /* LEVER_CONFIG, else the project's file, else the user's */
	CONFIG_LOCAL,   /* the project's, or .lever in the current folder */
	CONFIG_GLOBAL,  /* the user's */
};

/* Of the file to change, which need not exist; NULL with an error. The caller frees it. */
char *config_edit_path(enum config_place place, struct error *error);

/*
 * Reads a file, changes it, and writes it with its folders; `check` sees the new options first, and
 * when it fails nothing is written. `edited` then holds the file's options. -ENOENT: an option to
 * be removed is not there.
 */
int config_edit_file(const char *path, const struct config_change *change, config_check *check,
		     struct config *edited, struct error *error);
