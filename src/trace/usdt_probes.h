/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * usdt_probes - static probes as annotations: one probe is an instant, a pair is a span.
 *
 * A probe is written PROVIDER:NAME, or FILE:PROVIDER:NAME; a pair BEGIN,END. The kernel side
 * reports the number of a probe that was passed; usdt_probes_kind and usdt_probes_name belong to
 * that number.
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
/* Looks all up in the binaries and attaches them. */
int usdt_probes_attach(struct usdt_probes *probes, const struct binaries *binaries,
		       struct tracer *tracer, struct error *error);
size_t usdt_probes_count(const struct usdt_probes *probes);
enum mark_kind usdt_probes_kind(const struct usdt_probes *probes, size_t probe);
/* Both probes of a pair have the name of the first. */
const char *usdt_probes_name(const struct usdt_probes *probes, size_t probe);
