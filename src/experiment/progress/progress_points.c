/* SPDX-License-Identifier: BSD-2-Clause */
/* points - keeps the collector's counters and the profile's progress points together. */
#include "experiment/progress/progress_points.h"

#include "base/cleanup.h"
#include "base/hash.h"
#include "base/memory.h"
#include "experiment/progress/span_lengths.h"
#include "symbolize/scope.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#define PLACES_MOST 256 /* of one point: inlined copies, USDT locations */

/* One counter of the collector. */
struct counter {
	bool is_asked; /* attached by the engine, or named by the user */
	bool counts;   /* stands in the profile as a throughput point */
	int64_t id;
	enum point_kind kind;
	const char *name; /* as asked for; NULL: as the collector has it */
};

struct pair {
	char *name;
	unsigned begin, end; /* counters; WIRE_POINTS_MOST until they appear */
	const char *begin_name, *end_name;
	int64_t id;
};

/* A point that may stand in several binaries, also in such as come later. */
struct spread {
	const struct point_spec *spec;
	char *glob;
	uint32_t searched; /* objects */
	unsigned index;    /* WIRE_POINTS_MOST until it is found */
};

/* What was attached: the same text again is the same counter, and must not count twice. */
struct attached {
	const char *text;
	unsigned index;
};

struct points {
	struct collector *collector;
	struct code *code;
	struct symbols *symbols;
	struct counter counters[WIRE_POINTS_MOST];
	unsigned known; /* counters looked at */
	ARRAY(struct pair) pairs;
	ARRAY(const char *) awaited; /* names of lever.h points that the user asked for */
	ARRAY(struct wire_range) sampled;
	ARRAY(struct spread) spreads;
	ARRAY(struct attached) attached;
	ARRAY(const struct point_spec *) pending; /* in no file known so far */
	ARRAY(const struct point_spec_pair *) pending_pairs;
	struct error missing; /* of the last one that was not found */
	bool is_asked;        /* the user named points: others do not count */
};

struct points *progress_points_new(struct collector *collector, struct code *code,
				   struct symbols *symbols)
{
	struct points *points = memory_new(1, sizeof(*points));
	points->collector = collector;
	points->code = code;
	points->symbols = symbols;
	return points;
}

void progress_points_free(struct points *points)
{
	if (!points)
		return;
	for (size_t i = 0; i < points->pairs.count; i++)
		free(points->pairs.items[i].name);
	array_free(&points->pairs);
	array_free(&points->awaited);
	array_free(&points->sampled);
	for (size_t i = 0; i < points->spreads.count; i++)
		free(points->spreads.items[i].glob);
	array_free(&points->spreads);
	array_free(&points->attached);
	array_free(&points->pending);
	array_free(&points->pending_pairs);
	free(points);
}

static bool is_awaited(const struct points *points, const char *name)
{
	for (size_t i = 0; i < points->awaited.count; i++)
		if (!strcmp(points->awaited.items[i], name))
			return true;
	return false;
}

/*
 * What the collector calls a point: it has room for few characters, and takes points of one name for
 * one. A longer text is told apart from others by its hash (FNV-1a).
 */
struct short_name {
	char text[sizeof(((struct wire_point *)0)->name)];
};

static struct short_name short_name(const char *text)
{
	struct short_name name;

	if (strlen(text) < sizeof(name.text)) {
		strcpy(name.text, text);
		return name;
	}
	snprintf(name.text, sizeof(name.text), "%.30s#%016" PRIx64, text, hash_text(text));
	return name;
}

/* By which the kernel finds the file: of a container's, not the path that it has there. */
static const char *path_of(const struct points *points, uint32_t object)
{
	const struct symbols_object *shown = symbols_object(points->symbols, object);
	return shown->open_path ? shown->open_path : shown->path;
}

/* In the object `only`, or the first that has it (SYMBOLS_NONE). */
static int add_code(struct points *points, const struct point_spec *spec, uint32_t only,
		    unsigned *index, struct error *error)
{
	struct symbols_address places[PLACES_MOST];
	struct short_name name = short_name(spec->text);
	size_t count = 0;
	int code = symbols_breakpoints(points->symbols, spec->name, only, places, PLACES_MOST,
				       &count, error);

	if (code)
		return code;
	for (size_t i = 0; i < count && i < PLACES_MOST; i++) {
		const char *path = path_of(points, places[i].object);
		code = collector_add_point_uprobe(points->collector, name.text, path,
						  places[i].offset, 0, index, error);
		if (code)
			return code;
	}
	return 0;
}

