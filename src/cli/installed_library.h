/* SPDX-License-Identifier: BSD-2-Clause */
/* library - where lever's own libraries lie, which are preloaded into programs. */
#pragma once

/* The real path of the one with this file name; NULL if it is not there. Free it. */
char *installed_library_find(const char *file);
