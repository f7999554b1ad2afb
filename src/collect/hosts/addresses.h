/* SPDX-License-Identifier: BSD-2-Clause */
/* addresses - of hosts: of both families, as wire/hosts.h keeps them. */
#pragma once

#include "base/error.h"
#include "wire/hosts.h"

#include <stddef.h>

#define ADDRESSES_OF_HOST_MOST (HOSTS_ADDRESSES_MOST / HOSTS_MOST - 1)
#define ADDRESSES_OWN_MOST HOSTS_MOST

/* All of a run: a host that has IPv4 and IPv6 is reached by the program on either. */
struct addresses {
	struct hosts_address others[HOSTS_MOST * ADDRESSES_OF_HOST_MOST];
	unsigned hosts, first[HOSTS_MOST + 1]; /* of host i: others[first[i]..first[i + 1]] */
	struct hosts_address own[ADDRESSES_OWN_MOST]; /* by which the others see this host */
	unsigned own_count;
};

/* Those of the next host, NAME or NAME=ADDRESS; also gives its name. */
int addresses_add(struct addresses *addresses, const char *host, char *name, size_t room,
		  struct error *error);
/* Finds the own ones; the first is that towards the first host. */
int addresses_find_own(struct addresses *addresses, struct error *error);
/* What host `index` needs: the own ones, and those of the hosts beside it. Returns their number. */
size_t addresses_for(const struct addresses *addresses, unsigned index,
		     struct hosts_address *found);
char *address_text(const struct hosts_address *address); /* to be freed */
