/* SPDX-License-Identifier: BSD-2-Clause */
/* perf_rings - opening the events, and sorting what their rings hold. */
#include "collect/perf/rings.h"

#include "base/clock.h"
#include "base/cores.h"
#include "base/memory.h"

#include <asm/perf_regs.h>
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define RING_BYTES (512u * 1024) /* what a user may lock, of each core, without further rights */
#define STACK_BYTES 8192u        /* 1 KB would hold the call site of three waits in four only */

struct ring {
	int event; /* the first on this core; -1: the core is offline */
	struct perf_event_mmap_page *page;
	size_t bytes; /* of data; 0: not mapped */
};

struct pending {
	uint64_t time_ns, order;
	size_t at; /* in bytes */
};

struct perf_rings {
	struct perf_event_attr attributes;
	enum perf_chain chain;
	struct ring *rings; /* by core */
	int core_count;
	int poll;
	bool is_enabled;
	ARRAY(int) events;
	ARRAY(struct pending) pending;
	ARRAY(unsigned char) bytes;
	uint64_t order;
};

/* In the order of their numbers, in which the kernel gives them. */
static const struct {
	unsigned number;
	size_t field;
} sampled_registers[] = {
#if defined(__x86_64__)
	{PERF_REG_X86_BP, offsetof(struct perf_record, registers_bp)},
	{PERF_REG_X86_SP, offsetof(struct perf_record, registers_sp)},
	{PERF_REG_X86_IP, offsetof(struct perf_record, registers_ip)},
#elif defined(__aarch64__)
	{PERF_REG_ARM64_X29, offsetof(struct perf_record, registers_bp)},
	{PERF_REG_ARM64_LR, offsetof(struct perf_record, registers_link)},
	{PERF_REG_ARM64_SP, offsetof(struct perf_record, registers_sp)},
	{PERF_REG_ARM64_PC, offsetof(struct perf_record, registers_ip)},
#else
	{PERF_REG_RISCV_PC, offsetof(struct perf_record, registers_ip)},
	{PERF_REG_RISCV_RA, offsetof(struct perf_record, registers_link)},
	{PERF_REG_RISCV_SP, offsetof(struct perf_record, registers_sp)},
	{PERF_REG_RISCV_S0, offsetof(struct perf_record, registers_bp)},
#endif
};
#define REGISTERS (sizeof(sampled_registers) / sizeof(*sampled_registers))

static int open_event(const struct perf_event_attr *attributes, pid_t thread, int core)
{
	return (int)syscall(SYS_perf_event_open, attributes, thread, core, -1,
			    PERF_FLAG_FD_CLOEXEC);
}

static struct perf_event_attr attributes_of(uint64_t period_ns, enum perf_chain chain)
{
	struct perf_event_attr attributes = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attributes),
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_period = period_ns,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		.disabled = 1,
		.inherit = 1,
		.exclude_hv = 1,
		.mmap = 1,
		.mmap2 = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.context_switch = 1,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = 1,
		.wakeup_watermark = RING_BYTES / 4,
	};
	attributes.sample_type |= PERF_SAMPLE_CALLCHAIN;
	if (chain != PERF_CHAIN_POINTERS)
		attributes.exclude_callchain_user = 1;
	for (size_t i = 0; i < REGISTERS; i++)
		attributes.sample_regs_user |= 1ull << sampled_registers[i].number;
	attributes.sample_type |= PERF_SAMPLE_REGS_USER;
	if (chain == PERF_CHAIN_STACK) {
		attributes.sample_type |= PERF_SAMPLE_STACK_USER;
		attributes.sample_stack_user = STACK_BYTES;
	}
	return attributes;
}

int perf_rings_open(uint64_t period_ns, enum perf_chain chain, struct perf_rings **result,
		    struct error *error)
{
	struct perf_event_attr attributes = attributes_of(period_ns, chain);
	int event = open_event(&attributes, 0, -1);

	if (event < 0) {
		attributes.exclude_kernel = 1;
		event = open_event(&attributes, 0, -1);
	}
	if (event < 0)
		return error_set(
			error, errno,
			"perf_event_open refuses to sample a process of one's own: %s; "
			"it works with kernel.perf_event_paranoid at 2 or below, and, in a "
			"container, where its seccomp profile allows it",
			strerror(errno));
	close(event);
	struct perf_rings *rings = memory_new(1, sizeof(*rings));
	rings->attributes = attributes;
	rings->chain = chain;
	rings->core_count = (int)cores_present(); /* each takes a descriptor for each thread */
	rings->rings = memory_new((size_t)rings->core_count, sizeof(*rings->rings));
	rings->poll = epoll_create1(EPOLL_CLOEXEC);
	for (int core = 0; core < rings->core_count; core++)
		rings->rings[core].event = -1;
	*result = rings;
	return 0;
}

void perf_rings_close(struct perf_rings *rings)
{
	if (!rings)
		return;
	for (int core = 0; core < rings->core_count; core++)
		if (rings->rings[core].bytes)
			munmap(rings->rings[core].page,
			       rings->rings[core].bytes + (size_t)getpagesize());
	for (size_t i = 0; i < rings->events.count; i++)
		close(rings->events.items[i]);
	if (rings->poll >= 0)
		close(rings->poll);
	array_free(&rings->events);
	array_free(&rings->pending);
	array_free(&rings->bytes);
	free(rings->rings);
	free(rings);
}

