/* SPDX-License-Identifier: BSD-2-Clause */
/* thread_roles - threads that run the same code have one role, and code has its threads' role. */
#include "check.h"

#include "experiment/thread_roles.h"

TEST("threads of the same code have one role, whatever their number")
{
	struct thread_roles roles = {0};
	const uint32_t places[] = {10, 11, 20, 21};
	unsigned numbers[4];

	for (uint32_t thread = 1; thread <= 6; thread++) {
		uint32_t first = thread % 2 ? 10 : 20;
		thread_roles_add(&roles, thread, first, 100 + thread);
		thread_roles_add(&roles, thread, first + 1, 30);
	}
	thread_roles_of(&roles, places, 4, numbers);
	CHECK_EQUAL(numbers[0], numbers[1]);
	CHECK_EQUAL(numbers[2], numbers[3]);
	CHECK(numbers[0] != numbers[2]);
	thread_roles_release(&roles);
}

TEST("code that all threads run belongs to those that spend the most time in it")
{
	struct thread_roles roles = {0};
	const uint32_t places[] = {1, 2, 3};
	unsigned numbers[3];

	thread_roles_add(&roles, 100, 1, 1000);
	thread_roles_add(&roles, 100, 3, 100);
	thread_roles_add(&roles, 200, 2, 1000);
	thread_roles_add(&roles, 200, 3, 50);
	thread_roles_add(&roles, 200, 3, 10);
	thread_roles_of(&roles, places, 3, numbers);
	CHECK(numbers[0] != numbers[1]);
	CHECK_EQUAL(numbers[2], numbers[0]);
	thread_roles_release(&roles);
}

TEST("the share of the other threads is 0 for a single one")
{
	struct thread_roles roles = {0};

	CHECK_NEAR(thread_roles_share_of_others(&roles), 0, 0);
	thread_roles_add(&roles, 7, 1, 60);
	thread_roles_add(&roles, 7, 2, 20);
	CHECK_NEAR(thread_roles_share_of_others(&roles), 0, 1e-9);
	thread_roles_add(&roles, 8, 2, 20);
	CHECK_NEAR(thread_roles_share_of_others(&roles), 0.2, 1e-9);
	thread_roles_release(&roles);
}
