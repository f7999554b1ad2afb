/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * invitation - what an agent is told on its standard input: where the coordinator listens, the keys
 * of this run, and which hosts take part. One line.
 */
#pragma once

#include "base/error.h"
#include "collect/hosts/link.h"
#include "wire/hosts.h"

#include <stddef.h>
#include <stdint.h>

struct invitation {
	unsigned index; /* of the host: 1 is the first agent's; the link counts from 0 */
	char verb[16];  /* "run", or "record": lever itself is run on the host, and its file sent */
	char name[128], endpoint[128];
	struct link_keys keys;                                /* the agent's own */
	char coordinator[LINK_KEY_BYTES];                     /* its public key */
	uint64_t tag;                                         /* of messages between hosts */
	struct hosts_address addresses[HOSTS_ADDRESSES_MOST]; /* of the other hosts */
	size_t address_count;
};

/* With its newline; to be freed. */
char *invitation_text(const struct invitation *invitation, const char *version);
/* -EPROTO: no invitation, or by another version of lever. */
int invitation_read(int input, const char *version, struct invitation *invitation,
		    struct error *error);
