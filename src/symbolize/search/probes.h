/* SPDX-License-Identifier: BSD-2-Clause */
/* probes - the USDT probes of an object, from .note.stapsdt. */
#pragma once

#include "symbolize/internal.h"

struct probe {
	uint64_t address, base, semaphore;
	const char *provider, *name;
};

typedef void probe_visitor(void *context, const struct object *object, const struct probe *probe);
void probes_visit(const struct object *object, probe_visitor *visit, void *context);
