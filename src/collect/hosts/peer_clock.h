/* SPDX-License-Identifier: BSD-2-Clause */
/* peer_clock - what round trips say about another host's clock. */
#pragma once

#include "base/memory.h"
#include "collect/hosts/messages.h"
#include "profile/recording.h"

#define PEER_CLOCK_EVERY_NS 1000000000ull

/* The quickest round trip of each PEER_CLOCK_EVERY_NS, by time. */
struct peer_clock {
	ARRAY(struct recording_clock) bounds;
};

void peer_clock_add(struct peer_clock *clock, const struct hosts_times *times, uint64_t now_ns);
