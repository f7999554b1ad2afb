/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stops - times in which the engine and the program stood still together: a frozen cgroup, SIGSTOP
 * to both, a virtual machine that was taken away.
 *
 * Nothing was sampled in them, though the clock went on. They are no phase without the target.
 */
#pragma once

#include <stdint.h>

struct session;

struct session_stops {
	uint64_t looked_ns, sampled_ns; /* when it was looked last, and samples until then */
	uint64_t sum_ns;
};

/* To be called at least as often as heartbeats are given. */
void session_stops_look(struct session *session, uint64_t now);
