/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * kernel_chain - the kernel's call chain at a tick, for kernel code as scope and target.
 *
 * A sample belongs to the innermost kernel function in scope, or else to user code. A target in the
 * kernel counts wherever it is in the chain: the time of its callees is shortened with it (SCOZ,
 * section 3.4).
 */
#pragma once

#include "bpf/ranges.h"

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct kernel_chain);
} kernel_chain_scratches SEC(".maps");

struct kernel_chain_search {
	struct location found, target; /* the innermost in scope; the innermost in the target */
	u32 count;
	bool is_found;
	u8 levels; /* at which it is the target, a bit each */
	u8 pad[2];
};

static long kernel_chain_visit(u32 index, void *context)
{
	struct kernel_chain_search *walk = context;
	u32 zero = 0;
	struct kernel_chain *chain = bpf_map_lookup_elem(&kernel_chain_scratches, &zero);

	if (!chain || index >= walk->count || index >= KERNEL_CHAIN_MOST)
		return 1;
	/* A return address may belong to the next function; the byte before is in the call. */
	struct location location = {.object = WIRE_OBJECT_KERNEL,
				    .offset = chain->addresses[index] - (index ? 1 : 0)};
	u32 levels = location_levels(&location);
	if (!walk->is_found && (levels || location_is_in_scope(&location))) {
		walk->found = location;
		walk->is_found = true;
	}
	if (levels && !walk->levels)
		walk->target = location;
	walk->levels |= levels;
	return 0;
}

/* `context` is that of a tracepoint, or of a perf event with registers in the kernel. */
static __always_inline void kernel_chain_walk(void *context, struct kernel_chain_search *walk)
{
	u32 zero = 0;
	struct kernel_chain *chain = bpf_map_lookup_elem(&kernel_chain_scratches, &zero);

	if (!chain)
		return;
	long bytes = bpf_get_stack(context, chain->addresses, sizeof(chain->addresses), 0);
	walk->count = bytes > 0 ? (u32)bytes / 8 : 0;
	bpf_loop(KERNEL_CHAIN_MOST, kernel_chain_visit, walk, 0);
}

/* `chain` is filled in but for the number of addresses. */
static __always_inline void kernel_chain_emit(struct kernel_cpu *cpu, struct kernel_chain *chain,
					      u32 count)
{
	if (count > KERNEL_CHAIN_MOST)
		return;
	chain->count = count;
	u64 bytes = __builtin_offsetof(struct kernel_chain, addresses) + count * sizeof(u64);
	if (bpf_ringbuf_output(&events, chain, bytes, BPF_RB_NO_WAKEUP))
		cpu->lost++;
}
