/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * config - options from files, for those that the command line does not give.
 *
 * Read are $XDG_CONFIG_HOME/lever/config (or ~/.config/lever/config), and the nearest .lever in the
 * current folder or one above it, whose options come before the user's. LEVER_CONFIG names another
 * file in place of both; if it is empty, none is read. The form is that of git's files:
 *
 *	# a comment
 *	[run]
 *		seconds = 30
 *		target = "main.c:42"
 *		quiet
 *
 * A section is a command, a name one of its options. A file in a folder of somebody else must not
 * choose what lever does for root: one that belongs neither to root nor to this user (or the one
 * who called sudo), or that all may write, is left out and named.
 */
#pragma once

#include "base/error.h"
#include "base/memory.h"

#include <stdbool.h>

struct config_entry {
	char *section, *name;
	char *value; /* NULL: the name stands alone */
	const char *path;
	unsigned line;
};

struct config;
/* -EINVAL with place: there is no such option, or it does not take the value. */
typedef int config_check(const struct config *config, struct error *error);

struct config {
	ARRAY(struct config_entry) entries; /* what overrides comes later */
	ARRAY(char *) paths;                /* of the files that were read */
	ARRAY(char *) ignored;              /* sentences about files that were not */
	/* For `lever config`, by commands.h: of all entries, and of a name as run.seconds. */
	config_check *check;
	int (*check_option)(const char *name, struct error *error);
};

/* -EINVAL with file, line and what is wrong. No file is no error. */
int config_read(struct config *config, struct error *error);
/* One file, which need not exist; `path` is kept as given. For config_read and tests. */
int config_read_file(struct config *config, const char *path, struct error *error);
/* The same from a file's text. */
int config_read_text(struct config *config, const char *path, const char *text,
		     struct error *error);
void config_release(struct config *config);
/* The nearest .lever here or above; the user's file, which need not exist. NULL: none. */
char *config_project_path(void);
char *config_user_path(void);

/* Do the options of this file count, or are they given again in a later file? */
bool config_entry_counts(const struct config *config, const struct config_entry *entry);
/* Of a name that stands alone or has a truth value; -EINVAL for other values. */
int config_entry_flag(const struct config_entry *entry, bool *value, struct error *error);
