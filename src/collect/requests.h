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

/* Another process of this machine that got messages of the program; since the first such point. */
struct collector_peer {
	pid_t pid;
	uint64_t sent; /* messages to this machine */
	uint64_t woken_by_message, woken_otherwise;
};

/* How the program's requests were served so far. */
struct collector_service {
	unsigned threads;      /* that have received a request */
	double waiting_share;  /* of their time, for the next one; 0 without such threads */
	uint64_t answered;     /* requests whose times are known */
	double p50_ns, p99_ns; /* from when one was read to its answer's first byte */
};
void collector_service(const struct collector *collector, struct collector_service *service);
void collector_each_peer(const struct collector *collector,
			 void (*found)(void *context, const struct collector_peer *peer),
			 void *context);
/* It pauses with the program from now on. */
int collector_add_peer(struct collector *collector, pid_t pid, struct error *error);
