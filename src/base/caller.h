/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * caller - the user on whose behalf root acts, and file accesses with no more than that user's
 * rights.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct caller {
	uid_t uid;
	gid_t gid;
};

/* The user who called sudo. False if this process is not root, or root did not call by sudo. */
bool caller_of_sudo(struct caller *caller);
/* The user with this id, with the group of their entry in the user database. */
struct caller caller_of_uid(uid_t uid);

struct caller_rights {
	gid_t *groups; /* the former ones */
	int group_count;
	bool is_other; /* the rights are not this process's own */
};

/*
 * Until caller_rights_end, this thread's file accesses have the caller's rights: user, group,
 * supplementary groups. False, and nothing has changed, where that is not possible.
 */
bool caller_rights_begin(const struct caller *caller, struct caller_rights *rights);
void caller_rights_end(struct caller_rights *rights);
