/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * named - the targets that the user named: single ones, the members of sets, and code whose speedup
 * stands (--assume).
 *
 * A set is given when all its members are found, and so are its members by themselves: what the set
 * gains beyond their sum is told from the same run. Of a pattern only the set is given.
 */
#include "experiment/session/state.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "experiment/target/target_pattern.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MEMBERS_ALONE_MOST 6 /* of a set with more, only the set is given */

typedef void watcher(struct sampled_code *code, const struct target_spec *target);

static void give_and_watch(struct session *session, const struct target_spec *spec, watcher *watch)
{
	size_t index = session_target_of(session, spec->location); /* may move items */
	struct session_target *target = &session->targets.items[index];

	if (target->is_given)
		return;
	target->spec = *spec;
	target->is_given = true;
	watch(session->code, spec);
}

static void give_target(struct session *session, const struct target_spec *spec)
{
	give_and_watch(session, spec, sampled_code_watch);
}

/* Waits of each class that was asked for, of the code of a place or, with SYMBOLS_NONE, all. */
static void give_classes(struct session *session, uint32_t code)
{
	for (enum sample_class class = CLASS_IO; class <= CLASS_OTHER; class ++) {
		uint32_t asked = session->options->classes & CLASS_BIT(class);
		struct target_spec spec = {
			.own = {.code = code, .classes = target_wait_classes(asked), .level = 1}};
		if (!asked)
			continue;
		spec.location = symbols_wait_class(session->symbols, class, code);
		give_target(session, &spec);
	}
}

/* Waits for locks and for I/O, each as one target of the pool. */
static void pool_classes(struct session *session)
{
	static const enum sample_class classes[] = {CLASS_IO, CLASS_LOCK};

	for (size_t i = 0; i < sizeof(classes) / sizeof(*classes); i++) {
		struct target_spec spec = {
			.own = {.code = SYMBOLS_NONE,
				.classes = target_wait_classes(CLASS_BIT(classes[i])),
				.level = 1}};
		spec.location = symbols_wait_class(session->symbols, classes[i], SYMBOLS_NONE);
		size_t index = session_target_of(session, spec.location); /* may move items */
		session->targets.items[index].spec = spec;
		sampled_code_watch(session->code, &spec);
	}
}

static void give_single(struct session *session, const char *name, uint32_t location)
{
	struct target_spec spec = {.location = location,
				   .own = session_member_of(session, name, location, 1)};

	if (session->options->classes)
		give_classes(session, location);
	else
		give_target(session, &spec);
}

/* "main.c:42 + compress:50%". To be freed. */
static char *joined_name(const char *before, const char *between, const char *name, double level)
{
	AUTO(text)
	char *percent = level < 1 ? text_format(":%g%%", 100 * level) : text_copy("");

	return text_format("%s%s%s%s", before ? before : "", before ? between : "", name, percent);
}

static const char *shown_name(const struct session *session, size_t index)
{
	uint32_t location = session->named.items[index].location;

	return location == SYMBOLS_NONE ? session->options->targets[index].name :
					  symbols_location(session->symbols, location)->name;
}

/* ---- sets ---- */

/* Makes the set's members and its name, once all its names are found. False: not yet. */
static bool fill_set(struct session *session, struct session_set *set, bool *has_pattern)
{
	const struct session_options *options = session->options;

	for (size_t i = 0; i < options->target_count; i++)
		if (options->targets[i].set == set->number && !session->named.items[i].is_found)
			return false;
	for (size_t i = 0; i < options->target_count; i++) {
		const struct session_named_target *named = &options->targets[i];
		if (named->set != set->number)
			continue;
		AUTO(text) char *before = set->name;
		set->name = joined_name(before, " + ", shown_name(session, i), named->level);
		*has_pattern |= target_pattern_is(named->name);
		if (target_pattern_is(named->name))
			continue;
		struct target_member member =
			session_member_of(session, named->name, session->named.items[i].location,
					  named->level);
		session_add_member(&set->members, &member);
	}
	return true;
}

/* Of members that are no targets by themselves: did they run? */
static void watch_members(struct session *session, const struct session_set *set)
{
	for (size_t i = 0; i < set->members.members.count; i++) {
		struct target_spec spec = {.location = set->members.members.items[i].location,
					   .own = set->members.members.items[i]};
		sampled_code_watch(session->code, &spec);
	}
}

static void give_set(struct session *session, struct session_set *set)
{
	const struct session_options *options = session->options;
	bool has_pattern = false;

	if (set->name || !fill_set(session, set, &has_pattern))
		return;
	give_target(session,
		    &(struct target_spec){.location = symbols_set(session->symbols, set->name),
					  .set = &set->members});
	if (has_pattern || set->members.members.count > MEMBERS_ALONE_MOST)
		watch_members(session, set);
	for (size_t i = 0; i < options->target_count && !has_pattern &&
			   set->members.members.count <= MEMBERS_ALONE_MOST;
	     i++)
		if (options->targets[i].set == set->number)
			give_single(session, options->targets[i].name,
				    session->named.items[i].location);
}

