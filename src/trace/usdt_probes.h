/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * usdt_probes - static usdt_probes (USDT) as annotations: one is something that happens, a pair a span.
 *
 * A probe is written PROVIDER:NAME, or FILE:PROVIDER:NAME for a binary that is not known before; a pair
 * as BEGIN,END. The kernel side tells the number of a probe that is passed: usdt_probes_kind and usdt_probes_name
 * say what that means.
 */
#pragma once

#include "base/error.h"
#include "collect/trace/tracer.h"
#include "profile/chunk.h"
#include "trace/binaries.h"

struct usdt_probes;

struct usdt_probes *usdt_probes_new(void);
void usdt_probes_free(struct usdt_probes *probes);
int usdt_probes_add(struct usdt_probes *probes, const char *text, struct error *error);
/* Finds all in the binaries and attaches them. */
int usdt_probes_attach(struct usdt_probes *probes, const struct binaries *binaries,
		       struct tracer *tracer, struct error *error);
size_t usdt_probes_count(const struct usdt_probes *probes);
enum mark_kind usdt_probes_kind(const struct usdt_probes *probes, size_t probe);
/* Of both usdt_probes of a pair, that of the first. */
const char *usdt_probes_name(const struct usdt_probes *probes, size_t probe);