/* In the objects that match and have not been looked into yet. */
static int search_spread(struct points *points, struct spread *spread, struct error *error)
{
	uint32_t count = symbols_object_count(points->symbols);
	struct error absent;

	for (; spread->searched < count; spread->searched++) {
		const struct symbols_object *object =
			symbols_object(points->symbols, spread->searched);
		if (symbols_is_kernel(points->symbols, spread->searched) ||
		    !scope_glob_matches(spread->glob, object->path))
			continue;
		int code =
			add_code(points, spread->spec, spread->searched, &spread->index, &absent);
		if (!code || code == -ENOENT || code == -ENXIO)
			continue;
		if (error)
			*error = absent;
		return code;
	}
	return 0;
}

static int add_spread(struct points *points, const struct point_spec *spec, unsigned *index,
		      struct error *error)
{
	struct spread *spread = NULL;

	for (size_t i = 0; i < points->spreads.count; i++)
		if (points->spreads.items[i].spec == spec)
			spread = &points->spreads.items[i];
	if (!spread) {
		/* One file, which is there: it is known before anything runs. */
		AUTO(text) char *file = *spec->group == '/' ? realpath(spec->group, NULL) : NULL;
		uint32_t object;
		if (file)
			symbols_add_object(points->symbols, file, NULL, false, &object, NULL);
		spread = array_add(&points->spreads);
		*spread = (struct spread){.spec = spec,
					  .glob = text_copy(file ? file : spec->group),
					  .index = WIRE_POINTS_MOST};
	}
	int code = search_spread(points, spread, error);
	if (code)
		return code;
	*index = spread->index;
	if (spread->index < WIRE_POINTS_MOST)
		return 0;
	return error_set(error, -ENOENT, "no binary that matches '%s' has %s", spec->group,
			 spec->name);
}

static int search_spreads(struct points *points, struct error *error)
{
	int code = 0;

	for (size_t i = 0; i < points->spreads.count && !code; i++)
		code = search_spread(points, &points->spreads.items[i], error);
	return code;
}

static int add_usdt(struct points *points, const struct point_spec *spec, unsigned *index,
		    struct error *error)
{
	struct symbols_usdt probes[PLACES_MOST];
	struct short_name name = short_name(spec->text);
	size_t count = 0;
	int code = symbols_usdt(points->symbols, spec->group, spec->name, probes, PLACES_MOST,
				&count, error);

	if (code)
		return code;
	for (size_t i = 0; i < count && i < PLACES_MOST; i++) {
		const char *path = path_of(points, probes[i].object);
		code = collector_add_point_uprobe(points->collector, name.text, path,
						  probes[i].offset, probes[i].semaphore_offset,
						  index, error);
		if (code)
			return code;
	}
	return 0;
}

static int add_sampled(struct points *points, const struct point_spec *spec, unsigned *index,
		       struct error *error)
{
	uint32_t place;
	size_t count;
	int code = symbols_find(points->symbols, spec->name, &place, error);

	code = code ? code :
		      collector_add_point_sampled(points->collector, short_name(spec->text).text,
						  index, error);
	if (code)
		return code;
	struct wire_range *ranges = sampled_code_ranges(points->code, place, *index, &count);
	for (size_t i = 0; i < count; i++)
		*array_add(&points->sampled) = ranges[i];
	free(ranges);
	code = collector_set_sampled(points->collector, points->sampled.items,
				     points->sampled.count);
	return code ? error_set(error, code, "'%s' has too many pieces of code", spec->text) : 0;
}

/* A function of this name, or else a lever.h point that will appear. */
static int add_named(struct points *points, const struct point_spec *spec, unsigned *index,
		     struct error *error)
{
	int code = spec->kind == POINT_SPEC_POINT ?
			   error_set(error, -ENOENT, "no progress point %s", spec->name) :
			   add_code(points, spec, SYMBOLS_NONE, index, error);

	if (code == -ENXIO)
		code = -ENOENT; /* a point may be called what it likes */
	if (code == -ENOENT && !is_awaited(points, spec->name))
		*array_add(&points->awaited) = spec->name;
	return code;
}

