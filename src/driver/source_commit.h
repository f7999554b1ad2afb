/* SPDX-License-Identifier: BSD-2-Clause */
/* source_commit - the commit of git from which a program was probably built. */
#pragma once

/*
 * The commit, in hex, of the working tree that holds the file `program`, else of the one that holds
 * the current folder; NULL: none does. Only git's files are read: no program runs, and no
 * configuration of the tree's owner counts. Changes that were not committed are not seen. The
 * caller frees the result.
 */
char *source_commit(const char *program);
/* The commit that is checked out in the working tree that holds `folder`, or NULL. */
char *source_commit_of_folder(const char *folder);
