/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * mappings - from an address to an object and an offset in it.
 *
 * bpf_find_vma finds the mapping at the time of the sample, so that a process of one millisecond
 * and a library that is loaded late need no help from the engine. Found mappings are cached per
 * core. The engine numbers the objects by file (device, inode). A file without a number is
 * announced, and its object is WIRE_OBJECT_UNKNOWN.
 */
#pragma once

#include "bpf/address_space.h"

#define MAPPING_CACHE_WAYS 4 /* slots that an address may have */
#define MAPPING_CACHE_SLOTS (128 * MAPPING_CACHE_WAYS)
#define MAPPING_CACHE_LIFE_NS 1000000000ULL
#define MAPPING_CACHE_LONGEST_NS 10000000000ULL /* while a mapping cannot be looked up */
#define EBUSY_KERNEL 16                         /* uapi/asm-generic/errno-base.h */
#define VM_EXEC 4ul                             /* linux/mm.h */
#define MAPPING_CACHE_TICK 0
#define MAPPING_CACHE_SWITCH 1
#define MAPPING_CACHE_OTHER 2 /* the iterator over tasks */
#define MAPPING_CACHE_WAKE 3
#define MAPPING_CACHES 4

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__type(key, struct wire_file);
	__type(value, u32);
} objects SEC(".maps");

#define ANNOUNCE_AGAIN_NS 200000000ULL /* the engine is slow, or could not open the file */
#define ANNOUNCE_OTHER_NS 2000000ULL   /* by another process: the first may have ended */

struct announcement {
	u64 time_ns;
	u32 space, pad;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, struct wire_file);
	__type(value, struct announcement); /* the last one of the file */
} announced SEC(".maps");

struct mapping {
	u64 start, end;
	u64 offset; /* in the file, of `start` */
	u64 found_ns;
	u32 space;
	u32 object;
	struct wire_file file;
};

struct mapping_cache {
	struct mapping slots[MAPPING_CACHE_SLOTS];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, MAPPING_CACHES); /* a tick may interrupt a switch */
	__type(key, u32);
	__type(value, struct mapping_cache);
} mapping_caches SEC(".maps");

/* Leaves the mapping empty if it is no code: a walk by frame pointers may read any word. */
static long mapping_read(struct task_struct *task, struct vm_area_struct *vma, void *context)
{
	struct mapping *mapping = context;
	struct file *file = BPF_CORE_READ(vma, vm_file);

	if (!(vma->vm_flags & VM_EXEC))
		return 0;
	mapping->start = vma->vm_start;
	mapping->end = vma->vm_end;
	mapping->offset = vma->vm_pgoff << 12;
	if (file) {
		struct inode *inode = BPF_CORE_READ(file, f_inode);
		mapping->file.inode = BPF_CORE_READ(inode, i_ino);
		mapping->file.device = BPF_CORE_READ(inode, i_sb, s_dev);
	} else if (bpf_core_field_exists(task->mm->context.vdso) &&
		   (u64)BPF_CORE_READ(task, mm, context.vdso) == mapping->start) {
		mapping->file.inode = WIRE_INODE_VDSO;
		mapping->offset = 0;
	} else if (!BPF_CORE_READ(vma, vm_ops)) { /* the kernel's own have some: [uprobes] */
		mapping->object = WIRE_OBJECT_NO_FILE;
	}
	return 0;
}

static __always_inline void file_announce(const struct mapping *mapping, u32 tgid, u64 now)
{
	struct announcement *last = bpf_map_lookup_elem(&announced, &mapping->file);
	struct announcement made = {.time_ns = now, .space = mapping->space};
	if (last && now - last->time_ns <
			    (last->space == mapping->space ? ANNOUNCE_AGAIN_NS : ANNOUNCE_OTHER_NS))
		return;
	bpf_map_update_elem(&announced, &mapping->file, &made, BPF_ANY);
	struct kernel_object_event *event = bpf_ringbuf_reserve(&events, sizeof(*event), 0);
	if (!event) {
		totals.lost_events++;
		return;
	}
	event->kind = KERNEL_EVENT_OBJECT;
	event->tgid = tgid;
	event->file = mapping->file;
	event->start = mapping->start;
	event->end = mapping->end;
	bpf_ringbuf_submit(event, BPF_RB_FORCE_WAKEUP);
}