static int attach_new(struct points *points, const struct point_spec *spec, unsigned *index,
		      struct error *error)
{
	switch (spec->kind) {
	case POINT_SPEC_CODE:
		return add_code(points, spec, SYMBOLS_NONE, index, error);
	case POINT_SPEC_BINARIES:
		return add_spread(points, spec, index, error);
	case POINT_SPEC_NAME:
	case POINT_SPEC_POINT:
		return add_named(points, spec, index, error);
	case POINT_SPEC_USDT:
		return add_usdt(points, spec, index, error);
	case POINT_SPEC_TRACEPOINT:
		return collector_add_point_tracepoint(points->collector, spec->group, spec->name,
						      short_name(spec->text).text, index, error);
	case POINT_SPEC_SAMPLED:
		return add_sampled(points, spec, index, error);
	}
	return error_set(error, -EINVAL, "unknown kind of progress point");
}

static int attach(struct points *points, const struct point_spec *spec, unsigned *index,
		  struct error *error)
{
	for (size_t i = 0; i < points->attached.count; i++)
		if (!strcmp(points->attached.items[i].text, spec->text)) {
			*index = points->attached.items[i].index;
			return 0;
		}
	int code = attach_new(points, spec, index, error);
	if (!code && *index < WIRE_POINTS_MOST)
		*array_add(&points->attached) =
			(struct attached){.text = spec->text, .index = *index};
	return code;
}

static int add_point(struct points *points, const struct point_spec *spec, struct error *error)
{
	unsigned index = WIRE_POINTS_MOST;
	int code = attach(points, spec, &index, error);

	if (!code && index < WIRE_POINTS_MOST) {
		points->counters[index].is_asked = points->counters[index].counts = true;
		points->counters[index].name = spec->text;
		if (spec->kind == POINT_SPEC_SAMPLED)
			points->counters[index].kind = POINT_SAMPLED;
	}
	return code;
}

/* May it be the name of a point of lever.h? */
static bool may_be_in_program(const struct point_spec *spec)
{
	return spec->kind == POINT_SPEC_NAME || spec->kind == POINT_SPEC_POINT;
}

static int attach_half(struct points *points, const struct point_spec *spec, unsigned *index,
		       struct error *error)
{
	int code = *index < WIRE_POINTS_MOST ? 0 : attach(points, spec, index, error);
	/* A lever.h point joins its pair when it is met. */
	return code == -ENOENT && may_be_in_program(spec) ? 0 : code;
}

static int add_pair(struct points *points, const struct point_spec_pair *spec, struct error *error)
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

static bool may_come(const struct point_spec *spec)
{
	return spec->kind != POINT_SPEC_TRACEPOINT;
}

int progress_points_add(struct points *points, const struct point_spec *spec, struct error *error)
{
	int code = add_point(points, spec, error);

	points->is_asked = true;
	if (code != -ENOENT || !may_come(spec))
		return code;
	*array_add(&points->pending) = spec;
	points->missing = *error;
	return 0;
}

int progress_points_add_pair(struct points *points, const struct point_spec_pair *spec,
			     struct error *error)
{
	int code = add_pair(points, spec, error);

	points->is_asked = true;
	if (code != -ENOENT || !may_come(&spec->begin) || !may_come(&spec->end))
		return code;
	*array_add(&points->pending_pairs) = spec;
	points->missing = *error;
	return 0;
}

static bool is_in_program(const struct wire_point *point)
{
	return point->kind == POINTS_PROGRESS || point->kind == POINTS_BEGIN ||
	       point->kind == POINTS_END;
}

static bool has_appeared(const struct points *points, const char *name)
{
	for (unsigned i = 0; i < points->known; i++) {
		const struct wire_point *point = collector_point(points->collector, i);
		if (is_in_program(point) && !strcmp(name, point->name))
			return true;
	}
	return false;
}

/* Not there yet: `missing` tells what is. */
static bool is_absent(struct points *points, int code, const struct error *error)
{
	if (code != -ENOENT && code != -ENXIO)
		return false;
	points->missing = *error;
	return true;
}

