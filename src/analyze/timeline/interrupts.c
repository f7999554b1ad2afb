/* SPDX-License-Identifier: BSD-2-Clause */
/* interrupts - matches entries and exits on each core, and adds them up. */
#include "analyze/timeline/interrupts.h"

#define CORES_MOST 4096
#define DEPTH_MOST 8

struct core {
	struct interrupts_slice open[DEPTH_MOST];
	unsigned depth;
};

struct walk {
	struct core *cores;
	void (*visit)(void *context, const struct interrupts_slice *slice);
	void *context;
};

static void count_slice(struct walk *walk, const struct interrupt_event *event)
{
	struct core *core = &walk->cores[event->cpu % CORES_MOST];
	unsigned at = core->depth;

	if (event->is_entry && core->depth < DEPTH_MOST) {
		core->open[core->depth] = (struct interrupts_slice){.start_ns = event->time_ns,
								    .cpu = event->cpu,
								    .number = event->number,
								    .depth = core->depth,
								    .tid = event->tid};
		core->depth++;
	}
	if (event->is_entry)
		return;
	while (at && core->open[at - 1].number != event->number)
		at--;
	if (!at) /* its entry was lost, or came before the recording */
		return;
	struct interrupts_slice *slice = &core->open[at - 1];
	core->depth = at - 1;
	slice->end_ns = event->time_ns > slice->start_ns ? event->time_ns : slice->start_ns;
	walk->visit(walk->context, slice);
}

void interrupts_walk(const struct timeline *timeline,
		     void (*visit)(void *context, const struct interrupts_slice *slice),
		     void *context)
{
	const struct recording *recording = timeline->recording;
	struct walk walk = {.visit = visit, .context = context};
	struct chunk_reader reader;
	struct interrupt_event event;

	walk.cores = memory_new(CORES_MOST, sizeof(*walk.cores));
	for (size_t i = 0; i < recording->chunks.count; i++) {
		const struct recording_chunk *chunk = &recording->chunks.items[i];
		if (!timeline->run || chunk->run_id != timeline->run->id ||
		    chunk->kind != CHUNK_INTERRUPTS ||
		    !chunk_open(&reader, chunk->data.items, chunk->data.count, chunk->start_ns))
			continue;
		while (chunk_next_interrupt(&reader, &event))
			count_slice(&walk, &event);
		chunk_close(&reader);
	}
	free(walk.cores);
}

/* ---- figures ---- */

/* Sums of one interrupt. */
struct sum {
	unsigned number;
	struct histogram histogram;
	ARRAY(uint64_t) by_cpu;
};

struct adder {
	struct interrupts *interrupts;
	ARRAY(struct sum) sums;
};

static struct sum *find_or_add_sum(struct adder *adder, unsigned number)
{
	for (size_t i = 0; i < adder->sums.count; i++)
		if (adder->sums.items[i].number == number)
			return &adder->sums.items[i];
	struct sum *sum = array_add(&adder->sums);
	sum->number = number;
	return sum;
}

static void add_to_core(struct interrupts *interrupts, unsigned cpu, uint64_t length_ns)
{
	for (size_t i = 0; i < interrupts->cores.count; i++)
		if (interrupts->cores.items[i].cpu == cpu) {
			interrupts->cores.items[i].total_ns += length_ns;
			return;
		}
	*array_add(&interrupts->cores) =
		(struct interrupts_core){.cpu = cpu, .total_ns = length_ns};
}

static void on_slice(void *context, const struct interrupts_slice *slice)
{
	struct adder *adder = context;
	struct sum *sum = find_or_add_sum(adder, slice->number);
	uint64_t length_ns = slice->end_ns - slice->start_ns;

	histogram_add(&sum->histogram, length_ns);
	while (sum->by_cpu.count <= slice->cpu % CORES_MOST)
		*array_add(&sum->by_cpu) = 0;
	sum->by_cpu.items[slice->cpu % CORES_MOST] += length_ns;
	if (!slice->depth)
		add_to_core(adder->interrupts, slice->cpu, length_ns);
}

static int by_total(const void *left, const void *right)
{
	const struct interrupts_row *a = left, *b = right;

	if (a->total_ns != b->total_ns)
		return a->total_ns > b->total_ns ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

static void add_row(struct interrupts *interrupts, struct sum *sum)
{
	struct interrupts_row *row = array_add(&interrupts->rows);

	row->number = sum->number;
	row->count = sum->histogram.count;
	row->total_ns = sum->histogram.total_ns;
	row->durations = percentiles_of(&sum->histogram);
	for (unsigned cpu = 0; cpu < sum->by_cpu.count; cpu++)
		if (sum->by_cpu.items[cpu] > sum->by_cpu.items[row->cpu])
			row->cpu = cpu;
}

struct interrupts *interrupts_new(const struct timeline *timeline)
{
	struct interrupts *interrupts = memory_new(1, sizeof(*interrupts));
	struct adder adder = {.interrupts = interrupts};

	interrupts_walk(timeline, on_slice, &adder);
	for (size_t i = 0; i < adder.sums.count; i++) {
		add_row(interrupts, &adder.sums.items[i]);
		histogram_release(&adder.sums.items[i].histogram);
		array_free(&adder.sums.items[i].by_cpu);
	}
	array_free(&adder.sums);
	if (interrupts->rows.count)
		qsort(interrupts->rows.items, interrupts->rows.count,
		      sizeof(*interrupts->rows.items), by_total);
	return interrupts;
}

void interrupts_free(struct interrupts *interrupts)
{
	if (!interrupts)
		return;
	array_free(&interrupts->rows);
	array_free(&interrupts->cores);
	free(interrupts);
}

uint64_t interrupts_of_core(const struct interrupts *interrupts, unsigned cpu)
{
	for (size_t i = 0; i < interrupts->cores.count; i++)
		if (interrupts->cores.items[i].cpu == cpu)
			return interrupts->cores.items[i].total_ns;
	return 0;
}

char *interrupts_name(const struct timeline *timeline, unsigned number)
{
	/* In the order of the kernel's vectors (include/linux/interrupt.h), unchanged since 4.6. */
	static const char *const soft[] = {"high", "timer",   "net send",  "net receive", "block",
					   "poll", "tasklet", "scheduler", "hrtimer",     "RCU"};
	static const char *const vectors[] = {"timer", "reschedule", "call", "call of one", "work"};
	unsigned index = number & ~(INTERRUPT_SOFT | INTERRUPT_VECTOR);

	if (number & INTERRUPT_SOFT)
		return index < sizeof(soft) / sizeof(*soft) ? text_format("soft: %s", soft[index]) :
							      text_format("soft %u", index);
	if (number & INTERRUPT_VECTOR)
		return index < sizeof(vectors) / sizeof(*vectors) ? text_copy(vectors[index]) :
								    text_format("vector %u", index);
	const char *name = timeline_name(timeline, (uint64_t)RECORDING_STRING_INTERRUPTS + index);
	return name[0] == '?' && !name[1] ? text_format("interrupt %u", index) :
					    text_format("%s (%u)", name, index);
}
