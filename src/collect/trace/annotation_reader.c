/* SPDX-License-Identifier: BSD-2-Clause */
/* annotation_reader - a memfd with a ring for each thread; reads the finished records. */
#include "collect/trace/annotation_reader.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/memory.h"
#include "collect/trace/cycle_counter.h"
#include "wire/annotations.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BATCH_MOST 4096
#define UNFINISHED_TIMEOUT_NS 2000000000ull
#define ENDED_CHECK_NS 50000000ull

struct ring_cursor {
	uint64_t tail, dropped; /* dropped: overwritten ones, too */
	uint64_t overwritten;
	uint64_t stuck_at, stuck_since_ns; /* at an unfinished slot */
	uint64_t last_ns;                  /* of the last mark: a thread's time does not go back */
	uint64_t checked_ns;               /* whether the owner lives */
};

struct annotation_reader {
	int file;
	struct annotations *memory; /* mapped */
	size_t bytes, ring_bytes, ring_records;
	char *environment;
	bool overwrites, has_ticks;
	struct cycle_counter ticks;
	struct ring_cursor cursors[ANNOTATIONS_RINGS_MOST];
	struct annotation batch[BATCH_MOST];
	uint64_t positions[BATCH_MOST]; /* of each in the batch: where it was in its ring */
	uint64_t unfinished, malformed, overwritten;
};

static struct annotations_ring *ring_at(const struct annotation_reader *reader, unsigned index)
{
	return (struct annotations_ring *)((char *)reader->memory + sizeof(*reader->memory) +
					   index * reader->ring_bytes);
}

static void init_rings(struct annotation_reader *reader)
{
	struct annotations_head *head = &reader->memory->head;

	for (unsigned i = 0; i < ANNOTATIONS_RINGS_MOST; i++) {
		struct annotations_ring *ring = ring_at(reader, i);
		ring->mask = (unsigned)reader->ring_records - 1;
		ring->room = reader->overwrites ?
				     ANNOTATIONS_ROOM_ANY :
				     (unsigned)reader->ring_records - ANNOTATIONS_MARGIN;
		ring->clock = !reader->has_ticks;
	}
	head->version = ANNOTATIONS_VERSION;
	head->rings = ANNOTATIONS_RINGS_MOST;
	head->ring_bytes = (unsigned)reader->ring_bytes;
	head->bytes = reader->bytes;
	__atomic_store_n(&head->magic, ANNOTATIONS_MAGIC, __ATOMIC_RELEASE);
}

int annotation_reader_open(size_t ring_records, bool overwrites, struct annotation_reader **reader,
			   struct error *error)
{
	struct annotation_reader *opened = memory_new(1, sizeof(*opened));

	opened->overwrites = overwrites;
	opened->ring_records = ring_records;
	opened->ring_bytes =
		sizeof(struct annotations_ring) + ring_records * sizeof(struct annotations_record);
	opened->bytes = sizeof(struct annotations) + ANNOTATIONS_RINGS_MOST * opened->ring_bytes;
	opened->file = memfd_create("lever-trace", MFD_CLOEXEC);
	void *memory = MAP_FAILED;
	if (opened->file >= 0 && !ftruncate(opened->file, (off_t)opened->bytes))
		memory = mmap(NULL, opened->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, opened->file,
			      0);
	if (memory == MAP_FAILED) {
		int code = error_set(error, errno,
				     "cannot make %zu MB of memory for annotations: %s; choose a "
				     "smaller --buffer",
				     opened->bytes >> 20, strerror(errno));
		annotation_reader_close(opened);
		return code;
	}
	opened->memory = memory;
	opened->has_ticks = cycle_counter_is_usable();
	if (opened->has_ticks)
		cycle_counter_begin(&opened->ticks);
	init_rings(opened);
	opened->environment =
		text_format("LEVER_TRACE=/proc/%d/fd/%d", (int)getpid(), opened->file);
	*reader = opened;
	return 0;
}

