/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/* process_set - the processes that `lever record` and `lever trace` follow: a bit each, by tgid. */
#pragma once

#include "bpf/shared.h"

/* Writers: the engine, and BPF at forks and ends; atomically. */
__u64 members[WIRE_PIDS_MOST / 64];

static __always_inline bool member_get(u32 tgid)
{
	return members[(tgid & (WIRE_PIDS_MOST - 1)) / 64] >> (tgid & 63) & 1;
}

static __always_inline void member_set(u32 tgid, bool is_member)
{
	u64 *word = &members[(tgid & (WIRE_PIDS_MOST - 1)) / 64];
	if (is_member)
		__sync_fetch_and_or(word, 1ull << (tgid & 63));
	else
		__sync_fetch_and_and(word, ~(1ull << (tgid & 63)));
}