bool perf_rings_sample_kernel(const struct perf_rings *rings)
{
	return !rings->attributes.exclude_kernel;
}

int perf_rings_descriptor(const struct perf_rings *rings)
{
	return rings->poll;
}

/* A smaller ring where less memory may be locked. */
static int map_ring(struct perf_rings *rings, struct ring *ring, int event)
{
	struct epoll_event wake = {.events = EPOLLIN};
	size_t page = (size_t)getpagesize();

	for (size_t bytes = RING_BYTES; bytes >= RING_BYTES / 8; bytes /= 2) {
		void *mapped =
			mmap(NULL, bytes + page, PROT_READ | PROT_WRITE, MAP_SHARED, event, 0);
		if (mapped == MAP_FAILED)
			continue;
		*ring = (struct ring){.event = event, .page = mapped, .bytes = bytes};
		epoll_ctl(rings->poll, EPOLL_CTL_ADD, event, &wake);
		return 0;
	}
	return -errno;
}

int perf_rings_add(struct perf_rings *rings, pid_t thread, struct error *error)
{
	for (int core = 0; core < rings->core_count; core++) {
		struct ring *ring = &rings->rings[core];
		int event = open_event(&rings->attributes, thread, core);
		if (event < 0 && errno == ENODEV)
			continue; /* offline */
		if (event < 0)
			return error_set(error, errno, "cannot sample the thread %d: %s",
					 (int)thread, strerror(errno));
		*array_add(&rings->events) = event;
		int code = ring->event < 0 ? map_ring(rings, ring, event) :
			   ioctl(event, PERF_EVENT_IOC_SET_OUTPUT, ring->event) ? -errno :
										  0;
		if (code)
			return error_set(error, code,
					 "no memory for samples: %s; raise "
					 "kernel.perf_event_mlock_kb or the limit on locked memory",
					 strerror(-code));
		if (rings->is_enabled)
			ioctl(event, PERF_EVENT_IOC_ENABLE, 0);
	}
	return 0;
}

