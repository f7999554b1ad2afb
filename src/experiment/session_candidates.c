/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * session_candidates - functions that could serve as progress points, found by a short look.
 *
 * The functions seen on sampled call chains are tried by a uprobe each, for a moment: one that is
 * called at a steady, moderate rate is worth naming. A trial ends at once where calls are so
 * frequent that counting them would slow the program.
 */
#include "experiment/session_state.h"

#include "base/cleanup.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LOOK_NS 500000000ull
#define TRIED_MOST 12
#define NAMED_MOST 6
#define SLICES 8
#define SLICE_NS 40000000ull
#define CALLS_MOST 2000    /* in a slice: 50,000 a second */
#define CALLS_LEAST 8      /* in all slices */
#define VARIATION_MOST 0.7 /* standard deviation of the slices over their mean */

struct candidate {
	const char *function; /* borrowed from symbols */
	unsigned chains;      /* sampled chains it was on */
	bool in_scope;
	double rate, variation;
};

struct look {
	struct session *session;
	const struct collector_handler *usual;
	ARRAY(struct candidate) candidates;
};

static void add(struct look *look, const char *function, bool in_scope)
{
	for (size_t i = 0; i < look->candidates.count; i++) {
		if (!strcmp(look->candidates.items[i].function, function)) {
			look->candidates.items[i].chains++;
			return;
		}
	}
	*array_add(&look->candidates) =
		(struct candidate){.function = function, .chains = 1, .in_scope = in_scope};
}

/* What every program calls says nothing of its progress. */
static bool is_plumbing(const struct session *session, uint32_t object)
{
	static const char *const names[] = {"/libc.so", "/libc-", "/libpthread", "/libstdc++",
					    "/ld-"};
	const char *path = symbols_object(session->symbols, object)->path;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strstr(path, names[i]))
			return true;
	return false;
}

static void on_callers(void *context, const struct kernel_callers *callers)
{
	struct look *look = context;

	for (uint32_t i = 0; i < callers->count && i < KERNEL_CALLERS_MOST; i++) {
		uint32_t object = callers->frames[i].object;
		if (object == WIRE_OBJECT_UNKNOWN || object == WIRE_OBJECT_NO_FILE)
			continue;
		const char *function = symbols_function_at(look->session->symbols, object - 1,
							   callers->frames[i].offset);
		if (function && !strchr(function, '+') && strcmp(function, "main") &&
		    !is_plumbing(look->session, object - 1))
			add(look, function,
			    symbols_object(look->session->symbols, object - 1)->in_scope);
	}
}

static void on_sample(void *context, const struct wire_sample *sample)
{
	sampled_code_on_sample(((struct look *)context)->session->code, sample);
}

static void on_object(void *context, const struct kernel_object_event *event)
{
	sampled_code_on_object(((struct look *)context)->session->code, event);
}

static void on_process(void *context, const struct kernel_process_event *event)
{
	const struct look *look = context;
	look->usual->process(look->usual->context, event);
}

static void on_name(void *context, const struct kernel_name_event *event)
{
	const struct look *look = context;
	look->usual->name(look->usual->context, event);
}

static int by_scope_and_chains(const void *a, const void *b)
{
	const struct candidate *left = a, *right = b;
	if (left->in_scope != right->in_scope)
		return left->in_scope ? -1 : 1;
	return left->chains < right->chains ? 1 : left->chains > right->chains ? -1 : 0;
}

static bool try_candidate(struct session *session, struct candidate *candidate)
{
	struct symbols_address place;
	uint64_t calls[SLICES] = {0};
	double sum = 0, squares = 0;
	size_t count = 0;

	if (symbols_breakpoints(session->symbols, candidate->function, SYMBOLS_NONE, &place, 1,
				&count, NULL) ||
	    !count)
		return false;
	const char *path = symbols_object(session->symbols, place.object)->path;
	if (collector_count_calls(session->collector, path, place.offset, SLICE_NS, calls, SLICES,
				  CALLS_MOST))
		return false;
	for (int i = 0; i < SLICES; i++) {
		sum += (double)calls[i];
		squares += (double)calls[i] * (double)calls[i];
	}
	double mean = sum / SLICES;
	if (sum < CALLS_LEAST)
		return false;
	candidate->rate = sum / (SLICES * (double)SLICE_NS / 1e9);
	candidate->variation = sqrt(fmax(0, squares / SLICES - mean * mean)) / mean;
	return candidate->variation < VARIATION_MOST;
}

char *session_candidates(struct session *session)
{
	const struct collector_handler usual = session->handler;
	struct look look = {.session = session, .usual = &usual};
	struct collector_handler handler = {.context = &look,
					    .sample = on_sample,
					    .object = on_object,
					    .process = on_process,
					    .callers = on_callers,
					    .name = on_name};
	char *text = NULL;
	size_t size = 0;
	unsigned named = 0;

	session->handler = handler; /* waiting drains, too */
	sampled_code_widen_scope(session->code);
	collector_want_callers(session->collector, true);
	session_wait(session, LOOK_NS);
	collector_drain(session->collector, &handler);
	collector_want_callers(session->collector, false);
	session->handler = usual;
	sampled_code_update_scope(session->code, NULL);
	qsort(look.candidates.items, look.candidates.count, sizeof(*look.candidates.items),
	      by_scope_and_chains);
	FILE *out = open_memstream(&text, &size);
	for (size_t i = 0; i < look.candidates.count && i < TRIED_MOST && named < NAMED_MOST; i++) {
		struct candidate *candidate = &look.candidates.items[i];
		if (!session_program_runs(session) || !try_candidate(session, candidate))
			continue;
		fprintf(out, "%s  --progress '%s'   %.0f calls/s", named++ ? "\n" : "",
			candidate->function, candidate->rate);
	}
	fclose(out);
	array_free(&look.candidates);
	if (named)
		return text;
	free(text);
	return NULL;
}
