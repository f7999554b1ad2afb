/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * endpoint - where a server of this machine listens: a loopback address, or a socket in the file
 * system. Others are refused, since a profile holds names and paths of the machine's users.
 */
#pragma once

#include "base/error.h"

#include <stdbool.h>

struct endpoint {
	bool is_path;
	char *host; /* "127.0.0.1", "::1"; or the path of the socket */
	unsigned port;
};

/*
 * "8080", "localhost:8080", "127.0.0.1:0" (a free port), "[::1]:8080", or "unix:PATH"; also a PATH
 * with a slash. -EINVAL for others.
 */
int endpoint_parse(const char *text, struct endpoint *address, struct error *error);
void endpoint_release(struct endpoint *address);
/*
 * A listening socket, whose address is then complete. A path's socket belongs to its owner and
 * group only (mode 0660); one that nobody listens on any more is replaced.
 */
int endpoint_listen(struct endpoint *address, int *descriptor, struct error *error);
/* "http://127.0.0.1:8080", or "unix:PATH"; to be freed. */
char *endpoint_text(const struct endpoint *address);
