/* SPDX-License-Identifier: BSD-2-Clause */
/* sets - the sets of targets of a session, and their members. */
#include "experiment/session/state.h"

#include <string.h>

static bool is_class(const struct session *session, uint32_t location)
{
	return symbols_location(session->symbols, location)->kind == TARGET_CLASS;
}

struct target_member session_member_of(const struct session *session, const char *name,
				       uint32_t location, double level)
{
	if (is_class(session, location))
		return (struct target_member){
			.location = location,
			.code = SYMBOLS_NONE,
			.classes = target_class_of_name(name + strlen(TARGET_CLASS_PREFIX)),
			.level = level,
		};
	return (struct target_member){.location = location, .code = location, .level = level};
}

void session_add_member(struct target_set *members, const struct target_member *member)
{
	for (size_t i = 0; i < members->members.count; i++) {
		struct target_member *known = &members->members.items[i];
		if (known->code == member->code && known->classes == member->classes)
			return;
	}
	*array_add(&members->members) = *member;
}

struct session_set *session_set_numbered(struct session *session, unsigned number)
{
	for (size_t i = 0; i < session->sets.count; i++)
		if (session->sets.items[i]->number == number)
			return session->sets.items[i];
	struct session_set *set = memory_new(1, sizeof(*set));
	set->number = number;
	*array_add(&session->sets) = set;
	return set;
}

void session_add_match(struct session *session, const struct session_named_target *named,
		       uint32_t location)
{
	struct target_member member =
		session_member_of(session, named->name, location, named->level);

	session_add_member(&session_set_numbered(session, named->set)->members, &member);
}
