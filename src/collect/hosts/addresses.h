/* SPDX-License-Identifier: BSD-2-Clause */
/* addresses - of hosts: IPv4, in network order. */
#pragma once

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

/* Of NAME or NAME=ADDRESS; also gives the name. */
int address_of(const char *host, char *name, size_t room, uint32_t *address, struct error *error);
/* This host's own, by which the other one sees it. */
int address_towards(uint32_t other, uint32_t *own, struct error *error);
char *address_text(uint32_t address); /* to be freed */
