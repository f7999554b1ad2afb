/* SPDX-License-Identifier: BSD-2-Clause */
/* progress_points - keeps the collector's counters and the profile's progress points together. */
#include "experiment/progress/progress_points.h"

#include "base/cleanup.h"
#include "experiment/progress/points_state.h"

#include <errno.h>
#include <string.h>

struct progress_points *progress_points_new(struct collector *collector, struct sampled_code *code,
					    struct symbols *symbols)
{
	struct progress_points *points = memory_new(1, sizeof(*points));
	points->lookup.collector = collector;
	points->lookup.code = code;
	points->lookup.symbols = symbols;
	return points;
}

void progress_points_free(struct progress_points *points)
{
	if (!points)
		return;
	for (size_t i = 0; i < points->pairs.count; i++)
		free(points->pairs.items[i].name);
	array_free(&points->pairs);
	array_free(&points->awaited);
	array_free(&points->lookup.sampled);
	progress_binaries_free(&points->lookup);
	array_free(&points->attached);
	array_free(&points->pending);
	array_free(&points->pending_pairs);
	free(points);
}

static bool is_awaited(const struct progress_points *points, const char *name)
{
	for (size_t i = 0; i < points->awaited.count; i++)
		if (!strcmp(points->awaited.items[i], name))
			return true;
	return false;
}

static int attach_once(struct progress_points *points, const struct point_spec *spec,
		       unsigned *index, struct error *error)
{
	for (size_t i = 0; i < points->attached.count; i++)
		if (!strcmp(points->attached.items[i].text, spec->text)) {
			*index = points->attached.items[i].index;
			return 0;
		}
	int code = spec->kind->attach(&points->lookup, spec, index, error);
	if (!code && *index < WIRE_POINTS_MOST)
		*array_add(&points->attached) =
			(struct attached){.text = spec->text, .index = *index};
	return code;
}

static int attach(struct progress_points *points, const struct point_spec *spec, unsigned *index,
		  struct error *error)
{
	int code = attach_once(points, spec, index, error);

	if (code == -ENOENT && spec->kind->may_be_in_program && !is_awaited(points, spec->name))
		*array_add(&points->awaited) = spec->name;
	return code;
}

static int add_point(struct progress_points *points, const struct point_spec *spec,
		     struct error *error)
{
	unsigned index = WIRE_POINTS_MOST;
	int code = attach(points, spec, &index, error);

	if (!code && index < WIRE_POINTS_MOST)
		points->counters[index] =
			(struct counter){.counts = true,
					 .is_request = spec->kind->counts_requests,
					 .id = points->counters[index].id,
					 .name = spec->text,
					 .kind = spec->kind->stored};
	return code;
}

int progress_points_add_found(struct progress_points *points, const struct point_spec *spec,
			      struct error *error)
{
	int code = add_point(points, spec, error);

	for (unsigned i = 0; !code && i < WIRE_POINTS_MOST; i++)
		if (points->counters[i].name == spec->text)
			points->counters[i].is_found = true;
	return code;
}

static int attach_half(struct progress_points *points, const struct point_spec *spec,
		       unsigned *index, struct error *error)
{
	int code = *index < WIRE_POINTS_MOST ? 0 : attach(points, spec, index, error);
	/* A lever.h point joins its pair when it appears. */
	return code == -ENOENT && spec->kind->may_be_in_program ? 0 : code;
}

static int add_pair(struct progress_points *points, const struct point_spec_pair *spec,
		    struct error *error)
{
	struct pair *pair = NULL;

	for (size_t i = 0; i < points->pairs.count; i++)
		if (!strcmp(points->pairs.items[i].name, spec->text))
			pair = &points->pairs.items[i];
	if (!pair) {
		pair = array_add(&points->pairs);
		*pair = (struct pair){.name = text_copy(spec->text),
				      .begin = WIRE_POINTS_MOST,
				      .end = WIRE_POINTS_MOST,
				      .begin_name = spec->begin.name,
				      .end_name = spec->end.name};
	}
	int code = attach_half(points, &spec->begin, &pair->begin, error);
	code = code ? code : attach_half(points, &spec->end, &pair->end, error);
	if (!code && (pair->begin == WIRE_POINTS_MOST || pair->end == WIRE_POINTS_MOST))
		return -ENOENT;
	return code;
}

int progress_points_add(struct progress_points *points, const struct point_spec *spec,
			struct error *error)
{
	int code = add_point(points, spec, error);

	points->is_asked = true;
	if (code != -ENOENT || spec->kind->never_appears_late)
		return code;
	*array_add(&points->pending) = spec;
	points->missing = *error;
	return 0;
}

int progress_points_add_default(struct progress_points *points, const struct point_spec *spec,
				struct error *error)
{
	return add_point(points, spec, error);
}

int progress_points_add_pair(struct progress_points *points, const struct point_spec_pair *spec,
			     struct error *error)
{
	int code = add_pair(points, spec, error);

	points->is_asked = true;
	if (code != -ENOENT || spec->begin.kind->never_appears_late ||
	    spec->end.kind->never_appears_late)
		return code;
	*array_add(&points->pending_pairs) = spec;
	points->missing = *error;
	return 0;
}

