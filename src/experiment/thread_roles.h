/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * thread_roles - which code the same kind of threads runs.
 *
 * Threads that spend their time in the same code have one role, such as those of one start routine.
 * A place belongs to the role that spends the most time in it.
 */
#pragma once

#include "base/hash_map.h"
#include "base/memory.h"

#include <stddef.h>
#include <stdint.h>

/* All zeros: no time. */
struct thread_roles {
	struct hash_map indices; /* by thread and place */
	struct {
		uint32_t thread, place;
		double ns;
	} * items;
	size_t count, capacity;
};

void thread_roles_add(struct thread_roles *roles, uint32_t thread, uint32_t place, double ns);
/* Sets the number of the role of each of `count` places. */
void thread_roles_of(const struct thread_roles *roles, const uint32_t *places, size_t count,
		     unsigned *numbers);
/* The part of the time that all threads but the busiest one spend; 0 without any time. */
double thread_roles_share_of_others(const struct thread_roles *roles);
void thread_roles_release(struct thread_roles *roles);