/* Threads that still write stop at this. */
static void end_rings(struct annotation_reader *reader)
{
	for (unsigned i = 0; i < ANNOTATIONS_RINGS_MOST; i++) {
		struct annotations_ring *ring = ring_at(reader, i);
		if (!__atomic_load_n(&ring->owner, __ATOMIC_ACQUIRE))
			continue;
		__atomic_store_n(&ring->is_over, 1, __ATOMIC_RELEASE);
		__atomic_store_n(&ring->tail, 0, __ATOMIC_RELEASE);
		__atomic_store_n(&ring->tail_seen, 0, __ATOMIC_RELEASE);
		__atomic_store_n(&ring->room, 0, __ATOMIC_RELEASE);
	}
}

void annotation_reader_close(struct annotation_reader *reader)
{
	if (!reader)
		return;
	if (reader->memory)
		end_rings(reader);
	if (reader->memory)
		munmap(reader->memory, reader->bytes);
	if (reader->file >= 0)
		close(reader->file);
	free(reader->environment);
	free(reader);
}

const char *annotation_reader_environment(const struct annotation_reader *reader)
{
	return reader->environment;
}

const char *annotation_reader_path(const struct annotation_reader *reader)
{
	return strchr(reader->environment, '=') + 1;
}

bool annotation_reader_merge_strings(struct annotation_reader *reader,
				     const struct annotations_name *words)
{
	for (unsigned i = 0; i < ANNOTATIONS_NAMES; i++) {
		struct annotations_name *ours = &reader->memory->names[i];
		unsigned long long found = 0;
		if (!words[i].hash)
			continue;
		if (!__atomic_compare_exchange_n(&ours->hash, &found, words[i].hash, false,
						 __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) &&
		    found != words[i].hash)
			return false;
		if (__atomic_load_n(&ours->is_written, __ATOMIC_ACQUIRE) || !words[i].is_written)
			continue;
		memcpy(ours->text, words[i].text, sizeof(ours->text));
		ours->text[sizeof(ours->text) - 1] = 0;
		__atomic_store_n(&ours->is_written, 1, __ATOMIC_RELEASE);
	}
	return true;
}

/* ---- reading a ring ---- */

struct slot {
	const struct annotations_record *record;
	uint64_t time, word;
	bool is_finished;
};

static struct slot slot_at(const struct annotation_reader *reader,
			   const struct annotations_ring *ring, uint64_t at)
{
	const struct annotations_record *records = (const struct annotations_record *)(ring + 1);
	struct slot slot = {.record = &records[at & (reader->ring_records - 1)]};

	slot.word = __atomic_load_n(&slot.record->word, __ATOMIC_ACQUIRE);
	slot.time = __atomic_load_n(&slot.record->time, __ATOMIC_RELAXED);
	slot.is_finished = (slot.word & 1) == !(at & reader->ring_records);
	return slot;
}

static uint64_t time_of(const struct annotation_reader *reader, struct ring_cursor *ring_cursor,
			uint64_t time, uint64_t now)
{
	uint64_t ns = reader->has_ticks ? cycle_counter_to_ns(&reader->ticks, time) : time;

	if (ns > now)
		ns = now;
	if (ns < ring_cursor->last_ns)
		ns = ring_cursor->last_ns;
	ring_cursor->last_ns = ns;
	return ns;
}

/*
 * How many records the mark takes: 1 or 2; 0 if it is not finished yet, -1 if it is none. Its time
 * is as the program read it.
 */
static int read_mark(struct annotation_reader *reader, const struct annotations_ring *ring,
		     struct ring_cursor *ring_cursor, uint64_t head, struct annotation *mark)
{
	struct slot slot = slot_at(reader, ring, ring_cursor->tail);
	unsigned what = (unsigned)(slot.word >> 1) & 127, kind = what & ANNOTATION_KINDS;
	struct slot next = {0};

