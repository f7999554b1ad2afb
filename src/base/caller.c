/* SPDX-License-Identifier: BSD-2-Clause */
/* caller - by the ids that Linux checks for files, which each thread has for itself. */
#include "base/caller.h"

#include "base/memory.h"
#include "base/text.h"

#include <assert.h>
#include <errno.h>
#include <grp.h>
#include <limits.h>
#ifdef LEVER_RELOCATABLE
#include <nss.h>
#endif
#include <pwd.h>
#include <stdlib.h>
#include <sys/fsuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#define GROUPS_MOST 4096
#define NO_GROUP 65534 /* "nogroup" */

bool caller_of_sudo(struct caller *caller)
{
	const char *uid_text = getenv("SUDO_UID"), *gid_text = getenv("SUDO_GID");
	uint64_t uid, gid;

	if (geteuid() != 0 || !uid_text || !gid_text || !text_to_unsigned(uid_text, &uid) ||
	    !text_to_unsigned(gid_text, &gid) || uid >= UINT_MAX || gid >= UINT_MAX || !uid)
		return false;
	*caller = (struct caller){.uid = (uid_t)uid, .gid = (gid_t)gid};
	return true;
}

/* A program without shared libraries cannot load what another C library's system uses for users. */
static const struct passwd *user_of(uid_t uid)
{
#ifdef LEVER_RELOCATABLE
	__nss_configure_lookup("passwd", "files");
	__nss_configure_lookup("group", "files");
#endif
	return getpwuid(uid);
}

struct caller caller_of_uid(uid_t uid)
{
	const struct passwd *user = user_of(uid);

	return (struct caller){.uid = uid, .gid = user ? user->pw_gid : NO_GROUP};
}

/* By the system call, which changes this thread only; the C library's changes all. */
static int set_groups(const gid_t *groups, int count)
{
	return (int)syscall(SYS_setgroups, (size_t)count, groups);
}

/* Groups of a user that the system does not know: its own one. */
static int take_groups_of(const struct caller *caller)
{
	const struct passwd *user = user_of(caller->uid);
	gid_t *groups = memory_new(GROUPS_MOST, sizeof(*groups));
	int count = GROUPS_MOST;

	groups[0] = caller->gid;
	if (!user || getgrouplist(user->pw_name, caller->gid, groups, &count) < 0)
		count = 1;
	int code = set_groups(groups, count);
	free(groups);
	return code;
}

/* setfsuid and setfsgid tell the former id only. */
static bool take_ids(uid_t uid, gid_t gid)
{
	setfsgid(gid);
	setfsuid(uid);
	return (gid_t)setfsgid((gid_t)-1) == gid && (uid_t)setfsuid((uid_t)-1) == uid;
}

bool caller_rights_begin(const struct caller *caller, struct caller_rights *rights)
{
	*rights = (struct caller_rights){.group_count = getgroups(0, NULL)};
	if (rights->group_count < 0)
		return false;
	rights->groups = memory_new((size_t)rights->group_count + 1, sizeof(gid_t));
	rights->group_count = getgroups(rights->group_count, rights->groups);
	rights->is_other = !take_groups_of(caller);
	if (rights->is_other && take_ids(caller->uid, caller->gid))
		return true;
	caller_rights_end(rights);
	return false;
}

void caller_rights_end(struct caller_rights *rights)
{
	int code = errno;

	if (rights->is_other) {
		bool is_back = take_ids(geteuid(), getegid()) &&
			       !set_groups(rights->groups, rights->group_count);
		assert(is_back);
		(void)is_back;
	}
	free(rights->groups);
	*rights = (struct caller_rights){0};
	errno = code;
}
