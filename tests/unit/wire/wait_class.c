/* SPDX-License-Identifier: BSD-2-Clause */
/* wait_class - the one table of reasons: by number, by name, and as rules of `lever record`. */
#include "wire/wait_class.h"

#include "check.h"

#include <sys/syscall.h>

/* The letter of the class in the rule that names the call; 0: there is none. */
static char rule_class(const char *call)
{
	static const char rules[] = WAIT_RULES;
	char pattern[64];

	snprintf(pattern, sizeof(pattern), " call:%s\n", call);
	const char *rule = strstr(rules, pattern);
	if (!rule)
		return 0;
	while (rule > rules && rule[-1] != '\n')
		rule--;
	return *rule;
}

TEST("a call has the same reason by its number and by its name")
{
	CHECK(wait_reason_of_call(SYS_futex) == WAIT_FOR_THREAD);
	CHECK(wait_reason_of_call(SYS_clock_nanosleep) == WAIT_FOR_TIME);
	CHECK(wait_reason_of_call(SYS_read) == WAIT_FOR_UNKNOWN);
	CHECK(wait_reason_of_call(-1) == WAIT_FOR_UNKNOWN);
#define SAME(name, reason)                                            \
	CHECK(wait_reason_of_call(__NR_##name) == WAIT_FOR_##reason); \
	CHECK(wait_reason_of_call_name(#name) == WAIT_FOR_##reason);
	WAIT_CALLS(SAME)
	CHECK(wait_reason_of_call_name("futex_wake") == WAIT_FOR_UNKNOWN);
}

TEST("the rule of a call gives the class of its reason")
{
	static const char letters[] = {
		[WAIT_CLASS_IO] = 'I', [WAIT_CLASS_LOCK] = 'L', [WAIT_CLASS_OTHER] = 'B'};
#define SAME_CLASS(name, reason) \
	CHECK(rule_class(#name) == letters[wait_class_of(WAIT_FOR_##reason)]);
	WAIT_CALLS(SAME_CLASS)
}

TEST("a futex is a lock's where its value says that a thread waits for it")
{
	CHECK(wait_futex_is_lock(FUTEX_WAIT | FUTEX_PRIVATE_FLAG, WAIT_FUTEX_CONTENDED));
	CHECK(!wait_futex_is_lock(FUTEX_WAIT, 0));
	CHECK(wait_futex_is_lock(FUTEX_WAIT, -1u));
	CHECK(wait_futex_is_lock(FUTEX_WAIT_BITSET, 3));
	CHECK(wait_futex_is_lock(FUTEX_WAIT_BITSET, 1u << 30 | 5));
	CHECK(!wait_futex_is_lock(FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, 0));
	CHECK(!wait_futex_is_lock(FUTEX_WAIT_BITSET, -1u));
	CHECK(wait_futex_is_lock(FUTEX_LOCK_PI, 0));
	CHECK(wait_futex_waits(FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME));
	CHECK(!wait_futex_waits(FUTEX_WAKE));
}

TEST("files on a disk have another reason than pipes and sockets")
{
	CHECK(wait_reason_of_file(S_IFREG | 0644) == WAIT_FOR_DISK);
	CHECK(wait_reason_of_file(S_IFIFO | 0644) == WAIT_FOR_FILE);
	CHECK(wait_class_of(WAIT_FOR_FILE) == WAIT_CLASS_OTHER);
}