static __always_inline bool mapping_has(const struct mapping *mapping, u32 space_id, u64 address)
{
	return mapping->space == space_id && address >= mapping->start && address < mapping->end;
}

/*
 * The slot with the address, or the one to be taken for it: that was looked up longest ago. Were
 * there one for each address only, two on a call chain that share it would drive each other out:
 * with interrupts off the second one cannot be looked up, and no wait's caller would be found.
 */
static __always_inline struct mapping *mapping_slot(struct mapping_cache *cache, u32 space_id,
						    u64 address)
{
	u32 hash = ((u32)(address >> 16) * 2654435761u >> 16) ^ space_id * 40503u;
	u32 first = hash * MAPPING_CACHE_WAYS & (MAPPING_CACHE_SLOTS - 1);
	struct mapping *oldest = &cache->slots[first];

	for (u32 i = 0; i < MAPPING_CACHE_WAYS; i++) {
		struct mapping *mapping = &cache->slots[(first + i) & (MAPPING_CACHE_SLOTS - 1)];
		if (mapping_has(mapping, space_id, address))
			return mapping;
		if ((s64)(mapping->found_ns - oldest->found_ns) < 0)
			oldest = mapping;
	}
	return oldest;
}

static __always_inline u64 location_in(const struct mapping *mapping, u64 address)
{
	return mapping->object == WIRE_OBJECT_NO_FILE ? address :
							address - mapping->start + mapping->offset;
}

static __always_inline bool mapping_locate_in(struct task_struct *task, u32 space_id, u32 which,
					      u64 address, u64 now, struct location *location)
{
	struct mapping_cache *cache = bpf_map_lookup_elem(&mapping_caches, &which);
	if (!cache || address >> 63)
		return false;
	struct mapping *mapping = mapping_slot(cache, space_id, address);
	bool is_known = mapping_has(mapping, space_id, address);
	if (!is_known || now - mapping->found_ns > MAPPING_CACHE_LIFE_NS) {
		struct mapping found = {};
		long refused = bpf_find_vma(task, address, mapping_read, &found, 0);
		/* With interrupts off, one mapping can be looked up until they are on again. */
		if (refused == -EBUSY_KERNEL && is_known &&
		    now - mapping->found_ns < MAPPING_CACHE_LONGEST_NS) {
			location->object = mapping->object;
			location->offset = location_in(mapping, address);
			return true;
		}
		if (refused)
			this_cpu()->failed_lookups++;
		if (refused || !found.end)
			return false;
		found.space = space_id;
		found.found_ns = now;
		if (found.file.inode) {
			u32 *object = bpf_map_lookup_elem(&objects, &found.file);
			if (object)
				found.object = *object;
			else if (found.file.inode != WIRE_INODE_VDSO) {
				found.object = WIRE_OBJECT_UNKNOWN;
				file_announce(&found, tgid_of(task), now);
				found.found_ns = now - MAPPING_CACHE_LIFE_NS; /* not cached */
			}
		}
		*mapping = found;
	}
	location->object = mapping->object;
	location->offset = location_in(mapping, address);
	return true;
}

/*
 * Of the current task. False while the lock of the mappings is held. A function of its own, so that
 * the verifier checks it once.
 */
__noinline int mapping_locate(u32 space_id, u32 which, u64 address, u64 now,
			      struct location *location)
{
	struct task_struct *task = bpf_get_current_task_btf();
	return location && mapping_locate_in(task, space_id, which, address, now, location);
}
