/* SPDX-License-Identifier: BSD-2-Clause */
/* named - the part of state.h for targets that the user named, and for sets of them. */
#pragma once

#include "experiment/session/session.h"
#include "experiment/target/target_spec.h"

struct session;

/* A name of --target, --with or --assume. */
struct session_named {
	uint32_t location; /* SYMBOLS_NONE: a pattern, or not found yet */
	bool is_found;
};

/* Targets that are sped up together. */
struct session_set {
	unsigned number;
	struct target_set members;
	char *name; /* NULL: not all of its names are found yet */
	/* When experiments began: sampled time of the set, and of all code. */
	uint64_t before_ns, all_before_ns;
	bool is_begun;
};

/* sets.c */
struct target_member session_member_of(const struct session *session, const char *name,
				       uint32_t location, double level);
void session_add_member(struct target_set *members, const struct target_member *member);
/* Made if it is new. */
struct session_set *session_set_numbered(struct session *session, unsigned number);
/* Makes the location a member of the set, as a pattern of --target matches it. */
void session_add_match(struct session *session, const struct session_named_target *named,
		       uint32_t location);

/* Before an experiment: shares of sets are those of the time from the first one on. */
void session_begin_sets(struct session *session);
/*
 * Why a set that the user named tells nothing, as a sentence: a member was not found or in no
 * sample, or the set leaves nothing to pause. NULL: each may tell something. To be freed.
 */
char *session_sets_refusal(const struct session *session);

/* named.c */
#define SETS_FOUND_FROM 1000000 /* numbers of sets that the user did not name */
typedef int session_find(struct session *session, const char *name, uint32_t *location,
			 struct error *error);
size_t session_named_count(const struct session *session);
const struct session_named_target *session_named_target(const struct session *session,
							size_t index);
/* Gives a set of code that the search for sets found, and its members. Returns its name. */
const char *session_give_found_set(struct session *session, const uint32_t *locations,
				   size_t count);
bool session_is_in_found_set(const struct session *session, uint32_t location);
/* Looks up what has not been found; names in no file known so far are awaited. */
int session_find_targets(struct session *session, session_find *find, bool is_first,
			 struct error *error);
/* Nothing to speed up (a set needs all its names), or not all that is assumed: `missing_target`. */
bool session_lacks_targets(const struct session *session);
void session_free_named(struct session *session);
