/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * samples - reads the ring of samples that the program writes. The program can write anything
 * there: records with numbers out of range are dropped, and counted as lost.
 */
#include "collect/runtime/engine.h"

#include "base/clock.h"

#define STALL_NS 200000000ull /* a record's writer was killed or stopped meanwhile */
#define WEIGHT_MOST_NS 100000000000ull
/* Other flags promise more than a sample holds, or are set by the kernel engine only. */
#define FLAGS_POSSIBLE                                                                             \
	(WIRE_SAMPLE_TARGET | WIRE_SAMPLE_NO_SCOPE | WIRE_SAMPLE_SPEEDUP | WIRE_SAMPLE_TRUNCATED | \
	 WIRE_SAMPLE_WAITING | WIRE_SAMPLE_CLASS_MASK << WIRE_SAMPLE_CLASS_SHIFT |                 \
	 WIRE_SAMPLE_CALLERS)

static bool object_is_possible(uint32_t object)
{
	return object < WIRE_OBJECTS_MOST || object == WIRE_OBJECT_NO_FILE;
}

static bool is_possible(const struct wire_sample *sample)
{
	return !(sample->flags & ~FLAGS_POSSIBLE) && object_is_possible(sample->leaf_object) &&
	       object_is_possible(sample->scope_object) && sample->weight_ns <= WEIGHT_MOST_NS;
}

static bool is_stalled(struct runtime_engine *runtime)
{
	uint64_t now = clock_now_ns();

	if (!runtime->stalled_ns)
		runtime->stalled_ns = now;
	return now - runtime->stalled_ns > STALL_NS;
}

static void send_callers(const struct collector_handler *handler,
			 const struct runtime_record *record)
{
	struct kernel_callers callers = {.kind = KERNEL_EVENT_CALLERS,
					 .tid = record->sample.tid,
					 .tgid = record->sample.tgid};

	for (; callers.count < RUNTIME_CALLERS_MOST; callers.count++) {
		uint64_t caller = record->callers[callers.count];
		if (!caller)
			break;
		callers.frames[callers.count].object = (uint32_t)(caller >> RUNTIME_CALLER_SHIFT);
		callers.frames[callers.count].offset =
			caller & ((1ull << RUNTIME_CALLER_SHIFT) - 1);
	}
	if (callers.count)
		handler->callers(handler->context, &callers);
}

int runtime_samples_read(struct runtime_engine *runtime, const struct collector_handler *handler)
{
	struct runtime_page *page = runtime->page;
	uint64_t tail = page->ring_tail, head = __atomic_load_n(&page->ring_head, __ATOMIC_ACQUIRE);
	int count = 0;

	if (head - tail > RUNTIME_RING_SLOTS) { /* only nonsense can do that */
		runtime->lost_records += RUNTIME_RING_SLOTS;
		tail = head;
	}
	for (; tail != head; tail++) {
		const struct runtime_record *record = &page->ring[tail & (RUNTIME_RING_SLOTS - 1)];
		bool is_complete = __atomic_load_n(&record->sequence, __ATOMIC_ACQUIRE) == tail + 1;
		if (!is_complete && !is_stalled(runtime))
			break;
		runtime->stalled_ns = 0;
		struct wire_sample sample = record->sample;
		if (!is_complete || !is_possible(&sample)) {
			runtime->lost_records++;
			continue;
		}
		sample.kind = KERNEL_EVENT_SAMPLE;
		sample.kernel_ip = 0;
		if (sample.flags & WIRE_SAMPLE_CALLERS && handler->callers)
			send_callers(handler, record);
		handler->sample(handler->context, &sample);
		count++;
	}
	__atomic_store_n(&page->ring_tail, tail, __ATOMIC_RELEASE);
	return count;
}