const char *session_give_found_set(struct session *session, const uint32_t *locations, size_t count)
{
	struct session_set *set =
		session_set_numbered(session, SETS_FOUND_FROM + (unsigned)session->sets.count);

	for (size_t i = 0; i < count; i++) {
		AUTO(text) char *before = set->name;
		struct target_spec spec = target_spec_of_code(locations[i]);
		set->name = joined_name(before, " + ",
					symbols_location(session->symbols, locations[i])->name, 1);
		session_add_member(&set->members, &spec.own);
		give_and_watch(session, &spec, sampled_code_watch_late);
	}
	const struct target_spec spec = {.location = symbols_set(session->symbols, set->name),
					 .set = &set->members};
	give_and_watch(session, &spec, sampled_code_watch_late);
	return set->name;
}

bool session_is_in_found_set(const struct session *session, uint32_t location)
{
	for (size_t i = 0; i < session->sets.count; i++) {
		const struct session_set *set = session->sets.items[i];
		for (size_t j = 0; set->number >= SETS_FOUND_FROM && j < set->members.members.count;
		     j++)
			if (set->members.members.items[j].location == location)
				return true;
	}
	return false;
}

/* ---- what --assume names ---- */

static void name_assumed(struct session *session)
{
	const struct session_options *options = session->options;

	for (size_t i = 0; i < options->assumed_count; i++) {
		const struct session_named *found =
			&session->named.items[options->target_count + i];
		AUTO(text) char *before = session->assumed_name;
		session->assumed_name =
			joined_name(before, ", ",
				    symbols_location(session->symbols, found->location)->name,
				    options->assumed[i].level);
	}
}

static void take_assumed(struct session *session)
{
	const struct session_options *options = session->options;
	size_t found = 0;

	if (session->assumed_name)
		return;
	for (size_t i = 0; i < options->assumed_count; i++)
		found += session->named.items[options->target_count + i].is_found;
	if (!found || found < options->assumed_count)
		return;
	for (size_t i = 0; i < options->assumed_count; i++) {
		const struct session_named_target *named = &options->assumed[i];
		struct target_member member =
			session_member_of(session, named->name,
					  session->named.items[options->target_count + i].location,
					  named->level);
		session_add_member(&session->assumed, &member);
	}
	name_assumed(session);
}

/* ---- all of them ---- */

const struct session_named_target *session_named_target(const struct session *session, size_t index)
{
	const struct session_options *options = session->options;

	return index < options->target_count ? &options->targets[index] :
					       &options->assumed[index - options->target_count];
}

size_t session_named_count(const struct session *session)
{
	return session->options->target_count + session->options->assumed_count;
}

static int find_one(struct session *session, size_t index, session_find *find, struct error *error)
{
	const struct session_named_target *named = session_named_target(session, index);
	struct session_named *found = &session->named.items[index];
	int code = find(session, named->name, &found->location, error);

	found->is_found = !code;
	return code;
}

int session_find_targets(struct session *session, session_find *find, bool is_first,
			 struct error *error)
{
	const struct session_options *options = session->options;
	int code = 0;

	if (is_first && session->is_pool && !options->classes)
		pool_classes(session);
	if (is_first && !options->target_count)
		give_classes(session, SYMBOLS_NONE);
	for (size_t i = 0; i < session_named_count(session) && !code; i++) {
		if (is_first)
			array_add(&session->named)->location = SYMBOLS_NONE;
		if (session->named.items[i].is_found)
			continue;
		code = find_one(session, i, find, error);
		if (code != -ENOENT && (is_first || code != -ENXIO))
			continue;
		session->missing_target = *error;
		code = 0;
	}
	for (size_t i = 0; i < options->target_count && !code; i++) {
		const struct session_named *found = &session->named.items[i];
		if (options->targets[i].set)
			give_set(session, session_set_numbered(session, options->targets[i].set));
		else if (found->is_found && !target_pattern_is(options->targets[i].name))
			give_single(session, options->targets[i].name, found->location);
	}
	take_assumed(session);
	return code;
}

bool session_lacks_targets(const struct session *session)
{
	const struct session_options *options = session->options;
	size_t found = 0;

	for (size_t i = 0; i < options->target_count && i < session->named.count; i++)
		found += options->targets[i].set ? 0 : session->named.items[i].is_found;
	for (size_t i = 0; i < session->sets.count; i++)
		found += session->sets.items[i]->name != NULL;
	return (options->target_count && !found) ||
	       (options->assumed_count && !session->assumed_name);
}

void session_free_named(struct session *session)
{
	for (size_t i = 0; i < session->sets.count; i++) {
		array_free(&session->sets.items[i]->members.members);
		free(session->sets.items[i]->name);
		free(session->sets.items[i]);
	}
	array_free(&session->sets);
	array_free(&session->named);
	array_free(&session->assumed.members);
	free(session->assumed_name);
}
