/* SPDX-License-Identifier: BSD-2-Clause */
/* sets - the sets of targets of a session, and their members. */
#include "experiment/session/state.h"

#include "base/text.h"

#include <string.h>

#define SAMPLES_LEAST 100 /* of the program, to tell that code did not run */
#define COVERED 0.999     /* of the time of all threads: nothing else is there to be paused */

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

static const struct sampled_location *sampled(const struct session *session, uint32_t location)
{
	static const struct sampled_location none;
	size_t count;
	const struct sampled_location *locations = sampled_code_locations(session->code, &count);

	return location < count ? &locations[location] : &none;
}

/* A name of the set's that is no pattern and was in no sample; NULL: none. */
static const char *unsampled_member(const struct session *session, const struct session_set *set)
{
	for (size_t i = 0; i < set->members.members.count; i++) {
		uint32_t location = set->members.members.items[i].location;
		if (!sampled(session, location)->samples)
			return symbols_location(session->symbols, location)->name;
	}
	return NULL;
}

static uint64_t sampled_ns(const struct session *session, const struct session_set *set)
{
	return sampled(session, symbols_set(session->symbols, set->name))->sampled_ns;
}

void session_begin_sets(struct session *session)
{
	for (size_t i = 0; i < session->sets.count; i++) {
		struct session_set *set = session->sets.items[i];
		if (!set->name || set->is_begun)
			continue;
		set->before_ns = sampled_ns(session, set);
		set->all_before_ns = sampled_code_time_ns(session->code);
		set->is_begun = true;
	}
}

/* Of all threads' time since experiments began. */
static double share_of(const struct session *session, const struct session_set *set)
{
	uint64_t all_ns = sampled_code_time_ns(session->code) - set->all_before_ns;

	return all_ns ? (double)(sampled_ns(session, set) - set->before_ns) / (double)all_ns : 0;
}

static char *refusal_of(const struct session *session, const struct session_set *set)
{
	const char *unsampled = set->name ? unsampled_member(session, set) : NULL;

	if (!set->name)
		return text_format("a set of targets was not measured: %s",
				   session->missing_target.text);
	if (!set->members.members.count)
		return text_format("no code that '%s' matches was sampled, so the set has no "
				   "member; give the program work that runs it, or run longer",
				   set->name);
	if (!unsampled && set->is_begun && share_of(session, set) >= COVERED)
		return text_format("'%s' is all that the program's threads do, so there is "
				   "nothing to pause: by definition it gains as much as it is "
				   "sped up; name less",
				   set->name);
	if (!unsampled)
		return NULL;
	return text_format("'%s' was in no sample, so the gain of '%s' would be that of the other "
			   "members; leave it out, or give the program work that runs it",
			   unsampled, set->name);
}

char *session_sets_refusal(const struct session *session)
{
	struct collector_counters counters;
	char *refusal = NULL;

	collector_counters(session->collector, &counters);
	if (counters.samples < SAMPLES_LEAST)
		return NULL;
	for (size_t i = 0; i < session->sets.count && !refusal; i++) {
		const struct session_set *set = session->sets.items[i];
		if (set->number < SETS_FOUND_FROM)
			refusal = refusal_of(session, set);
	}
	return refusal;
}
