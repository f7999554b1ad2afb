/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * runtime_page - the runtime engine reads a page that the program can write to. Here a program
 * writes nonsense into it: what comes out must be counted or dropped, and nothing may crash (the
 * same test runs under the sanitizers).
 */
#include "check.h"

#include "collect/collector.h"
#include "wire/runtime.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

static struct collector *collector;
static struct runtime_page *page;
static unsigned samples, impossible, objects, processes;

static bool open_engine(void)
{
	const struct collector_options options = {.engine = COLLECTOR_RUNTIME,
						  .runtime_library = "/nowhere/liblever-runtime.so",
						  .period_ns = 1000000};
	struct error error = {0};

	if (collector_open(&options, &collector, &error))
		return false;
	for (const char *const *entry = collector_environment(collector); *entry; entry++) {
		if (strncmp(*entry, RUNTIME_VARIABLE "=", sizeof(RUNTIME_VARIABLE)))
			continue;
		int fd = open(*entry + sizeof(RUNTIME_VARIABLE), O_RDWR | O_CLOEXEC);
		page = mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		close(fd);
	}
	return page && page != MAP_FAILED;
}

static void close_engine(void)
{
	munmap(page, sizeof(*page));
	collector_close(collector);
	page = NULL;
}

static void on_sample(void *context, const struct wire_sample *sample)
{
	(void)context;
	samples++;
	impossible += sample->kind != KERNEL_EVENT_SAMPLE || sample->kernel_ip ||
		      sample->flags & (WIRE_SAMPLE_CHAIN | WIRE_SAMPLE_IN_KERNEL) ||
		      (sample->leaf_object >= WIRE_OBJECTS_MOST &&
		       sample->leaf_object != WIRE_OBJECT_NO_FILE);
}

static void on_object(void *context, const struct kernel_object_event *event)
{
	(void)context;
	objects += event->kind == KERNEL_EVENT_OBJECT;
}

static void on_process(void *context, const struct kernel_process_event *event)
{
	(void)context;
	(void)event;
	processes++;
}

static const struct collector_handler handler = {.sample = on_sample,
						 .object = on_object,
						 .process = on_process};

static void scribble(void *place, size_t size)
{
	unsigned char *bytes = place;

	for (size_t i = 0; i < size; i++)
		if (random() & 1)
			bytes[i] = (unsigned char)(random() % 5 ? 0 : random());
}

/* All that the engine reads. */
static void read_all(void)
{
	struct collector_counters counters;

	collector_drain(collector, &handler);
	collector_counters(collector, &counters);
	collector_window_open(collector);
	collector_drain(collector, &handler);
	collector_window_close(collector);
	for (unsigned i = 0; i < collector_point_count(collector); i++)
		strnlen(collector_point(collector, i)->name, sizeof(page->points[i].name));
	for (unsigned i = 0; i < 2 * WIRE_POINTS_MOST; i++)
		collector_window_visits(collector, i);
	for (unsigned i = 0; i < 2 * WIRE_PAIRS_MOST; i++)
		collector_pair_average(collector, i);
	free(collector_note(collector));
}

TEST("the page is where the environment says, and of the version that the library expects")
{
	CHECK(open_engine());
	CHECK_EQUAL(page->magic, RUNTIME_MAGIC);
	CHECK_EQUAL(page->version, RUNTIME_VERSION);
	CHECK_EQUAL(page->size_bytes, sizeof(*page));
	close_engine();
}

TEST("samples are taken as they are; what cannot be is counted as lost")
{
	struct collector_counters counters;

	CHECK(open_engine());
	samples = 0;
	for (uint32_t i = 0; i < 5; i++) {
		page->ring[i].sample = (struct wire_sample){.weight_ns = 1000, .leaf_object = 1};
		page->ring[i].sequence = i + 1;
	}
	page->ring[1].sample.flags = WIRE_SAMPLE_CHAIN;
	page->ring[2].sample.leaf_object = WIRE_OBJECTS_MOST;
	page->ring[3].sample.weight_ns = ~0ull;
	page->ring_head = 5;
	collector_drain(collector, &handler);
	collector_counters(collector, &counters);
	CHECK_EQUAL(samples, 2);
	CHECK_EQUAL(counters.lost, 3);
	close_engine();
}

TEST("a page of nonsense makes no sample that cannot be, and nothing crashes")
{
	CHECK(open_engine());
	srandom(7);
	impossible = 0;
	for (int round = 0; round < 300; round++) {
		scribble((char *)page + offsetof(struct runtime_page, delay_ns),
			 offsetof(struct runtime_page, ring) -
				 offsetof(struct runtime_page, delay_ns));
		scribble(page->ring, 512 * sizeof(*page->ring));
		scribble(page->processes, sizeof(*page->processes));
		page->ring_head = page->ring_tail + (uint64_t)(random() % 512);
		for (uint64_t i = page->ring_tail; i != page->ring_head; i++)
			if (random() & 3)
				page->ring[i & (RUNTIME_RING_SLOTS - 1)].sequence = i + 1;
		page->processes_used = random() & 1 ? 2 : (uint32_t)random();
		page->processes[0].pid = random() & 1 ? (uint32_t)getpid() : (uint32_t)random();
		read_all();
	}
	CHECK_EQUAL(impossible, 0);
	close_engine();
}

TEST("a process that says it is this one gets the mappings of this one, in order")
{
	CHECK(open_engine());
	page->processes[0].pid = (uint32_t)getpid();
	page->processes[0].image = 1;
	page->processes[0].wants = 1;
	page->processes_used = 1;
	objects = 0;
	collector_drain(collector, &handler);
	const struct runtime_process *process = &page->processes[0];
	CHECK_EQUAL(process->mapped_image, 1);
	CHECK(process->mapping_count > 1 && objects > 1);
	for (uint32_t i = 1; i < process->mapping_count; i++)
		CHECK(process->mappings[i].start >= process->mappings[i - 1].end);
	CHECK_EQUAL(process->sequence % 2, 0);
	close_engine();
}