int progress_points_await(struct progress_points *points, const struct point_spec *spec,
			  struct error *error)
{
	points->start = spec;
	points->start_index = WIRE_POINTS_MOST;
	int code = attach_once(points, spec, &points->start_index, error);
	points->start_missing = *error;
	return code == -ENOENT && !spec->kind->never_appears_late ? 0 : code;
}

static bool is_in_program(const struct wire_point *point)
{
	return point->kind == POINTS_PROGRESS || point->kind == POINTS_BEGIN ||
	       point->kind == POINTS_END;
}

static bool has_appeared(const struct progress_points *points, const char *name)
{
	for (unsigned i = 0; i < points->known; i++) {
		const struct wire_point *point = collector_point(points->lookup.collector, i);
		if (is_in_program(point) && !strcmp(name, point->name))
			return true;
	}
	return false;
}

/* In no file yet; the error is kept for progress_points_missing. */
static bool is_absent(struct progress_points *points, int code, const struct error *error)
{
	if (code != -ENOENT && code != -ENXIO)
		return false;
	points->missing = *error;
	return true;
}

static int retry_start(struct progress_points *points, struct error *error)
{
	if (!points->start || points->start_index < WIRE_POINTS_MOST)
		return 0;
	int code = attach_once(points, points->start, &points->start_index, error);
	points->start_missing = *error;
	return code == -ENOENT || code == -ENXIO ? 0 : code;
}

int progress_points_retry(struct progress_points *points, struct error *error)
{
	size_t kept = 0;
	int code = progress_kinds_search_more(&points->lookup, error);

	for (size_t i = 0; i < points->pending.count; i++) {
		const struct point_spec *spec = points->pending.items[i];
		if (spec->kind->may_be_in_program && has_appeared(points, spec->name))
			continue;
		if (!code && !(code = add_point(points, spec, error)))
			continue;
		if (is_absent(points, code, error))
			code = 0;
		points->pending.items[kept++] = spec;
	}
	points->pending.count = kept;
	kept = 0;
	for (size_t i = 0; i < points->pending_pairs.count; i++) {
		const struct point_spec_pair *spec = points->pending_pairs.items[i];
		if (!code && !(code = add_pair(points, spec, error)))
			continue;
		if (is_absent(points, code, error))
			code = 0;
		points->pending_pairs.items[kept++] = spec;
	}
	points->pending_pairs.count = kept;
	return code ? code : retry_start(points, error);
}

/* LEVER_BEGIN and LEVER_END of one name: the pair is made when either appears. */
static void add_half(struct progress_points *points, unsigned index)
{
	const struct wire_point *point = collector_point(points->lookup.collector, index);
	struct pair *pair = NULL;

	for (size_t i = 0; i < points->pairs.count; i++)
		if (!strcmp(points->pairs.items[i].name, point->name))
			pair = &points->pairs.items[i];
	if (!pair && points->is_asked && !is_awaited(points, point->name))
		return;
	if (!pair) {
		pair = array_add(&points->pairs);
		pair->name = text_copy(point->name);
		pair->begin = pair->end = WIRE_POINTS_MOST;
	}
	if (point->kind == POINTS_BEGIN)
		pair->begin = index;
	else
		pair->end = index;
}

/* A point of lever.h that is waited for; it is no unit of work unless it is asked for, too. */
static bool is_start(const struct progress_points *points, const char *name)
{
	return points->start && points->start->kind->may_be_in_program &&
	       !strcmp(points->start->name, name);
}

static void add_appeared(struct progress_points *points, unsigned index)
{
	const struct wire_point *point = collector_point(points->lookup.collector, index);
	struct counter *counter = &points->counters[index];

	if (!is_in_program(point))
		return;
	if (point->kind == POINTS_PROGRESS)
		counter->counts = points->is_asked ? is_awaited(points, point->name) :
						     !is_start(points, point->name);
	else
		add_half(points, index);
	for (size_t i = 0; i < points->pairs.count; i++) {
		struct pair *pair = &points->pairs.items[i];
		if (pair->begin_name && !strcmp(pair->begin_name, point->name))
			pair->begin = index;
		if (pair->end_name && !strcmp(pair->end_name, point->name))
			pair->end = index;
	}
}

static const char *name_of(const struct progress_points *points, unsigned index)
{
	const char *name = points->counters[index].name;
	return name ? name : collector_point(points->lookup.collector, index)->name;
}

static int add_to_profile(struct profile *profile, const struct recording_point *point, int64_t *id,
			  struct error *error)
{
	struct recording_point row = *point;
	if (*id)
		return 0;
	int code = profile_add_point(profile, &row, error);
	*id = row.id;
	return code;
}

static int add_counter(struct progress_points *points, unsigned index, struct profile *profile,
		       struct error *error)
{
	struct counter *counter = &points->counters[index];
	const struct recording_point row = {.kind = counter->kind,
					    .name = (char *)(uintptr_t)name_of(points, index),
					    .is_found = counter->is_found};
	return add_to_profile(profile, &row, &counter->id, error);
}

