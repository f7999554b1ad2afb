/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * memory - what programs can write into while it is read: the runtime engine's page, and the rings
 * of annotations.
 *
 * A case is a list of writes: where (4 bytes), how much (1 byte), bytes. The first byte chooses
 * which memory.
 */
#include "fuzz.h"

#include "base/memory.h"
#include "collect/collector.h"
#include "collect/trace/annotation_reader.h"
#include "wire/annotations.h"
#include "wire/runtime.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define RING_RECORDS 64
#define RECORDS_READ 256 /* of the page's ring */

static void scribble(uint8_t *place, size_t place_size, const uint8_t *bytes, size_t size)
{
	while (size > 5) {
		uint32_t at;
		memcpy(&at, bytes, sizeof(at));
		size_t count = bytes[4];
		bytes += 5;
		size -= 5;
		count = count < size ? count : size;
		at %= place_size - 256;
		memcpy(place + at, bytes, count);
		bytes += count;
		size -= count;
	}
}

static void *map(const char *path, size_t size)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (fd < 0 || memory == MAP_FAILED)
		abort();
	close(fd);
	return memory;
}

static void on_sample(void *context, const struct wire_sample *sample)
{
	(void)context;
	if (sample->leaf_object >= WIRE_OBJECTS_MOST && sample->leaf_object != WIRE_OBJECT_NO_FILE)
		abort(); /* the engine's arrays are as long */
}

static void on_process(void *context, const struct kernel_process_event *event)
{
	(void)context;
	if (!event->tgid || event->tgid > INT32_MAX)
		abort();
}

static void on_object(void *context, const struct kernel_object_event *event)
{
	(void)context;
	if (event->tgid > INT32_MAX)
		abort();
}

static void read_page(struct collector *collector)
{
	const struct collector_handler handler = {.sample = on_sample,
						  .object = on_object,
						  .process = on_process};
	struct collector_counters counters;

	collector_drain(collector, &handler);
	collector_counters(collector, &counters);
	collector_window_open(collector);
	collector_drain(collector, &handler);
	collector_window_close(collector);
	for (unsigned i = 0; i < collector_point_count(collector); i++)
		if (!memchr(collector_point(collector, i)->name, 0,
			    sizeof(collector_point(collector, i)->name)))
			abort();
	for (unsigned i = 0; i < 2 * WIRE_POINTS_MOST; i++)
		collector_window_visits(collector, i);
	for (unsigned i = 0; i < 2 * WIRE_PAIRS_MOST; i++)
		collector_pair_average(collector, i);
	free(collector_note(collector));
}

static void fuzz_page(const uint8_t *bytes, size_t size)
{
	const struct collector_options options = {.engine = COLLECTOR_RUNTIME,
						  .runtime_library = "/nowhere/liblever-runtime.so",
						  .period_ns = 1000000};
	struct collector *collector;
	struct runtime_page *page = NULL;

	if (collector_open(&options, &collector, NULL))
		abort();
	for (const char *const *entry = collector_environment(collector); *entry; entry++)
		if (!strncmp(*entry, RUNTIME_VARIABLE "=", sizeof(RUNTIME_VARIABLE)))
			page = map(*entry + sizeof(RUNTIME_VARIABLE), sizeof(*page));
	for (uint64_t i = 0; page && i < RECORDS_READ; i++)
		page->ring[i].sequence = i + 1;
	if (page) {
		size_t begin = offsetof(struct runtime_page, delay_ns);
		page->ring_head = size % RECORDS_READ;
		scribble((uint8_t *)page + begin,
			 offsetof(struct runtime_page, ring[RECORDS_READ]) - begin, bytes,
			 size / 2);
		scribble((uint8_t *)page->processes, 2 * sizeof(*page->processes), bytes + size / 2,
			 size - size / 2);
		read_page(collector);
		munmap(page, sizeof(*page));
	}
	collector_close(collector);
}

static void on_batch(void *context, const struct annotation_batch *batch)
{
	struct annotation_reader *reader = context;

	for (size_t i = 0; i < batch->count; i++)
		free(annotation_reader_string_copy(reader, batch->items[i].word));
}

static void fuzz_rings(const uint8_t *bytes, size_t size)
{
	struct annotation_reader *reader;
	struct annotation_reader_counters counters;

	if (annotation_reader_open(RING_RECORDS, size & 1, &reader, NULL))
		abort();
	const struct annotation_handler handler = {.context = reader, .batch = on_batch};
	size_t ring =
		sizeof(struct annotations_ring) + RING_RECORDS * sizeof(struct annotations_record);
	size_t all = sizeof(struct annotations) + 2 * ring;
	uint8_t *memory = map(annotation_reader_path(reader), all);
	struct annotations_ring *first = (void *)(memory + sizeof(struct annotations));
	first->owner = (uint64_t)getpid() << 32 | (unsigned)getpid();
	first->head = size % (2 * RING_RECORDS);
	scribble(memory + all - 2 * ring, 2 * ring, bytes, size / 2);
	scribble(memory, sizeof(struct annotations), bytes + size / 2, size - size / 2);
	annotation_reader_drain(reader, false, &handler);
	annotation_reader_drain(reader, true, &handler);
	annotation_reader_counters(reader, &counters);
	munmap(memory, all);
	annotation_reader_close(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	if (size < 2)
		return 0;
	if (bytes[0] & 1)
		fuzz_page(bytes + 1, size - 1);
	else
		fuzz_rings(bytes + 1, size - 1);
	return 0;
}
