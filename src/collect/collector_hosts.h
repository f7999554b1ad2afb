/* SPDX-License-Identifier: BSD-2-Clause */
/* collector_hosts - a collector over several hosts: which ones, and what runs there. */
#pragma once

#include "wire/code.h"
#include "wire/hosts.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Other hosts of the job; messages to them carry delays (wire/hosts.h). */
struct collector_hosts {
	const struct hosts_address *addresses;
	size_t count;
	uint64_t tag; /* the same on all hosts of a run */
};

/* A file with code that the program maps on another host. */
struct collector_far_file {
	const char *path, *build_id; /* hex; "": it has none */
	bool is_main;                /* the program itself there, no library */
};

/*
 * Ranges of a target with the processes of one host: as in WIRE_OBJECT_PROCESSES, of which the
 * program there has them. On other hosts the object is none. Those of the coordinator's host, 0,
 * are in WIRE_OBJECT_PROCESSES itself, and not one key long: agents leave them out.
 */
#define COLLECTOR_PROCESSES_OF(host) (0xffff0000u + (host))
#define COLLECTOR_PROCESSES_HERE(range) ((range)->end - (range)->start != 1)

struct collector;
/* Of a run over several hosts, by name or LEVER_HOST_INDEX; -1: there is no such host. */
int collector_host_index(const struct collector *collector, const char *name);

/*
 * One program on several hosts, this one and those of `names`: collect/hosts. The agents start it,
 * or a job's own launcher does, and each of its processes joins (hosts/join.h).
 */
struct collector_group {
	const char *const *names; /* NAME or NAME=ADDRESS, each of another host */
	size_t count;
	char *const *launch;    /* what starts a command on host %h; ends with NULL */
	const char *executable; /* of lever there */
	const char *version;
	bool is_recording; /* the arguments are lever's, which records on each of the hosts */
	char *const
		*arguments; /* of the program; ends with NULL; NULL: a job's launcher starts it */
	const char *job;    /* whose processes join by this name; NULL: agents start it */
};
