/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * point_listening - finds the points' page in a process's memory, and writes to it by
 * /proc/PID/mem.
 */
#include "experiment/progress/point_listening.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/memory.h"
#include "wire/points.h"

#include <fcntl.h>
#include <stddef.h>
#include <unistd.h>

#define TRIES 4
#define TRY_EVERY_NS 200000000ull
#define CLEAR_EVERY_NS 1500000000ull
#define CLEAR_TIMES 12

/* A process whose page of points may appear yet. */
struct attempt {
	pid_t pid;
	unsigned tries;
	uint64_t next_ns;
};

struct page {
	int memory; /* /proc/PID/mem: of this address space, also when the id has another owner */
	off_t address;
	unsigned cleared; /* times */
	uint64_t next_ns;
};

struct point_listening {
	ARRAY(struct attempt) attempts;
	ARRAY(struct page) pages;
	unsigned value; /* POINTS_LISTEN_* */
	unsigned left_out;
};

struct point_listening *point_listening_new(bool needs_spans)
{
	struct point_listening *listening = memory_new(1, sizeof(*listening));
	listening->value = POINTS_LISTEN_COUNT | (needs_spans ? POINTS_LISTEN_SPANS : 0);
	return listening;
}

static bool points_are_at(int memory, off_t address, bool *is_listening)
{
	struct points_names head;
	size_t size = offsetof(struct points_names, generation);

	if (pread(memory, &head, size, address) != (ssize_t)size || head.magic != POINTS_MAGIC ||
	    head.version != POINTS_VERSION)
		return false;
	*is_listening = head.listening;
	return true;
}

static bool set_listening(int memory, off_t address, unsigned value)
{
	off_t at = address + (off_t)offsetof(struct points_names, listening);
	return pwrite(memory, &value, sizeof(value), at) == (ssize_t)sizeof(value);
}

/* Where the stacks of open spans are; 0 if there are none. */
static off_t opens_of(int memory, off_t address)
{
	unsigned long long opens = 0;
	off_t at = address + (off_t)offsetof(struct points_names, opens);
	return pread(memory, &opens, sizeof(opens), at) == (ssize_t)sizeof(opens) ? (off_t)opens :
										    0;
}

/* Spans that began while an earlier lever listened, and ended while none did. */
static void clear_open_spans(int memory, off_t address)
{
	off_t opens = opens_of(memory, address);
	struct points_open open;
	unsigned none = 0;

	for (size_t i = 0; opens && i < POINTS_OPENS; i++) {
		off_t at = opens + (off_t)(offsetof(struct points_opens, threads) +
					   i * sizeof(struct points_open));
		if (pread(memory, &open, sizeof(open), at) != (ssize_t)sizeof(open))
			return;
		at += (off_t)offsetof(struct points_open, depth);
		if (open.depth && pwrite(memory, &none, sizeof(none), at) != (ssize_t)sizeof(none))
			return;
	}
}

/*
 * The end of a span that began before lever listened looks like a span that ends in another thread.
 * So these marks are cleared some times at first; spans that do end elsewhere are marked again
 * soon.
 */
static void clear_crossing(struct page *page, uint64_t now)
{
	static const unsigned char none[POINTS_MOST];

	if (page->cleared >= CLEAR_TIMES || now < page->next_ns)
		return;
	off_t opens = opens_of(page->memory, page->address);
	page->cleared++;
	page->next_ns = now + CLEAR_EVERY_NS;
	if (opens && pwrite(page->memory, none, sizeof(none),
			    opens + (off_t)offsetof(struct points_opens, crossing)) < 0)
		page->cleared = CLEAR_TIMES; /* the process has gone */
}

/* Returns whether there is nothing more to do for this process. */
static bool listen_to(struct point_listening *listening, pid_t pid)
{
	static const off_t addresses[] = {(off_t)POINTS_ADDRESS, (off_t)POINTS_ADDRESS_OTHER};
	AUTO(text) char *path = text_format("/proc/%d/mem", (int)pid);
	AUTO(fd) int memory = open(path, O_RDWR | O_CLOEXEC);

	if (memory < 0)
		return true;
	for (size_t i = 0; i < sizeof(addresses) / sizeof(*addresses); i++) {
		bool is_listening;
		if (!points_are_at(memory, addresses[i], &is_listening))
			continue;
		if (is_listening)
			return true;
		if (listening->pages.count >= POINT_LISTENING_MOST) {
			listening->left_out++;
			return true;
		}
		if (listening->value & POINTS_LISTEN_SPANS)
			clear_open_spans(memory, addresses[i]);
		if (!set_listening(memory, addresses[i], listening->value))
			return true;
		*array_add(&listening->pages) =
			(struct page){.memory = memory,
				      .address = addresses[i],
				      .next_ns = clock_now_ns() + CLEAR_EVERY_NS};
		memory = -1;
		return true;
	}
	return false;
}

void point_listening_add_now(struct point_listening *listening, pid_t pid)
{
	listen_to(listening, pid);
}

void point_listening_add(struct point_listening *listening, pid_t pid)
{
	if (!listen_to(listening, pid))
		*array_add(&listening->attempts) =
			(struct attempt){.pid = pid, .next_ns = clock_now_ns() + TRY_EVERY_NS};
}

static void retry(struct point_listening *listening, uint64_t now)
{
	size_t kept = 0;

	for (size_t i = 0; i < listening->attempts.count; i++) {
		struct attempt attempt = listening->attempts.items[i];
		if (now >= attempt.next_ns) {
			attempt.next_ns = now + TRY_EVERY_NS;
			if (++attempt.tries > TRIES || listen_to(listening, attempt.pid))
				continue;
		}
		listening->attempts.items[kept++] = attempt;
	}
	listening->attempts.count = kept;
}

void point_listening_refresh(struct point_listening *listening)
{
	uint64_t now = clock_now_ns();

	retry(listening, now);
	for (size_t i = 0; listening->value & POINTS_LISTEN_SPANS && i < listening->pages.count;
	     i++)
		clear_crossing(&listening->pages.items[i], now);
}

unsigned point_listening_left_out(const struct point_listening *listening)
{
	return listening->left_out;
}

void point_listening_free(struct point_listening *listening)
{
	if (!listening)
		return;
	for (size_t i = 0; i < listening->pages.count; i++) {
		const struct page *page = &listening->pages.items[i];
		bool is_listening;
		if (points_are_at(page->memory, page->address, &is_listening))
			set_listening(page->memory, page->address, 0);
		close(page->memory);
	}
	array_free(&listening->pages);
	array_free(&listening->attempts);
	free(listening);
}
