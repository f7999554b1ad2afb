/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * recordings - the same recording command on several hosts: lever runs on each of them, and sends
 * its file, now and then and at the end.
 */
#pragma once

#include "collect/collector_hosts.h"

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

struct recordings;
struct recording_clock;

/* Returns when the program waits to be started on all hosts. */
int recordings_begin(const struct collector_group *group, struct recordings **recordings,
		     struct error *error);
void recordings_start(struct recordings *recordings);
/* Ends them, and their programs; waits for the files. */
void recordings_end(struct recordings *recordings);
unsigned recordings_count(const struct recordings *recordings);
const char *recordings_host(const struct recordings *recordings, unsigned index);
/* What the host has sent, into a new file; -ENODATA: nothing. */
int recordings_save(const struct recordings *recordings, unsigned index, const char *path,
		    struct error *error);
/* Bounds of the host's clock, by time; run ids are 0. Borrowed. */
const struct recording_clock *recordings_clock(const struct recordings *recordings, unsigned index,
					       size_t *count);
/* What went wrong, a line each; to be freed; NULL: nothing. */
char *recordings_troubles(const struct recordings *recordings);
void recordings_close(struct recordings *recordings);
