/* SPDX-License-Identifier: BSD-2-Clause */
/* sockets - the peer of a socket, by the tables in /proc/PID/net. */
#pragma once

#include <stdint.h>

/*
 * "tcp to 10.0.0.1:5432", "tcp from 10.0.0.2 to :80" (accepted), "tcp :80" (listening), "udp ...",
 * "unix /run/server.sock", "unix socket", "socket". To be freed.
 */
char *sockets_name(uint32_t tgid, uint64_t inode);