int progress_points_retry(struct points *points, struct error *error)
{
	size_t kept = 0;
	int code = search_spreads(points, error);

	for (size_t i = 0; i < points->pending.count; i++) {
		const struct point_spec *spec = points->pending.items[i];
		if (may_be_in_program(spec) && has_appeared(points, spec->name))
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
	return code;
}

/* LEVER_BEGIN(x) ... LEVER_END(x): the pair is made when either half appears. */
static void pair_up(struct points *points, unsigned index)
{
	const struct wire_point *point = collector_point(points->collector, index);
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

static void meet(struct points *points, unsigned index)
{
	const struct wire_point *point = collector_point(points->collector, index);
	struct counter *counter = &points->counters[index];

	if (!is_in_program(point))
		return;
	if (point->kind == POINTS_PROGRESS)
		counter->counts = !points->is_asked || is_awaited(points, point->name);
	else
		pair_up(points, index);
	for (size_t i = 0; i < points->pairs.count; i++) {
		struct pair *pair = &points->pairs.items[i];
		if (pair->begin_name && !strcmp(pair->begin_name, point->name))
			pair->begin = index;
		if (pair->end_name && !strcmp(pair->end_name, point->name))
			pair->end = index;
	}
}

static const char *name_of(const struct points *points, unsigned index)
{
	const char *name = points->counters[index].name;
	return name ? name : collector_point(points->collector, index)->name;
}

static int give_id(struct profile *profile, const char *name, enum point_kind kind, int64_t *id,
		   struct error *error)
{
	struct recording_point row = {.kind = kind, .name = (char *)(uintptr_t)name};
	if (*id)
		return 0;
	int code = profile_add_point(profile, &row, error);
	*id = row.id;
	return code;
}

static void tell_pairs(struct points *points)
{
	unsigned told[WIRE_PAIRS_MOST][2], count = 0;

	for (size_t i = 0; i < points->pairs.count && count < WIRE_PAIRS_MOST; i++, count++) {
		const struct pair *pair = &points->pairs.items[i];
		bool is_whole = pair->begin < WIRE_POINTS_MOST && pair->end < WIRE_POINTS_MOST;
		told[count][0] = is_whole ? pair->begin : 0;
		told[count][1] = is_whole ? pair->end : 0; /* the same twice adds nothing */
	}
	collector_set_pairs(points->collector, told, count);
}

int progress_points_update(struct points *points, struct profile *profile, struct error *error)
{
	unsigned count = collector_point_count(points->collector);
	int code = 0;

	for (; points->known < count; points->known++)
		meet(points, points->known);
	for (unsigned i = 0; i < count && !code; i++)
		if (points->counters[i].counts)
			code = give_id(profile, name_of(points, i), points->counters[i].kind,
				       &points->counters[i].id, error);
	for (size_t i = 0; i < points->pairs.count && !code; i++) {
		struct pair *pair = &points->pairs.items[i];
		if (pair->begin < WIRE_POINTS_MOST && pair->end < WIRE_POINTS_MOST)
			code = give_id(profile, pair->name, POINT_LATENCY, &pair->id, error);
	}
	tell_pairs(points);
	return code;
}

unsigned progress_points_visited(const struct points *points)
{
	unsigned ready = 0;

	for (unsigned i = 0; i < points->known; i++)
		ready += points->counters[i].id && collector_point(points->collector, i)->total > 0;
	for (size_t i = 0; i < points->pairs.count; i++)
		ready += points->pairs.items[i].id != 0;
	return ready;
}

const char *progress_points_missing(struct points *points)
{
	for (size_t i = 0; i < points->pending.count; i++) {
		const struct point_spec *spec = points->pending.items[i];
		if (may_be_in_program(spec) && has_appeared(points, spec->name))
			continue;
		if (may_be_in_program(spec) && points->missing.code != -EAGAIN) {
			error_add_place(&points->missing, "no progress point is called '%s'",
					spec->name);
			points->missing.code = -EAGAIN; /* said once */
		}
		return points->missing.text;
	}
	for (size_t i = 0; i < points->pairs.count; i++) {
		const struct pair *pair = &points->pairs.items[i];
		const char *half = pair->begin == WIRE_POINTS_MOST ? pair->begin_name :
				   pair->end == WIRE_POINTS_MOST   ? pair->end_name :
								     NULL;
		if (!half)
			continue;
		error_set(&points->missing, -ENOENT, "there is no progress point '%s' for %s", half,
			  pair->name);
		return points->missing.text;
	}
	return NULL;
}

char *progress_points_appeared(const struct points *points)
{
	char *names = NULL;

	for (unsigned i = 0; i < points->known; i++) {
		const struct wire_point *point = collector_point(points->collector, i);
		if (!is_in_program(point))
			continue;
		char *longer =
			text_format("%s%s%s", names ? names : "", names ? ", " : "", point->name);
		free(names);
		names = longer;
	}
	return names;
}

enum point_kind progress_points_kind(const struct points *points, int64_t id)
{
	for (unsigned i = 0; i < points->known; i++)
		if (points->counters[i].id == id)
			return points->counters[i].kind;
	return POINT_LATENCY; /* what is no counter is a pair */
}

double progress_points_collect(struct points *points, struct recording_experiment *experiment)
{
	double most = 0;
	double period = (double)collector_facts(points->collector)->period_ns;

	for (unsigned i = 0; i < points->known; i++) {
		struct collector_visits seen = collector_window_visits(points->collector, i);
		if (!points->counters[i].id || !seen.visits)
			continue;
		struct recording_visit *visit = array_add(&experiment->visits);
		visit->point_id = points->counters[i].id;
		visit->visits = (double)seen.visits;
		if (points->counters[i].kind == POINT_SAMPLED)
			visit->visits /= period; /* the counter holds sampled ns */
		visit->duration_ns = seen.duration_ns;
		visit->delay_ns = seen.delay_ns;
		most = visit->visits > most ? visit->visits : most;
	}
	for (size_t i = 0; i < points->pairs.count && i < WIRE_PAIRS_MOST; i++) {
		const struct pair *pair = &points->pairs.items[i];
		struct collector_visits seen = {0};
		if (pair->id) {
			seen = collector_window_visits(points->collector, pair->begin);
			span_lengths_collect(points->collector, (unsigned)i,
					     (const unsigned[]){pair->begin, pair->end}, pair->id,
					     experiment);
		}
		/* Below 0 by noise where all of the latency is sped up by 100 %; else it is wrong. */
		double in_flight = collector_pair_average(points->collector, (unsigned)i);
		if (!seen.visits || (in_flight <= 0 && experiment->speedup < 0.9))
			continue;
		struct recording_visit *visit = array_add(&experiment->visits);
		visit->point_id = pair->id;
		visit->visits = (double)seen.visits;
		visit->duration_ns = seen.duration_ns;
		visit->delay_ns = seen.delay_ns;
		visit->in_flight = fmax(0, in_flight);
		most = visit->visits > most ? visit->visits : most;
	}
	return most;
}

struct visitor_context {
	struct profile *profile;
	struct recording_process_visits row;
	uint64_t unit; /* of what the kernel side counts: a visit, or ns of a sampled point */
	uint64_t sum;  /* of all processes, in such units */
	struct error *error;
	int code;
};

static void write_visitor(void *context, pid_t pid, const char *command, uint64_t visits)
{
	struct visitor_context *visitor = context;
	struct recording_process_visits row = visitor->row;

	row.pid = (unsigned)pid;
	row.command = (char *)(uintptr_t)command;
	row.visits = visits / visitor->unit;
	visitor->sum += visits;
	if (!visitor->code && row.visits)
		visitor->code = profile_set_process_visits(visitor->profile, &row, visitor->error);
}

/*
 * In all, and by process where the engine knows. A program that runs on passes points while they are read: what
 * its processes have then is in the sum, too.
 */
static int write_total(struct points *points, struct profile *profile, unsigned index,
		       struct recording_total total, struct error *error)
{
	bool is_sampled = points->counters[index].kind == POINT_SAMPLED;
	struct visitor_context visitor = {
		.profile = profile,
		.row = {.run_id = total.run_id, .point_id = total.point_id},
		.unit = is_sampled ? collector_facts(points->collector)->period_ns : 1,
		.error = error,
	};

	uint64_t counted = collector_point(points->collector, index)->total;
	collector_each_visiting_process(points->collector, index, write_visitor, &visitor);
	total.visits = (visitor.sum > counted ? visitor.sum : counted) / visitor.unit;
	return visitor.code ? visitor.code : profile_set_total(profile, &total, error);
}

int progress_points_write_totals(struct points *points, struct profile *profile, int64_t run_id,
				 struct error *error)
{
	int code = 0;

	for (unsigned i = 0; i < points->known && !code; i++) {
		struct recording_total total = {run_id, points->counters[i].id, 0};
		if (total.point_id)
			code = write_total(points, profile, i, total, error);
	}
	for (size_t i = 0; i < points->pairs.count && !code; i++) {
		const struct pair *pair = &points->pairs.items[i];
		struct recording_total total = {run_id, pair->id, 0};
		if (pair->id)
			code = write_total(points, profile, pair->begin, total, error);
	}
	return code;
}
