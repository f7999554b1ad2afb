/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * probes - static probes (USDT) as annotations: one is something that happens, a pair a span.
 *
 * A probe is written PROVIDER:NAME, or FILE:PROVIDER:NAME for a binary that is not known before; a pair
 * as BEGIN,END. The kernel side tells the number of a probe that is passed: probes_kind and probes_name
 * say what that means.
 */
#pragma once

#include "base/error.h"
#include "collect/tracer.h"
#include "profile/chunk.h"
#include "trace/binaries.h"

struct probes;

struct probes *probes_new(void);
void probes_free(struct probes *probes);
int probes_add(struct probes *probes, const char *text, struct error *error);
/* Finds all in the binaries and attaches them. */
int probes_attach(struct probes *probes, const struct binaries *binaries, struct tracer *tracer,
		  struct error *error);
size_t probes_count(const struct probes *probes);
enum mark_kind probes_kind(const struct probes *probes, size_t probe);
/* Of both probes of a pair, that of the first. */
const char *probes_name(const struct probes *probes, size_t probe);
