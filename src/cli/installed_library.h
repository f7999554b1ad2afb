/* SPDX-License-Identifier: BSD-2-Clause */
/* installed_library - finds lever's libraries that are loaded into programs. */
#pragma once

/* The real path of the library with this file name; NULL if it is missing. To be freed. */
char *installed_library_find(const char *file);
