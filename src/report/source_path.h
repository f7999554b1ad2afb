/* SPDX-License-Identifier: BSD-2-Clause */
/* source_path - paths of sources as other tools look for them. */
#pragma once

/* The part of `file` below the folder that Lever runs in; `file` itself if it is not below it. */
const char *source_path_relative(const char *file);
/*
 * RFC 3986: all but unreserved characters and slashes as %XX; "file://" before an absolute path.
 * The caller frees it.
 */
char *source_path_uri(const char *path);
