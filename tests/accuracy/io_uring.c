/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * io_uring - one thread submits writes and computes while io_uring's workers do them; then it waits
 * for them. Workers are tasks of the program, made by the kernel, that never run the program's
 * code. The truth is measured with less to compute.
 *
 * period = measured
 */
#include "work.h"

#include <linux/io_uring.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define WRITES 8
#define BYTES (1u << 20)

/* The rings that the kernel shares with the program. */
static struct {
	int fd, file;
	unsigned *tail, *mask, *array;
	unsigned *done_head, *done_tail;
	struct io_uring_sqe *entries;
} ring;

static char block[BYTES];

static void *map(size_t bytes, off_t what)
{
	void *memory =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring.fd, what);
	if (memory == MAP_FAILED)
		exit(1);
	return memory;
}

static void open_ring(void)
{
	struct io_uring_params parameters = {0};

	ring.file = memfd_create("uring", 0);
	ring.fd = (int)syscall(SYS_io_uring_setup, WRITES, &parameters);
	if (ring.fd < 0 || ring.file < 0) {
		perror("uring");
		exit(1);
	}
	const struct io_sqring_offsets *sq = &parameters.sq_off;
	const struct io_cqring_offsets *cq = &parameters.cq_off;
	char *submit =
		map(sq->array + parameters.sq_entries * sizeof(unsigned), IORING_OFF_SQ_RING);
	char *done = map(cq->cqes + parameters.cq_entries * sizeof(struct io_uring_cqe),
			 IORING_OFF_CQ_RING);
	ring.tail = (unsigned *)(submit + sq->tail);
	ring.mask = (unsigned *)(submit + sq->ring_mask);
	ring.array = (unsigned *)(submit + sq->array);
	ring.done_head = (unsigned *)(done + cq->head);
	ring.done_tail = (unsigned *)(done + cq->tail);
	ring.entries = map(parameters.sq_entries * sizeof(struct io_uring_sqe), IORING_OFF_SQES);
}

static void give(void)
{
	unsigned tail = *ring.tail;

	for (unsigned i = 0; i < WRITES; i++, tail++) {
		unsigned at = tail & *ring.mask;
		ring.entries[at] = (struct io_uring_sqe){
			.opcode = IORING_OP_WRITE,
			.flags = IOSQE_ASYNC, /* a worker's */
			.fd = ring.file,
			.off = (uint64_t)i * BYTES,
			.addr = (uint64_t)(uintptr_t)block,
			.len = BYTES,
		};
		ring.array[at] = at;
	}
	__atomic_store_n(ring.tail, tail, __ATOMIC_RELEASE);
	if (syscall(SYS_io_uring_enter, ring.fd, WRITES, 0, 0, NULL, 0) != WRITES)
		exit(1);
}

static void take_back(void)
{
	unsigned wanted = *ring.done_head + WRITES;

	while ((int)(wanted - __atomic_load_n(ring.done_tail, __ATOMIC_ACQUIRE)) > 0)
		syscall(SYS_io_uring_enter, ring.fd, 0, WRITES, IORING_ENTER_GETEVENTS, NULL, 0);
	__atomic_store_n(ring.done_head, wanted, __ATOMIC_RELEASE);
}

WORK_FUNCTION void compute(uint64_t loops)
{
	WORK(loops); /* target A */
}

int main(int count, char **arguments)
{
	work_begin(count, arguments);
	memset(block, 1, sizeof(block));
	open_ring();
	while (work_goes_on()) {
		give();
		compute(work_loops(3000, 'A'));
		take_back();
		LEVER_PROGRESS_NAMED("round");
		work.visits++;
	}
	work_end();
	return 0;
}
