/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * listeners - the processes that have a TCP or UDP port, or a Unix socket, open for others.
 */
#pragma once

#include "collect/process/tree.h"

#include <stdint.h>

/*
 * Adds to `list` the processes of `table` with a listening TCP or an unconnected UDP socket
 * on one of the ports, in their own network namespace. `is_found[i]`: somebody has ports[i] open.
 */
void listeners_find(const struct process_table *table, const uint16_t *ports, size_t port_count,
		    bool *is_found, struct process_list *list);

struct listener {
	uint16_t port; /* 0: a Unix socket */
	char *path;    /* of a Unix socket; "@NAME": abstract */
};
/* Calls `found` for the sockets on which these processes accept connections or datagrams. */
void listeners_each(const pid_t *pids, size_t count,
		    void (*found)(void *context, const struct listener *listener), void *context);