	if (!slot.is_finished)
		return 0;
	mark->kind = (unsigned char)kind;
	mark->word = (unsigned)(slot.word >> 16) & 0xffff;
	mark->value = slot.word >> 32;
	mark->has_value = what & (ANNOTATION_VALUE | ANNOTATION_TEXT);
	mark->is_text = what & ANNOTATION_TEXT;
	if (what & ANNOTATION_WIDE) {
		if (ring_cursor->tail + 1 >= head)
			return 0;
		next = slot_at(reader, ring, ring_cursor->tail + 1);
		if (!next.is_finished)
			return 0;
		mark->value = next.time;
	}
	if (!kind || kind > ANNOTATION_PROCESS_NAME || mark->word >= ANNOTATIONS_NAMES ||
	    (mark->is_text && mark->value > ANNOTATIONS_NAMES))
		return -1;
	mark->time_ns = slot.time;
	return what & ANNOTATION_WIDE ? 2 : 1;
}

/* Whether to wait no longer for the unfinished slot. */
static bool has_timed_out(struct ring_cursor *ring_cursor, uint64_t now, bool is_over)
{
	if (ring_cursor->stuck_at != ring_cursor->tail || !ring_cursor->stuck_since_ns) {
		ring_cursor->stuck_at = ring_cursor->tail;
		ring_cursor->stuck_since_ns = now;
	}
	return is_over || now - ring_cursor->stuck_since_ns > UNFINISHED_TIMEOUT_NS;
}

/*
 * Where newer marks overwrite old ones, those that were not read in time are skipped. The writer
 * raises `head` before it fills a slot, so a slot was whole when it was read if, looked at
 * afterwards, head was not a whole ring ahead of it.
 */
static uint64_t first_intact(const struct annotation_reader *reader,
			     const struct annotations_ring *ring)
{
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	uint64_t head = __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE);
	return head > reader->ring_records ? head - reader->ring_records : 0;
}

#define KIND_MALFORMED 0
#define KIND_UNFINISHED 255

/* Fills the batch with whatever is there; returns how many. */
static size_t read_slots(struct annotation_reader *reader, const struct annotations_ring *ring,
			 struct ring_cursor *ring_cursor, bool is_over, uint64_t now)
{
	uint64_t head = __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE);
	size_t count = 0;

	while (ring_cursor->tail < head && count < BATCH_MOST) {
		struct annotation *mark = &reader->batch[count];
		int taken = read_mark(reader, ring, ring_cursor, head, mark);
		if (!taken && !has_timed_out(ring_cursor, now, is_over))
			break;
		if (taken <= 0)
			mark->kind = taken ? KIND_MALFORMED : KIND_UNFINISHED;
		reader->positions[count++] = ring_cursor->tail;
		ring_cursor->tail += taken > 0 ? (uint64_t)taken : 1;
	}
	return count;
}

/* Skips lost records: all of them if the program has written nonsense over the head. */
static void skip_lost(struct annotation_reader *reader, const struct annotations_ring *ring,
		      struct ring_cursor *ring_cursor)
{
	uint64_t head = __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE);

	if (head - ring_cursor->tail <= reader->ring_records)
		return;
	if (reader->overwrites && head > ring_cursor->tail) {
		uint64_t first = head - reader->ring_records + ANNOTATIONS_MARGIN;
		ring_cursor->overwritten += first - ring_cursor->tail;
		ring_cursor->tail = first;
		return;
	}
	reader->malformed += head - ring_cursor->tail;
	ring_cursor->tail = head;
}

/* Fills the batch; returns how many marks. `is_over`: the thread writes no more. */
static size_t read_ring(struct annotation_reader *reader, struct annotations_ring *ring,
			struct ring_cursor *ring_cursor, bool is_over, uint64_t now, size_t *marks)
{
	skip_lost(reader, ring, ring_cursor);
	size_t count = read_slots(reader, ring, ring_cursor, is_over, now), kept = 0;
	uint64_t whole = reader->overwrites ? first_intact(reader, ring) : 0;

