/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * serve - a profile, or a folder of recordings, by HTTP for this machine.
 *
 *	/          the page, as lever report --format html
 *	/report    ?format=NAME&from=TIME&to=TIME, as lever report
 *	/pprof     the same in pprof's format; also /debug/pprof/profile, as Go programs have it
 *	/metrics   for Prometheus
 *	/stop      POST: ends the recording that goes on (lever run --serve)
 */
#pragma once

#include "base/error.h"
#include "serve/http_server.h"

#include <stdbool.h>

struct serve;

struct serve_options {
	const char *path;  /* of the profile or folder */
	const char *token; /* NULL: none is needed */
	bool is_live;      /* the page renews itself, and can end the recording */
	int stop;          /* if live: a byte is written there to end it */
};

/* Listens, and answers in a thread of its own. Both are borrowed until serve_end. */
int serve_begin(const struct serve_options *options, struct endpoint *address, struct serve **serve,
		struct error *error);
/* The recording is over; the page is told, and this returns when it has been asked for again. */
void serve_linger(struct serve *serve);
void serve_end(struct serve *serve);
