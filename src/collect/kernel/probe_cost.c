/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * probe_cost - what visits of points in code cost the program.
 *
 * A visit traps into the kernel, twice unless the kernel emulates the instruction. That takes 1 us
 * on bare metal and 8 on some virtual machines, so it is measured, on code of Lever's own.
 */
#include "collect/kernel/engine.h"

#include "base/clock.h"
#include "base/text.h"
#include "collect/bpf/uprobe.h"

#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#define BATCHES 5 /* the fastest counts */
#define CALLS 50  /* in a batch */
#define RATE_LEAST 1000
#define COST_TOLD 0.05 /* of a core */

void probe_cost_code(void);
#ifdef __x86_64__
/* Its first instruction is one that the kernel does not emulate. */
__asm__(".pushsection .text\n"
	".hidden probe_cost_code\n"
	".globl probe_cost_code\n"
	".type probe_cost_code, @function\n"
	"probe_cost_code: xorl %eax, %eax\n"
	"ret\n"
	".size probe_cost_code, . - probe_cost_code\n"
	".popsection\n");
#else
__attribute__((noinline, visibility("hidden"))) void probe_cost_code(void)
{
	__asm__ volatile("");
}
#endif

/* The program itself comes first: sets *offset to that of the code in its file. */
static int find_offset(struct dl_phdr_info *program, size_t size, void *offset)
{
	uintptr_t code = (uintptr_t)probe_cost_code;

	(void)size;
	for (size_t i = 0; i < program->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &program->dlpi_phdr[i];
		uintptr_t start = program->dlpi_addr + part->p_vaddr;
		if (part->p_type == PT_LOAD && code >= start && code - start < part->p_filesz)
			*(uint64_t *)offset = code - start + part->p_offset;
	}
	return 1;
}

static uint64_t fastest_call_ns(void)
{
	uint64_t fastest = UINT64_MAX;

	for (unsigned i = 0; i < BATCHES; i++) {
		uint64_t before = clock_now_ns();
		for (unsigned j = 0; j < CALLS; j++)
			probe_cost_code();
		uint64_t took = clock_now_ns() - before;
		fastest = took < fastest ? took : fastest;
	}
	return fastest / CALLS;
}

/* 0: unknown. Visits of this process are not counted. */
static uint64_t measure(struct kernel_engine *kernel)
{
	struct bpf_uprobe_place place = {.fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC)};
	uint64_t cost = 0;

	dl_iterate_phdr(find_offset, &place.offset);
	struct bpf_link *link = bpf_uprobe_attach(kernel->bpf->progs.visit_uprobe, &place, 0);
	if (link)
		cost = fastest_call_ns();
	bpf_link__destroy(link);
	if (place.fd >= 0)
		close(place.fd);
	return cost;
}

void kernel_note_probe_cost(struct kernel_engine *kernel, char **text)
{
	const struct wire_point *points = kernel->collector.points;
	uint64_t passed = clock_now_ns() - kernel->first_probe_ns, cost = 0;

	for (unsigned i = 0; i < WIRE_POINTS_MOST; i++) {
		double rate = (double)points[i].total * 1e9 / (double)passed;
		if (!(kernel->probed_points >> i & 1) || rate < RATE_LEAST)
			continue;
		cost = cost ? cost : measure(kernel);
		double part = rate * (double)cost / 1e9;
		if (part < COST_TOLD)
			continue;
		text_add_line(
			text,
			text_format("counting %s takes %.0f %% of a core: %.0f visits a second "
				    "of %.1f us, which the program has not by itself; gains "
				    "are those of the slowed program; name a point that is "
				    "visited less often, or one of lever.h",
				    points[i].name, 100 * part, rate, (double)cost / 1e3));
	}
}
