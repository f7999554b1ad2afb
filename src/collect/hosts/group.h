/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * group - the agents of a run: started by a launcher, told what holds, asked, and watched.
 *
 * A thread of its own sends the state each HOSTS_STATE_EVERY_NS and takes what agents send, so that
 * they hear from a coordinator that is busy. One other thread calls the functions here. While
 * `is_alive` says no, agents hear nothing, and their hosts pause no more.
 */
#pragma once

#include "collect/collector.h"
#include "collect/collector_hosts.h"
#include "collect/hosts/link.h"
#include "collect/hosts/messages.h"

#define GROUP_ALL (~0u)

struct group;

struct peer_clock;

struct group_peer {
	const char *name;
	bool is_lost, is_ready, has_ended;
	struct hosts_answer answer; /* the last one */
	struct hosts_visits visits[WIRE_POINTS_MOST];
};

struct group_hooks {
	void *context;
	bool (*is_alive)(void *context);                 /* by the group's thread */
	uint64_t (*delay)(void *context);                /* G; by the group's thread */
	void (*merge)(void *context, uint64_t delay_ns); /* another host's G; likewise */
	/* A process of the job on this host; likewise. */
	int (*join)(void *context, int pidfd, struct error *error);
};

/* Starts the agents and waits for all of them. `hooks` is copied. */
int group_open(const struct collector_group *options, const struct group_hooks *hooks,
	       struct group **group, struct error *error);
/* Addresses of all other hosts of this one, and the tag: for the engine here. */
struct collector_hosts group_hosts(const struct group *group);
unsigned group_count(const struct group *group);
/* As it was at the last group_ask or group_await_ready. */
const struct group_peer *group_peer(struct group *group, unsigned index);

void group_set_state(struct group *group, const struct hosts_state *state); /* and sends it */
/* Texts with the directory here: what the agents run. */
void group_send_program(struct group *group, char *const *arguments);
void group_send(struct group *group, unsigned peer, const struct link_content *content);
/* All agents answer; waits for that. False if one that is not lost did not in time. */
bool group_ask(struct group *group, uint64_t timeout_ns);
/* Asks and does not wait; what has come so far is in group_peer. */
void group_ask_later(struct group *group);
/* Their programs wait to be started. */
int group_await_ready(struct group *group, struct error *error);
/* A recording on all other hosts ends; waits until its files have come. False: some have not. */
bool group_await_files(struct group *group, uint64_t timeout_ns);
/* The last whole file that came; NULL: none. Borrowed until the group is closed, after the end. */
const void *group_file(struct group *group, unsigned index, size_t *size);
/* Likewise, of a recording. */
const struct peer_clock *group_clock(const struct group *group, unsigned index);
/* Samples that came since the last call; to be freed. */
struct wire_sample *group_take_samples(struct group *group, size_t *count);
/* The files that programs on other hosts have mapped so far, each once. False: that are all. */
bool group_mapped(struct group *group, size_t index, struct hosts_mapped *mapped);
/* What went wrong, a line each; to be freed; NULL: nothing. */
char *group_troubles(struct group *group);
/* Ends agents and their programs. */
void group_close(struct group *group);