void perf_rings_enable(struct perf_rings *rings, bool enable)
{
	rings->is_enabled = enable;
	for (size_t i = 0; i < rings->events.count; i++)
		ioctl(rings->events.items[i],
		      enable ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

/* ---- records, one after the other ---- */

struct reader {
	const unsigned char *at, *end;
};

static uint64_t take_u64(struct reader *reader)
{
	uint64_t value = 0;
	if (reader->end - reader->at >= 8)
		memcpy(&value, reader->at, 8);
	reader->at += reader->end - reader->at >= 8 ? 8 : reader->end - reader->at;
	return value;
}

static void take_pair(struct reader *reader, uint32_t *first, uint32_t *second)
{
	uint64_t both = take_u64(reader);
	memcpy(first, &both, 4);
	memcpy(second, (const char *)&both + 4, 4);
}

/* The text up to the end, which the kernel ends with a zero; NULL if it does not. */
static const char *take_text(struct reader *reader)
{
	size_t room = (size_t)(reader->end - reader->at);
	return memchr(reader->at, 0, room) ? (const char *)reader->at : NULL;
}

static void read_sample(const struct perf_rings *rings, struct reader *reader,
			struct perf_record *record)
{
	record->ip = take_u64(reader);
	take_pair(reader, &record->pid, &record->tid);
	record->time_ns = take_u64(reader);
	record->chain_count = take_u64(reader);
	if (record->chain_count > (size_t)(reader->end - reader->at) / 8)
		record->chain_count = 0;
	record->chain = (const uint64_t *)(const void *)reader->at;
	reader->at += record->chain_count * 8;
	if (!(rings->attributes.sample_type & PERF_SAMPLE_REGS_USER))
		return;
	record->has_registers = take_u64(reader) == PERF_SAMPLE_REGS_ABI_64;
	for (size_t i = 0; record->has_registers && i < REGISTERS; i++) {
		uint64_t value = take_u64(reader);
		memcpy((char *)record + sampled_registers[i].field, &value, sizeof(value));
	}
	if (!record->has_registers || !(rings->attributes.sample_type & PERF_SAMPLE_STACK_USER))
		return;
	uint64_t bytes = take_u64(reader);
	if (!bytes || bytes > (uint64_t)(reader->end - reader->at))
		return;
	record->stack = reader->at;
	reader->at += bytes;
	uint64_t filled = take_u64(reader);
	record->stack_bytes = filled < bytes ? filled : bytes;
}

static void read_mapping(struct reader *reader, struct perf_record *record)
{
	uint32_t major, minor;

	take_pair(reader, &record->pid, &record->tid);
	record->start = take_u64(reader);
	record->bytes = take_u64(reader);
	record->offset = take_u64(reader);
	take_pair(reader, &major, &minor);
	record->device = major << 20 | minor;
	record->inode = take_u64(reader);
	take_u64(reader); /* the inode's generation */
	take_u64(reader); /* protection and flags */
	record->text = take_text(reader);
}

/* All but samples end with process, thread and time. */
static void read_record(const struct perf_rings *rings, const struct perf_event_header *header,
			struct perf_record *record)
{
	const unsigned char *start = (const unsigned char *)(header + 1);
	struct reader reader = {start, (const unsigned char *)header + header->size};

	*record = (struct perf_record){.type = header->type, .misc = header->misc};
	if (header->type == PERF_RECORD_SAMPLE) {
		read_sample(rings, &reader, record);
		return;
	}
	if (reader.end - reader.at < 16)
		return;
	struct reader tail = {reader.end - 16, reader.end};
	take_pair(&tail, &record->pid, &record->tid);
	record->time_ns = take_u64(&tail);
	reader.end -= 16;
	if (header->type == PERF_RECORD_MMAP2) {
		read_mapping(&reader, record);
	} else if (header->type == PERF_RECORD_COMM) {
		take_pair(&reader, &record->pid, &record->tid);
		record->text = take_text(&reader);
	} else if (header->type == PERF_RECORD_FORK || header->type == PERF_RECORD_EXIT) {
		take_pair(&reader, &record->pid, &record->parent_pid);
		take_pair(&reader, &record->tid, &record->parent_tid);
	} else if (header->type == PERF_RECORD_LOST) {
		take_u64(&reader);
		record->lost = take_u64(&reader);
	}
}

/* ---- reading in order ---- */

/* Bytes that wrap at the ring's end. */
static void copy_out(const struct ring *ring, uint64_t from, void *to, size_t count)
{
	const unsigned char *data = (const unsigned char *)ring->page + getpagesize();
	size_t at = from & (ring->bytes - 1), first = ring->bytes - at;

	memcpy(to, data + at, count < first ? count : first);
	if (count > first)
		memcpy((unsigned char *)to + first, data, count - first);
}

static void make_room(struct perf_rings *rings, size_t more)
{
	size_t needed = rings->bytes.count + more;
	if (needed <= rings->bytes.capacity)
		return;
	rings->bytes.capacity = needed * 2;
	rings->bytes.items = memory_resize(rings->bytes.items, rings->bytes.capacity, 1);
}

/* The kernel writes data_head last and reads data_tail: acquire there, release here. */
static void take_ring(struct perf_rings *rings, struct ring *ring)
{
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = ring->page->data_tail;
	struct perf_event_header header;

	while (head - tail >= sizeof(header)) {
		copy_out(ring, tail, &header, sizeof(header));
		if (header.size < sizeof(header) || header.size > head - tail)
			break;
		size_t room = ((size_t)header.size + 7) & ~(size_t)7;
		make_room(rings, room);
		size_t at = rings->bytes.count;
		copy_out(ring, tail, rings->bytes.items + at, header.size);
		rings->bytes.count += room;
		struct perf_record record;
		read_record(rings, (const void *)(rings->bytes.items + at), &record);
		*array_add(&rings->pending) = (struct pending){.time_ns = record.time_ns,
							       .order = rings->order++,
							       .at = at};
		tail += header.size;
	}
	__atomic_store_n(&ring->page->data_tail, head, __ATOMIC_RELEASE);
}

static int compare_times(const void *left, const void *right)
{
	const struct pending *a = left, *b = right;
	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

/* Keeps what is younger than `until`: another core may yet write something older. */
static void keep_rest(struct perf_rings *rings, size_t first)
{
	size_t kept = 0, count = rings->pending.count - first;
	ARRAY(unsigned char) bytes = {0};

	for (size_t i = 0; i < count; i++) {
		struct pending pending = rings->pending.items[first + i];
		const struct perf_event_header *header =
			(const void *)(rings->bytes.items + pending.at);
		size_t room = ((size_t)header->size + 7) & ~(size_t)7;
		bytes.items = memory_resize(bytes.items, bytes.count + room, 1);
		memcpy(bytes.items + bytes.count, header, header->size);
		pending.at = bytes.count;
		bytes.count += room;
		rings->pending.items[kept++] = pending;
	}
	rings->pending.count = kept;
	free(rings->bytes.items);
	rings->bytes.items = bytes.items;
	rings->bytes.count = rings->bytes.capacity = bytes.count;
}

void perf_rings_read(struct perf_rings *rings,
		     void (*visit)(void *context, const struct perf_record *record), void *context)
{
	uint64_t until = clock_now_ns();
	size_t done = 0;

	for (int core = 0; core < rings->core_count; core++)
		if (rings->rings[core].bytes)
			take_ring(rings, &rings->rings[core]);
	if (!rings->pending.count)
		return;
	qsort(rings->pending.items, rings->pending.count, sizeof(*rings->pending.items),
	      compare_times);
	for (; done < rings->pending.count && rings->pending.items[done].time_ns <= until; done++) {
		struct perf_record record;
		read_record(rings,
			    (const void *)(rings->bytes.items + rings->pending.items[done].at),
			    &record);
		visit(context, &record);
	}
	keep_rest(rings, done);
}
