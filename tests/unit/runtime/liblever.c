/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * liblever - liblever.so in one process: ids and counts. tests/kernel/bindings.py has the rest.
 */
#include <liblever.h>

#include "check.h"
#include "reader.h"

#include <errno.h>
#include <pthread.h>

#define THREADS 8
#define NAMES 64

static unsigned long long count_of(const char *name, int kind)
{
	return reader_visits(reader_own(), name, kind);
}

TEST("without a listener nothing is counted, and the word says so")
{
	CHECK_EQUAL(*lever_listening_word(), 0);
	lever_progress(lever_id("unheard"));
	CHECK_EQUAL(count_of("unheard", 1), 0);
}

TEST("a name has one id, other names have others, and no name has none")
{
	char name[] = "orders";

	CHECK(lever_id(name) > 0);
	CHECK_EQUAL(lever_id(name), lever_id("orders"));
	CHECK(lever_id("orders") != lever_id("order"));
	CHECK_EQUAL(lever_id(""), 0);
	CHECK_EQUAL(lever_id(NULL), 0);
}

TEST("progress, begin and end of a name are counted apart")
{
	uint32_t id = lever_id("work");

	reader_own()->names.listening = 1;
	CHECK_EQUAL(*lever_listening_word(), 1);
	errno = 7;
	for (int i = 0; i < 3; i++)
		lever_progress(id);
	lever_begin(id);
	lever_begin(id);
	lever_end(id);
	CHECK_EQUAL(errno, 7);
	CHECK_EQUAL(count_of("work", 1), 3);
	CHECK_EQUAL(count_of("work", 2), 2);
	CHECK_EQUAL(count_of("work", 3), 1);
}

TEST("marks of a timeline, and ids that were never given, count nothing")
{
	unsigned before = reader_own()->names.count;

	lever_counter(lever_id("curve"), -1);
	lever_instant(lever_id("moment"));
	lever_progress(0);
	lever_progress(4097);
	lever_progress(UINT32_MAX);
	lever_progress(lever_id("work") % 4096 + 1);
	CHECK_EQUAL(reader_own()->names.count, before);
}

static void *ids_take(void *ids)
{
	char name[24];

	for (int i = 0; i < NAMES; i++) {
		snprintf(name, sizeof(name), "parallel %d", i);
		((uint32_t *)ids)[i] = lever_id(name);
		lever_progress(lever_id("together"));
	}
	return NULL;
}

TEST("threads that ask at once get the same ids, and lose no visit")
{
	static uint32_t ids[THREADS][NAMES];
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		CHECK_EQUAL(pthread_create(&threads[i], NULL, ids_take, ids[i]), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 1; i < THREADS; i++)
		CHECK(!memcmp(ids[0], ids[i], sizeof(ids[0])));
	CHECK_EQUAL(count_of("together", 1), THREADS * NAMES);
}

TEST("the table of names ends")
{
	char name[24];
	uint32_t last = 1;

	for (int i = 0; i < 5000 && last; i++) {
		snprintf(name, sizeof(name), "name %d", i);
		last = lever_id(name);
	}
	CHECK_EQUAL(last, 0);
	CHECK(lever_id("work") > 0);
	lever_progress(last);
}
