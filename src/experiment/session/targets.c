/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * targets - what may be sped up: what the user named, or every location with samples; and now and
 * then the external target.
 *
 * Virtual speedups take the program for all there is: that the rest of it pauses is as good as a
 * faster target. Clocks, devices and other programs do not pause. They seem faster in each
 * experiment, and where the program waits for them, every target seems to gain. So in some blocks
 * the target is everything outside of the program: the whole program pauses for a share of the
 * time. In effective time a program that sets its own pace does as much as before;
 * analyze/causal/external_pacing.c reads the rest.
 */
#include "experiment/session/pool.h"

#include "base/cleanup.h"
#include "base/memory.h"
#include "experiment/target/target_pattern.h"
#include "symbolize/source_lines.h"

#include <string.h>

#define SAMPLES_LEAST 3 /* fewer: the location is not worth a block */
#define BLOCK_SERIES (2 * SCHEDULE_BLOCK + 1)
#define EXTERNAL_FIRST_AFTER BLOCK_SERIES
#define EXTERNAL_ONE_OF 8 /* series */
#define SET_WEIGHT 2.0
#define ACTIVE_LEAST 0.005 /* threads in it on average: a target below cannot gain more */

size_t session_target_of(struct session *session, uint32_t location)
{
	for (size_t i = 0; i < session->targets.count; i++)
		if (session->targets.items[i].spec.location == location)
			return i;
	array_add(&session->targets)->spec = target_spec_of_code(location);
	return session->targets.count - 1;
}

static bool has_given_targets(const struct session *session)
{
	return session->options->target_count || session->options->classes;
}

static bool has_patterns(const struct session *session)
{
	bool has = false;

	for (size_t i = 0; i < session->options->target_count; i++)
		has |= target_pattern_is(session->options->targets[i].name);
	return has;
}

/* The pattern of --target that matches the location; NULL: none. */
static const struct session_named_target *pattern_of(const struct session *session,
						     uint32_t location)
{
	const struct symbols_location *one = symbols_location(session->symbols, location);

	for (size_t i = 0; i < session->options->target_count; i++) {
		const struct session_named_target *named = &session->options->targets[i];
		if (target_pattern_is(named->name) && target_pattern_matches(named->name, one))
			return named;
	}
	return NULL;
}

/* A match is a target of its own, or a member of a set. */
static void match(struct session *session, size_t index)
{
	struct session_target *target = &session->targets.items[index];
	const struct session_named_target *pattern = pattern_of(session, target->spec.location);

	if (pattern && pattern->set)
		session_add_match(session, pattern, target->spec.location);
	target->is_matched = pattern && !pattern->set;
}

const char *session_target_name(const struct session *session, const struct session_target *target)
{
	return target->is_external ?
		       target_kind_name(TARGET_EXTERNAL) :
		       symbols_location(session->symbols, target->spec.location)->name;
}

/* The members of a set, as a user names them. */
static int write_members(struct session *session, const struct session_target *target,
			 struct error *error)
{
	const struct target_set *set = target->spec.set;
	int code = 0;

	for (size_t i = 0; set && i < set->members.count && !code; i++) {
		const struct target_member *member = &set->members.items[i];
		const struct symbols_location *location =
			symbols_location(session->symbols, member->location);
		struct recording_member row = {.target_id = target->id,
					       .kind = location->kind,
					       .name = (char *)(uintptr_t)location->name,
					       .level = member->level};
		code = profile_set_member(session->profile, &row, error);
	}
	return code;
}

static char *content_of(struct session *session, const struct symbols_location *location)
{
	if (!session->source_lines)
		session->source_lines = source_lines_new();
	return source_lines_content(session->source_lines, location->file, location->line);
}

int session_write_target(struct session *session, struct session_target *target,
			 struct error *error)
{
	AUTO(text)
	char *name = recording_target_name(session_target_name(session, target),
					   target->is_external ? NULL : session->assumed_name);
	struct recording_target row = {.kind = TARGET_EXTERNAL, .name = name};
	AUTO(text) char *content = NULL;

	if (target->id)
		return target->spec.set ? write_members(session, target, error) : 0;
	if (!target->is_external) {
		const struct symbols_location *location =
			symbols_location(session->symbols, target->spec.location);
		const struct symbols_object *object =
			symbols_object(session->symbols, location->object);
		bool is_code = location->kind == TARGET_LINE || location->kind == TARGET_FUNCTION ||
			       location->kind == TARGET_INCLUSIVE;
		row.kind = location->kind;
		row.assumed = session->assumed_name;
		row.function = (char *)(uintptr_t)location->function;
		row.file = (char *)(uintptr_t)location->file;
		row.line = location->line;
		row.object = is_code ? (char *)(uintptr_t)object->path : NULL;
		if (location->kind == TARGET_LINE)
			content = content_of(session, location);
		row.content = content;
		row.build_id = is_code ? (char *)(uintptr_t)object->build_id : NULL;
	}
	int code = profile_add_target(session->profile, &row, error);
	target->id = row.id;
	return code ? code : write_members(session, target, error);
}

/* Are targets of this location's kind to be drawn? */
static bool is_eligible(const struct session *session, uint32_t location)
{
	enum target_kind kind = symbols_location(session->symbols, location)->kind;
	enum target_kind asked = session->options->granularity;

	if (!(focus_part(sampled_code_focus(session->code), location) > 0))
		return false;
	if (session->is_pool)
		return true;
	if (kind == TARGET_INCLUSIVE || asked == TARGET_INCLUSIVE)
		return kind == asked;
	return true;
}

