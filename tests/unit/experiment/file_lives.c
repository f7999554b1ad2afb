/* SPDX-License-Identifier: BSD-2-Clause */
/* file_lives - what is hidden, shown again and dropped, and when. */
#include "check.h"

#include "experiment/target/file_lives.h"

#include <string.h>

#define SECOND 1000000000ull

struct seen {
	bool removed[1024];
	unsigned hidden, shown, dropped, last_dropped;
};

static bool is_removed(void *context, uint32_t object)
{
	return ((struct seen *)context)->removed[object];
}

static void hide(void *context, const struct wire_file *file)
{
	(void)file;
	((struct seen *)context)->hidden++;
}

static void show(void *context, const struct wire_file *file, uint32_t object)
{
	(void)file, (void)object;
	((struct seen *)context)->shown++;
}

static void drop(void *context, uint32_t object)
{
	((struct seen *)context)->dropped++;
	((struct seen *)context)->last_dropped = object;
}

static void sweep(struct file_lives *lives, struct seen *seen, uint64_t second)
{
	const struct file_lives_actions actions = {seen, is_removed, hide, show, drop};

	file_lives_sweep(lives, second * SECOND, &actions);
}

static void begin(struct file_lives *lives, uint32_t object, size_t rows, uint64_t second)
{
	const struct wire_file file = {.inode = object + 1};

	file_lives_begin(lives, object, rows, second * SECOND);
	file_lives_name(lives, object, &file);
	file_lives_name(lives, object, &file);
}

TEST("a removed file that is not sampled is hidden, then dropped; one that is there stays")
{
	struct file_lives *lives = file_lives_new();
	struct seen seen = {.removed = {[3] = true}};

	begin(lives, 3, 10, 1);
	begin(lives, 4, 10, 1);
	sweep(lives, &seen, 20);
	CHECK_EQUAL(seen.hidden, 0);
	sweep(lives, &seen, 22);
	CHECK_EQUAL(seen.hidden, 1);
	sweep(lives, &seen, 36);
	CHECK_EQUAL(seen.dropped, 0);
	sweep(lives, &seen, 38);
	CHECK_EQUAL(seen.dropped, 1);
	CHECK_EQUAL(seen.last_dropped, 3);
	CHECK(!file_lives_has(lives, 3));
	CHECK(file_lives_has(lives, 4));
	sweep(lives, &seen, 1000);
	CHECK_EQUAL(seen.dropped, 1);
	begin(lives, 3, 10, 1000);
	CHECK(file_lives_has(lives, 3));
	file_lives_free(lives);
}

TEST("a hidden file with a sample is shown again")
{
	struct file_lives *lives = file_lives_new();
	struct seen seen = {.removed = {true}};

	begin(lives, 0, 10, 1);
	sweep(lives, &seen, 22);
	CHECK_EQUAL(seen.hidden, 1);
	file_lives_use(lives, 0, 30 * SECOND);
	sweep(lives, &seen, 31);
	CHECK_EQUAL(seen.shown, 1);
	sweep(lives, &seen, 45);
	CHECK_EQUAL(seen.hidden, 1);
	sweep(lives, &seen, 51);
	CHECK_EQUAL(seen.hidden, 2);
	CHECK_EQUAL(seen.dropped, 0);
	file_lives_free(lives);
}

TEST("of more files than there shall be, the least recently used are dropped")
{
	struct file_lives *lives = file_lives_new();
	struct seen seen = {0};

	for (uint32_t i = 0; i < FILE_LIVES_MOST + 2; i++)
		begin(lives, i, 1, 1);
	for (uint32_t i = 0; i < FILE_LIVES_MOST + 2; i++)
		file_lives_use(lives, i, (2 + i % 2) * SECOND - i);
	sweep(lives, &seen, 21);
	CHECK_EQUAL(seen.hidden, 0);
	sweep(lives, &seen, 40);
	CHECK_EQUAL(seen.hidden, 2);
	sweep(lives, &seen, 56);
	CHECK_EQUAL(seen.dropped, 2);
	CHECK(!file_lives_has(lives, FILE_LIVES_MOST));
	file_lives_free(lives);
}

TEST("files with more unwind rows than there is room for give way to others")
{
	struct file_lives *lives = file_lives_new();
	struct seen seen = {0};

	begin(lives, 0, FILE_LIVES_ROWS_MOST / 2, 1);
	begin(lives, 1, FILE_LIVES_ROWS_MOST / 2, 1);
	begin(lives, 2, FILE_LIVES_ROWS_MOST / 2, 30);
	file_lives_use(lives, 0, 5 * SECOND);
	sweep(lives, &seen, 31);
	CHECK_EQUAL(seen.hidden, 1);
	sweep(lives, &seen, 47);
	CHECK_EQUAL(seen.last_dropped, 1);
	CHECK_EQUAL(seen.dropped, 1);
	file_lives_free(lives);
}