	for (size_t i = 0; i < count; i++) {
		struct annotation *mark = &reader->batch[i];
		if (reader->positions[i] < whole) {
			ring_cursor->overwritten++;
			continue;
		}
		reader->unfinished += mark->kind == KIND_UNFINISHED;
		reader->malformed += mark->kind == KIND_MALFORMED;
		if (mark->kind == KIND_UNFINISHED || mark->kind == KIND_MALFORMED)
			continue;
		mark->time_ns = time_of(reader, ring_cursor, mark->time_ns, now);
		reader->batch[kept++] = *mark;
	}
	__atomic_store_n(&ring->tail, ring_cursor->tail, __ATOMIC_RELEASE);
	*marks = kept;
	return count;
}

static bool has_ended(const struct annotations_ring *ring, struct ring_cursor *ring_cursor,
		      uint64_t owner, uint64_t now)
{
	if (__atomic_load_n(&ring->is_left, __ATOMIC_ACQUIRE))
		return true;
	if (now - ring_cursor->checked_ns < ENDED_CHECK_NS)
		return false;
	ring_cursor->checked_ns = now;
	return syscall(SYS_tgkill, (int)(owner >> 32), (int)(uint32_t)owner, 0) && errno == ESRCH;
}

/* Empties one ring, and frees it if its thread has ended. */
static void drain_ring(struct annotation_reader *reader, unsigned index, bool is_last,
		       const struct annotation_handler *handler)
{
	struct annotations_ring *ring = ring_at(reader, index);
	struct ring_cursor *ring_cursor = &reader->cursors[index];
	uint64_t owner = __atomic_load_n(&ring->owner, __ATOMIC_ACQUIRE), now = clock_now_ns();
	struct annotation_batch batch = {.items = reader->batch};

	if (!owner)
		return;
	/* Checked before the ring is read: an ended thread has written everything. */
	bool is_over = is_last || has_ended(ring, ring_cursor, owner, now);
	batch.pid = (unsigned)(owner >> 32);
	batch.tid = (unsigned)owner;
	size_t read;
	do {
		read = read_ring(reader, ring, ring_cursor, is_over, now, &batch.count);
		uint64_t dropped = __atomic_load_n(&ring->dropped, __ATOMIC_RELAXED) +
				   ring_cursor->overwritten;
		batch.dropped = dropped - ring_cursor->dropped;
		ring_cursor->dropped = dropped;
		if (batch.count || batch.dropped)
			handler->batch(handler->context, &batch);
	} while (read == BATCH_MOST);
	if (!is_over || is_last)
		return;
	ring_cursor->last_ns = 0;
	ring->is_left = 0;
	__atomic_compare_exchange_n(&ring->owner, &owner, 0, false, __ATOMIC_ACQ_REL,
				    __ATOMIC_RELAXED);
}

void annotation_reader_drain(struct annotation_reader *reader, bool is_last,
			     const struct annotation_handler *handler)
{
	if (reader->has_ticks)
		cycle_counter_compare(&reader->ticks);
	for (unsigned i = 0; i < ANNOTATIONS_RINGS_MOST; i++)
		drain_ring(reader, i, is_last, handler);
}

char *annotation_reader_string_copy(const struct annotation_reader *reader, unsigned index)
{
	char text[ANNOTATIONS_NAME_BYTES];

	if (index >= ANNOTATIONS_NAMES)
		return NULL;
	const struct annotations_name *word = &reader->memory->names[index];
	if (!__atomic_load_n(&word->is_written, __ATOMIC_ACQUIRE))
		return NULL;
	memcpy(text, word->text, sizeof(text));
	text[sizeof(text) - 1] = 0;
	return text_copy(text);
}

void annotation_reader_counters(const struct annotation_reader *reader,
				struct annotation_reader_counters *counters)
{
	memset(counters, 0, sizeof(*counters));
	counters->unfinished = reader->unfinished;
	counters->malformed = reader->malformed;
	counters->without_ring =
		__atomic_load_n(&reader->memory->head.without_ring, __ATOMIC_RELAXED);
	counters->without_name =
		__atomic_load_n(&reader->memory->head.without_name, __ATOMIC_RELAXED);
	for (unsigned i = 0; i < ANNOTATIONS_RINGS_MOST; i++) {
		counters->dropped += reader->cursors[i].dropped;
		counters->overwritten += reader->cursors[i].overwritten;
	}
}