/* Locations with samples become targets; with given targets, only those that a pattern matches. */
static void add_sampled_targets(struct session *session)
{
	size_t count;
	const struct sampled_location *locations = sampled_code_locations(session->code, &count);
	bool is_given = has_given_targets(session);

	for (size_t i = 0; i < count && (!is_given || has_patterns(session)); i++) {
		if (locations[i].samples < SAMPLES_LEAST || !is_eligible(session, (uint32_t)i))
			continue;
		size_t index = session_target_of(session, (uint32_t)i); /* may move items */
		if (is_given && !session->targets.items[index].is_compared)
			match(session, index);
		session->targets.items[index].is_compared = true;
	}
}

static double recent_ns(const struct session *session, const struct session_target *target)
{
	size_t count;
	const struct sampled_location *locations = sampled_code_locations(session->code, &count);

	return target->spec.location < count && is_eligible(session, target->spec.location) ?
		       locations[target->spec.location].recent_ns :
		       0;
}

/* As often as the best match of a pattern, or as the best of all. */
static double given_weight(const struct session *session)
{
	double most = 1;

	for (size_t i = 0; i < session->targets.count; i++) {
		const struct session_target *target = &session->targets.items[i];
		bool is_other = target->is_matched || !has_given_targets(session);
		double recent = is_other && !target->is_given ? recent_ns(session, target) : 0;
		most = recent > most ? recent : most;
	}
	return most;
}

static double weight_of(const struct session *session, const struct session_target *target)
{
	if (target->is_unusable || target->is_external)
		return 0;
	if (target->spec.set) /* a set is the question; its members help to answer it */
		return target->spec.set->members.count ? SET_WEIGHT * given_weight(session) : 0;
	if (target->is_given)
		return given_weight(session);
	double part = focus_part(sampled_code_focus(session->code), target->spec.location);
	if (session->is_pool && !has_given_targets(session))
		return part * part * pool_weight(session, target);
	return target->is_matched || !has_given_targets(session) ?
		       part * recent_ns(session, target) :
		       0;
}

/* Locations that can gain next to nothing are not drawn, while others can. */
static void leave_out_hopeless(const struct session *session, double *weights)
{
	double rest = 0;

	if (session->is_pool || has_given_targets(session))
		return;
	for (int round = 0; round < 2; round++)
		for (size_t i = 0; i < session->targets.count; i++) {
			const struct session_target *target = &session->targets.items[i];
			bool is_hopeless =
				weights[i] > 0 &&
				pool_active_share(session, target->spec.location) < ACTIVE_LEAST;
			if (!round)
				rest += is_hopeless ? 0 : weights[i];
			else if (rest > 0 && is_hopeless)
				weights[i] = 0;
		}
}

/* Clients that pause with a server set no pace, and what it waits for by itself it owes. */
static bool is_external_due(const struct session *session)
{
	return !session_peers_send_all(session) && schedule_has_speedups(session->schedule) &&
	       session->series >= EXTERNAL_FIRST_AFTER &&
	       session->external_series * EXTERNAL_ONE_OF < session->series;
}

static size_t external_target(struct session *session)
{
	for (size_t i = 0; i < session->targets.count; i++)
		if (session->targets.items[i].is_external)
			return i;
	struct session_target *target = array_add(&session->targets);
	target->spec.location = target->spec.own.code = SYMBOLS_NONE;
	target->is_external = true;
	return session->targets.count - 1;
}

/* Only the external target, if something else could be drawn. */
static void prefer_external(struct session *session, double *weights)
{
	for (size_t i = 0; i < session->targets.count; i++)
		if (weights[i] > 0) {
			memset(weights, 0, session->targets.count * sizeof(*weights));
			weights[external_target(session)] = 1;
			return;
		}
}

/* Its share of all sampled time so far; 0 without code. */
static double sampled_share(const struct session *session, const struct session_target *target)
{
	struct collector_counters counters;
	size_t count;
	const struct sampled_location *locations = sampled_code_locations(session->code, &count);

	collector_counters(session->collector, &counters);
	return target->spec.location < count && counters.sampled_ns ?
		       (double)locations[target->spec.location].sampled_ns /
			       (double)counters.sampled_ns :
		       0;
}

static void report_choice(const struct session *session, const struct schedule_plan *plan,
			  const double *weights)
{
	const struct session_observer *observer = session->options->observer;
	const struct session_target *target = &session->targets.items[plan->target];
	double sum = 0;

	if (!observer || !plan->begins_block)
		return;
	struct session_choice choice = {.target = session_target_name(session, target),
					.is_given = target->is_given,
					.is_external = target->is_external,
					.sampled_share = sampled_share(session, target)};
	for (size_t i = 0; i < session->targets.count; i++) {
		sum += weights[i];
		choice.candidates += weights[i] > 0;
	}
	choice.probability = weights[plan->target] / sum;
	observer->chosen(observer->context, &choice);
}

bool session_plan(struct session *session, struct schedule_plan *plan)
{
	if (session->options->assumed_count && !session->assumed_name)
		return false;
	add_sampled_targets(session);
	if (session->is_pool && session->pool_target < session->targets.count)
		pool_learn(session, session->pool_target);
	double *weights = memory_new(session->targets.count + 1, sizeof(*weights));
	for (size_t i = 0; i < session->targets.count; i++)
		weights[i] = weight_of(session, &session->targets.items[i]);
	leave_out_hopeless(session, weights);
	sampled_code_age(session->code);
	if (is_external_due(session))
		prefer_external(session, weights);
	bool has_plan = schedule_next(session->schedule, weights, session->targets.count, plan);
	if (has_plan) {
		report_choice(session, plan, weights);
		session->targets.items[plan->target].blocks += plan->begins_block;
	}
	session->pool_target = plan->target;
	free(weights);
	return has_plan;
}
