/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * liblever - liblever.so: the points of lever.h as functions, for languages without C macros.
 *
 * A name has an entry in a table, whose index is its id. Entries are never given up. Their sites
 * remember where the name stands in the page of points and in the memory of a trace.
 *
 * The law of this folder (runtime.h) holds: no printing, no allocation, no lock.
 */
#include "runtime/shims/shim.h"

#include <liblever.h>

#define LIBLEVER_EXPORT __attribute__((visibility("default")))
#define LIBLEVER_NAMES 4096U /* a power of two */

/* The first hash has the entry. Threads that find its text missing write the same text. */
struct liblever_name {
	unsigned long long hash;
	unsigned int is_written;
	struct lever_site progress, begin, end;
	char text[LEVER_TRACE_NAME_BYTES];
};

static struct liblever_name names[LIBLEVER_NAMES];

static void name_write(struct liblever_name *name, const char *text)
{
	if (__atomic_load_n(&name->is_written, __ATOMIC_ACQUIRE))
		return;
	for (unsigned i = 0; i + 1 < LEVER_TRACE_NAME_BYTES && text[i]; i++)
		__atomic_store_n(&name->text[i], text[i], __ATOMIC_RELAXED);
	__atomic_store_n(&name->is_written, 1U, __ATOMIC_RELEASE);
}

LIBLEVER_EXPORT uint32_t lever_id(const char *name)
{
	unsigned long long hash, found;

	if (!name || !*name)
		return 0;
	hash = lever_name_hash(name, 0);
	for (unsigned probe = 0; probe < LIBLEVER_NAMES; probe++) {
		unsigned index = (unsigned)(hash + probe) % LIBLEVER_NAMES;
		found = 0;
		if (__atomic_compare_exchange_n(&names[index].hash, &found, hash, 0,
						__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) ||
		    found == hash) {
			name_write(&names[index], name);
			return index + 1;
		}
	}
	return 0;
}

/* NULL for numbers that lever_id has not given. */
static struct liblever_name *name_of(uint32_t id)
{
	if (id - 1 >= LIBLEVER_NAMES ||
	    !__atomic_load_n(&names[id - 1].is_written, __ATOMIC_ACQUIRE))
		return NULL;
	return &names[id - 1];
}

/* Apart, so that the functions below keep no registers while nothing listens. */
static __attribute__((noinline)) void visit(uint32_t id, unsigned kind, unsigned long long value)
{
	struct liblever_name *name = name_of(id);

	if (!name)
		return;
	switch (kind) {
	case LEVER_POINT_PROGRESS:
		(void)lever_visit_with(&name->progress, name->text, kind, value);
		break;
	case LEVER_POINT_BEGIN:
		(void)lever_visit_with(&name->begin, name->text, kind, value);
		break;
	case LEVER_POINT_END:
		(void)lever_visit_with(&name->end, name->text, kind, value);
		break;
	default:
		lever_mark(&name->progress, name->text, kind, value);
	}
}

LIBLEVER_EXPORT void lever_progress(uint32_t id)
{
	if (__builtin_expect(lever_listening() != 0, 0))
		visit(id, LEVER_POINT_PROGRESS, 0);
}

LIBLEVER_EXPORT void lever_begin(uint32_t id)
{
	if (__builtin_expect(lever_listening() != 0, 0))
		visit(id, LEVER_POINT_BEGIN, 0);
}

LIBLEVER_EXPORT void lever_end(uint32_t id)
{
	if (__builtin_expect(lever_listening() != 0, 0))
		visit(id, LEVER_POINT_END, 0);
}

LIBLEVER_EXPORT void lever_counter(uint32_t id, int64_t value)
{
	if (__builtin_expect(lever_listening() != 0, 0))
		visit(id, LEVER_MARK_COUNTER | LEVER_MARK_VALUE, (unsigned long long)value);
}

LIBLEVER_EXPORT void lever_instant(uint32_t id)
{
	if (__builtin_expect(lever_listening() != 0, 0))
		visit(id, LEVER_MARK_INSTANT, 0);
}

LIBLEVER_EXPORT const volatile uint32_t *lever_listening_word(void)
{
	return &lever_head->listening;
}
