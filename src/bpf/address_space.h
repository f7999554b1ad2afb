/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * space - address spaces of the program, and where an address in one lies: object and offset.
 *
 * A mapping is found by bpf_find_vma at the tick itself, so that processes that live for a
 * millisecond and libraries loaded later need no help from the engine; found mappings are cached
 * per core. The engine gives a file (device, inode) its object number; until it has, the object is
 * WIRE_OBJECT_UNKNOWN and the file is announced.
 */
#pragma once

#include "bpf/shared.h"
#include "wire/points.h"

#define MAPPING_CACHE_SLOTS 256
#define MAPPING_CACHE_LIFE_NS 1000000000ULL
#define MAPPING_CACHE_TICK 0
#define MAPPING_CACHE_SWITCH 1
#define MAPPING_CACHE_OTHER 2 /* what the engine asks for */

struct address_space {
	u32 id;           /* never used twice */
	u32 ticks;        /* looked at while no points were found */
	u64 points_page;  /* where its struct points_page is; 0 if not found yet */
	u32 points_known; /* entries with an index in point_index */
	u32 has_past;     /* 1: it counted before it was followed; those visits are not added */
	u8 point_index[POINTS_MOST];
	u64 seen[POINTS_MOST]; /* counts already added to the totals */
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 8192);
	__type(key, u64); /* address of the mm_struct */
	__type(value, struct address_space);
} spaces SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__type(key, struct wire_file);
	__type(value, u32);
} objects SEC(".maps");

#define ANNOUNCE_AGAIN_NS 200000000ULL /* the engine could not open it, or is slow */
#define ANNOUNCE_OTHER_NS 2000000ULL   /* the one that was announced may have gone at once */

struct announcement {
	u64 time_ns;
	u32 space, pad;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, struct wire_file);
	__type(value, struct announcement); /* the last of this file */
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
	__uint(max_entries, 3); /* SPACE_CACHE_*: a tick may come in between what a switch does */
	__type(key, u32);
	__type(value, struct mapping_cache);
} mapping_caches SEC(".maps");

/* A zeroed space to copy from: too large for the BPF stack. */
static const struct address_space empty_address_space;

static __always_inline struct address_space *address_space_add(u64 key,
							       const struct address_space *from)
{
	bpf_map_update_elem(&spaces, &key, from, BPF_ANY);
	struct address_space *space = bpf_map_lookup_elem(&spaces, &key);
	if (!space) {
		totals.untracked_spaces++;
		return NULL;
	}
	space->id = __sync_fetch_and_add(&totals.next_space, 1) + 1;
	return space;
}

/* A space is met unborn only in a process that ran before it was followed. */
static __always_inline struct address_space *address_space_adopt(u64 key)
{
	struct address_space *space = address_space_add(key, &empty_address_space);
	if (space)
		space->has_past = 1;
	return space;
}

static __always_inline struct address_space *address_space_of(struct task_struct *task)
{
	u64 key = (u64)task->mm;
	if (!key)
		return NULL;
	struct address_space *space = bpf_map_lookup_elem(&spaces, &key);
	return space ? space : address_space_adopt(key);
}

/* The child knows the parent's names; its counts are wiped, so nothing of it has been seen. */
static __always_inline void address_space_fork(struct task_struct *parent,
					       struct task_struct *child)
{
	u64 parent_key = (u64)parent->mm, key = (u64)child->mm;
	struct address_space *old = bpf_map_lookup_elem(&spaces, &parent_key);
	struct address_space *space = address_space_add(key, &empty_address_space);
	if (!old || !space)
		return;
	space->points_page = old->points_page;
	space->points_known = old->points_known;
	__builtin_memcpy(space->point_index, old->point_index, sizeof(space->point_index));
}

static __always_inline void address_space_exec(struct task_struct *task)
{
	address_space_add((u64)task->mm, &empty_address_space);
}

static long mapping_read(struct task_struct *task, struct vm_area_struct *vma, void *context)
{
	struct mapping *mapping = context;
	struct file *file = vma->vm_file;

	mapping->start = vma->vm_start;
	mapping->end = vma->vm_end;
	mapping->offset = vma->vm_pgoff << 12;
	if (file) {
		mapping->file.inode = file->f_inode->i_ino;
		mapping->file.device = file->f_inode->i_sb->s_dev;
	} else if (bpf_core_field_exists(task->mm->context.vdso) &&
		   (u64)task->mm->context.vdso == mapping->start) {
		mapping->file.inode = WIRE_INODE_VDSO;
		mapping->offset = 0;
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

static __always_inline bool address_space_locate_in(struct task_struct *task, u32 space_id,
						    u32 which, u64 address, u64 now,
						    struct location *location)
{
	struct mapping_cache *cache = bpf_map_lookup_elem(&mapping_caches, &which);
	if (!cache || address >> 63)
		return false;
	u32 slot = ((u32)(address >> 16) * 2654435761u >> 16) ^ space_id * 40503u;
	struct mapping *mapping = &cache->slots[slot & (MAPPING_CACHE_SLOTS - 1)];

	if (mapping->space != space_id || address < mapping->start || address >= mapping->end ||
	    now - mapping->found_ns > MAPPING_CACHE_LIFE_NS) {
		struct mapping found = {};
		if (bpf_find_vma(task, address, mapping_read, &found, 0) || !found.end) {
			this_cpu()->failed_lookups++;
			return false;
		}
		found.space = space_id;
		found.found_ns = now;
		found.object = WIRE_OBJECT_NO_FILE;
		if (found.file.inode) {
			u32 *object = bpf_map_lookup_elem(&objects, &found.file);
			if (object)
				found.object = *object;
			else if (found.file.inode != WIRE_INODE_VDSO) {
				found.object = WIRE_OBJECT_UNKNOWN;
				file_announce(&found, task->tgid, now);
				found.found_ns = now - MAPPING_CACHE_LIFE_NS; /* ask again soon */
			}
		}
		*mapping = found;
	}
	location->object = mapping->object;
	location->offset = address;
	if (mapping->object != WIRE_OBJECT_NO_FILE)
		location->offset = address - mapping->start + mapping->offset;
	return true;
}

/*
 * Where `address` of the current task lies. False when the mapping cannot be read now (its lock is
 * held). Like others here a function of its own to the verifier, which so looks at it only once.
 */
__noinline int address_space_locate(u32 space_id, u32 which, u64 address, u64 now,
				    struct location *location)
{
	struct task_struct *task = bpf_get_current_task_btf();
	return location && address_space_locate_in(task, space_id, which, address, now, location);
}
