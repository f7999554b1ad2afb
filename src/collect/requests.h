/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * requests - points of a collector that count requests on accepted connections: messages in that
 * are answered.
 */
#pragma once

#include "collect/collector.h"

/* Zeroed: all ports and Unix sockets that the program listens on. */
struct collector_connections {
	uint16_t port;    /* 0: see path */
	const char *path; /* of a Unix socket; "@NAME": abstract */
};

/* -ENOTSUP: the engine cannot. */
int collector_add_point_requests(struct collector *collector, const char *name,
				 const struct collector_connections *connections, unsigned *index,
				 struct error *error);
/* Connections of the program with this local port are accepted ones. */
void collector_add_listening_port(struct collector *collector, uint16_t port);
