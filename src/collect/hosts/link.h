/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * link - encrypted messages between the coordinator and its agents, by ZeroMQ.
 *
 * Every run has keys of its own (CurveZMQ). The coordinator listens on one address, and takes
 * messages only from the agents whose keys it has made; others do not get past the handshake. A
 * link belongs to one thread.
 */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LINK_KEY_BYTES 41 /* Z85, with the 0 */

struct link_keys {
	char open[LINK_KEY_BYTES], secret[LINK_KEY_BYTES];
};

struct link;

struct link_message {
	unsigned peer; /* index of the agent; the coordinator's is 0 */
	uint32_t kind;
	const void *data; /* until the next call */
	size_t size;
};

struct link_content {
	uint32_t kind;
	const void *data;
	size_t size;
	const void *more; /* behind `data` */
	size_t more_size;
};

int link_keys_make(struct link_keys *keys, struct error *error);
/* On tcp://ADDRESS at a free port; `agents`: whose public keys may join, by index. Borrowed. */
int link_listen(const char *address, const struct link_keys *own, const struct link_keys *agents,
		unsigned count, struct link **link, struct error *error);
const char *link_endpoint(const struct link *link);
/* As the agent `index`; `coordinator`: its public key. */
int link_connect(const char *endpoint, const struct link_keys *own, const char *coordinator,
		 unsigned index, struct link **link, struct error *error);
/* Never waits: what the other side does not take is dropped. */
void link_send(struct link *link, unsigned peer, const struct link_content *content);
/* Waits until a message comes, or `also` (-1: none) is readable: false then, and after a time. */
bool link_receive(struct link *link, struct link_message *message, int timeout_ms, int also);
void link_close(struct link *link);
