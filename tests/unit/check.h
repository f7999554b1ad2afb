/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check - the harness of the unit tests: each test is a sentence that must be true.
 *
 *	#include "check.h"
 *
 *	TEST("an empty list has no items")
 *	{
 *		CHECK(list_is_empty(&list));
 *		CHECK_EQUAL(list.count, 0);           integers
 *		CHECK_NEAR(mean(list), 0.5, 1e-9);    doubles
 *		CHECK_TEXT(list.name, "empty");       texts; NULL equals NULL only
 *	}
 *
 * No main is needed. Tests run in the order of the file; a failed check ends its test (so do not
 * check in a helper whose caller must go on: return a bool from it). SKIP("why") ends it as
 * skipped. Output is TAP: meson test with protocol: 'tap'. An argument runs only the tests whose
 * sentence contains it. Include it in one file of an executable only.
 */
#pragma once

#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct check_test {
	const char *sentence;
	void (*run)(void);
	struct check_test *next;
};

static struct check_test *check_first, **check_end = &check_first;
static jmp_buf check_leave;
enum check_result { CHECK_STARTED, CHECK_FAILED, CHECK_SKIPPED };

static inline void check_register(struct check_test *test)
{
	*check_end = test;
	check_end = &test->next;
}

#define CHECK_JOIN2(a, b) a##b
#define CHECK_JOIN(a, b) CHECK_JOIN2(a, b)
#define TEST(name) CHECK_DEFINE(name, CHECK_JOIN(check_function_, __LINE__))
#define CHECK_DEFINE(name, function)                                                   \
	static void function(void);                                                    \
	__attribute__((constructor)) static void CHECK_JOIN(function, _register)(void) \
	{                                                                              \
		static struct check_test test = {name, function, NULL};                \
		check_register(&test);                                                 \
	}                                                                              \
	static void function(void)

#define CHECK(condition)                                                                   \
	do {                                                                               \
		if (!(condition)) {                                                        \
			printf("# %s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
			longjmp(check_leave, CHECK_FAILED);                                \
		}                                                                          \
	} while (0)

#define CHECK_EQUAL(actual, expected)                                                      \
	do {                                                                               \
		long long check_actual = (long long)(actual),                              \
			  check_expected = (long long)(expected);                          \
		if (check_actual != check_expected) {                                      \
			printf("# %s:%d: %s is %lld, expected %lld\n", __FILE__, __LINE__, \
			       #actual, check_actual, check_expected);                     \
			longjmp(check_leave, CHECK_FAILED);                                \
		}                                                                          \
	} while (0)

#define CHECK_NEAR(actual, expected, tolerance)                                              \
	do {                                                                                 \
		double check_actual = (actual), check_expected = (expected);                 \
		if (!(fabs(check_actual - check_expected) <= (tolerance))) {                 \
			printf("# %s:%d: %s is %.17g, expected %.17g within %g\n", __FILE__, \
			       __LINE__, #actual, check_actual, check_expected,              \
			       (double)(tolerance));                                         \
			longjmp(check_leave, CHECK_FAILED);                                  \
		}                                                                            \
	} while (0)

#define CHECK_TEXT(actual, expected)                                                           \
	do {                                                                                   \
		const char *check_actual = (actual), *check_expected = (expected);             \
		if (!check_same_text(check_actual, check_expected)) {                          \
			printf("# %s:%d: %s is \"%s\", expected \"%s\"\n", __FILE__, __LINE__, \
			       #actual, check_actual ? check_actual : "(null)",                \
			       check_expected ? check_expected : "(null)");                    \
			longjmp(check_leave, CHECK_FAILED);                                    \
		}                                                                              \
	} while (0)

#define SKIP(why)                                                    \
	do {                                                         \
		snprintf(check_why, sizeof(check_why), "%s", (why)); \
		longjmp(check_leave, CHECK_SKIPPED);                 \
	} while (0)

static char check_why[256];

static inline int check_same_text(const char *a, const char *b)
{
	/* Not "a == b ||": gcc 12 would warn where the text is freed later. */
	return a && b ? !strcmp(a, b) : a == b;
}

/* Returns whether the test did not fail. */
static int check_run(const struct check_test *test, unsigned number)
{
	switch (setjmp(check_leave)) {
	case CHECK_FAILED:
		printf("not ok %u - %s\n", number, test->sentence);
		return 0;
	case CHECK_SKIPPED:
		printf("ok %u - %s # SKIP %s\n", number, test->sentence, check_why);
		return 1;
	}
	test->run();
	printf("ok %u - %s\n", number, test->sentence);
	return 1;
}

int main(int argc, char **argv)
{
	unsigned number = 0, failed = 0;
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (const struct check_test *test = check_first; test; test = test->next) {
		if (argc > 1 && !strstr(test->sentence, argv[1]))
			continue;
		failed += !check_run(test, ++number);
	}
	printf("1..%u\n", number);
	return failed ? 1 : 0;
}