static void send_pairs(struct progress_points *points)
{
	unsigned sent[WIRE_PAIRS_MOST][2], count = 0;

	for (size_t i = 0; i < points->pairs.count && count < WIRE_PAIRS_MOST; i++, count++) {
		const struct pair *pair = &points->pairs.items[i];
		bool is_whole = pair->begin < WIRE_POINTS_MOST && pair->end < WIRE_POINTS_MOST;
		sent[count][0] = is_whole ? pair->begin : 0;
		sent[count][1] = is_whole ? pair->end : 0; /* the same counter twice adds nothing */
	}
	collector_set_pairs(points->lookup.collector, sent, count);
}

int progress_points_update(struct progress_points *points, struct profile *profile,
			   struct error *error)
{
	unsigned count = collector_point_count(points->lookup.collector);
	int code = 0;

	for (; points->known < count; points->known++)
		add_appeared(points, points->known);
	for (unsigned i = 0; i < count && !code; i++)
		if (points->counters[i].counts)
			code = add_counter(points, i, profile, error);
	for (size_t i = 0; i < points->pairs.count && !code; i++) {
		struct pair *pair = &points->pairs.items[i];
		if (pair->begin < WIRE_POINTS_MOST && pair->end < WIRE_POINTS_MOST)
			code = add_to_profile(profile,
					      &(struct recording_point){.kind = POINT_LATENCY,
									.name = pair->name},
					      &pair->id, error);
	}
	send_pairs(points);
	return code;
}

unsigned progress_points_named_visited(const struct progress_points *points)
{
	unsigned ready = 0;

	for (unsigned i = 0; i < points->known; i++)
		ready += points->counters[i].id && !points->counters[i].is_found &&
			 collector_point(points->lookup.collector, i)->total > 0;
	for (size_t i = 0; i < points->pairs.count; i++)
		ready += points->pairs.items[i].id != 0;
	return ready;
}

unsigned progress_points_visited(const struct progress_points *points)
{
	unsigned ready = progress_points_named_visited(points);

	for (unsigned i = 0; i < points->known; i++)
		ready += points->counters[i].id && points->counters[i].is_found &&
			 collector_point(points->lookup.collector, i)->total > 0;
	return ready;
}

bool progress_points_await_is_over(const struct progress_points *points)
{
	unsigned count = collector_point_count(points->lookup.collector);

	if (!points->start)
		return true;
	for (unsigned i = 0; i < count; i++) {
		const struct wire_point *point = collector_point(points->lookup.collector, i);
		bool is_it = i == points->start_index ||
			     (point->kind == POINTS_PROGRESS && is_start(points, point->name));
		if (is_it && point->total)
			return true;
	}
	return false;
}

const char *progress_points_await_missing(const struct progress_points *points)
{
	return points->start_index < WIRE_POINTS_MOST || has_appeared(points, points->start->name) ?
		       NULL :
		       points->start_missing.text;
}

uint64_t progress_points_requests(const struct progress_points *points)
{
	uint64_t requests = 0;

	for (unsigned i = 0; i < points->known; i++)
		if (points->counters[i].is_request)
			requests += collector_point(points->lookup.collector, i)->total;
	return requests;
}

uint64_t progress_points_visits(const struct progress_points *points)
{
	uint64_t visits = 0;

	for (unsigned i = 0; i < points->known; i++)
		if (points->counters[i].id && points->counters[i].kind != POINT_SAMPLED)
			visits += collector_point(points->lookup.collector, i)->total;
	return visits;
}

char *progress_points_missing(const struct progress_points *points)
{
	for (size_t i = 0; i < points->pending.count; i++) {
		const struct point_spec *spec = points->pending.items[i];
		if (!spec->kind->may_be_in_program)
			return text_copy(points->missing.text);
		if (!has_appeared(points, spec->name))
			return text_format("no progress point is called '%s': %s", spec->name,
					   points->missing.text);
	}
	for (size_t i = 0; i < points->pairs.count; i++) {
		const struct pair *pair = &points->pairs.items[i];
		const char *half = pair->begin == WIRE_POINTS_MOST ? pair->begin_name :
				   pair->end == WIRE_POINTS_MOST   ? pair->end_name :
								     NULL;
		if (half)
			return text_format("there is no progress point '%s' for %s", half,
					   pair->name);
	}
	return NULL;
}

char *progress_points_appeared(const struct progress_points *points)
{
	char *names = NULL;

	for (unsigned i = 0; i < points->known; i++) {
		const struct wire_point *point = collector_point(points->lookup.collector, i);
		if (!is_in_program(point) ||
		    (!points->counters[i].counts && is_start(points, point->name)))
			continue;
		char *longer =
			text_format("%s%s%s", names ? names : "", names ? ", " : "", point->name);
		free(names);
		names = longer;
	}
	return names;
}

char *progress_points_warnings(const struct progress_points *points)
{
	return points->pairs.count <= WIRE_PAIRS_MOST ?
		       NULL :
		       text_format("of %zu latency points only the first %d are measured; name "
				   "those that matter with --latency",
				   points->pairs.count, WIRE_PAIRS_MOST);
}
