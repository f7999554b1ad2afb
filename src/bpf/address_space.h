/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/* address_space - the program's address spaces: what is known of the progress points in each. */
#pragma once

#include "bpf/shared.h"
#include "wire/points.h"

struct address_space {
	u32 id;           /* never reused */
	u32 ticks;        /* polls that found no page of points */
	u64 points_page;  /* address of its struct points_page; 0 until it is found */
	u32 points_known; /* entries with an index in point_index */
	u32 has_past;     /* 1: visits from before the profile began are not added */
	u8 point_index[POINTS_MOST];
	u64 seen[POINTS_MOST]; /* counts that are in the totals */
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 8192);
	__type(key, u64); /* address of the mm_struct */
	__type(value, struct address_space);
} spaces SEC(".maps");

/* To copy from: a zeroed struct is too large for the BPF stack. */
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

/* Without a fork or exec before, the process ran before the profile began. */
static __always_inline struct address_space *address_space_adopt(u64 key)
{
	struct address_space *space = address_space_add(key, &empty_address_space);
	if (space)
		space->has_past = 1;
	return space;
}

/*
 * By the helper: the verifier takes milliseconds for a direct load (docs/decisions.md, "Where the
 * time of lever record goes").
 */
static __always_inline u64 address_space_key(struct task_struct *task)
{
	return (u64)BPF_CORE_READ(task, mm);
}

static __always_inline struct address_space *address_space_of(struct task_struct *task)
{
	u64 key = address_space_key(task);
	if (!key)
		return NULL;
	struct address_space *space = bpf_map_lookup_elem(&spaces, &key);
	return space ? space : address_space_adopt(key);
}

/* The child has the parent's names; its counts begin at 0 (MADV_WIPEONFORK). */
static __always_inline void address_space_fork(struct task_struct *parent,
					       struct task_struct *child)
{
	u64 parent_key = address_space_key(parent), key = address_space_key(child);
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
	address_space_add(address_space_key(task), &empty_address_space);
}
