/* SPDX-License-Identifier: BSD-2-Clause */
/* spin_loops - which loops of compiled functions count as waiting. */
#include "check.h"

#include "base/cleanup.h"
#include "symbolize/internal.h"
#include "symbolize/retry_code.h"
#include "symbolize/scope.h"

#include <unistd.h>

static const char *const builds[] = {SPIN_KINDS};

/* How many of the functions whose names begin so have a spin loop, or have none. */
struct judged {
	unsigned with, without;
};

static bool has_spin_loop(struct symbols *symbols, uint64_t offset)
{
	struct ranges loops = {0}, helpers = {0};
	struct range function;
	bool is_known = symbols_spin_loops(symbols, 0, offset, &function, &loops, &helpers);
	bool has_loop = is_known && loops.count;

	for (size_t i = 0; i < loops.count; i++)
		has_loop &= loops.items[i].start >= function.start &&
			    loops.items[i].end <= function.end;
	ranges_clear(&loops);
	ranges_clear(&helpers);
	return has_loop;
}

static bool has_retry_loop(struct symbols *symbols, uint64_t offset)
{
	struct ranges loops = {0};
	struct range function;
	bool is_known = symbols_retry_loops(symbols, 0, offset, &function, &loops);
	bool has_loop = is_known && loops.count;

	for (size_t i = 0; i < loops.count; i++)
		has_loop &= loops.items[i].start >= function.start &&
			    loops.items[i].end <= function.end;
	ranges_clear(&loops);
	return has_loop;
}

typedef bool loop_finder(struct symbols *symbols, uint64_t offset);

static struct judged judge_build(const char *build, const char *prefix, loop_finder *find,
				 bool expected)
{
	struct scope *scope = scope_new();
	struct symbols *symbols = symbols_new(TARGET_FUNCTION, scope);
	struct judged judged = {0};
	uint32_t object;

	if (!symbols_add_object(symbols, build, NULL, true, &object, NULL)) {
		const struct symtab *symtab =
			object_symtab(symbols_open(symbols, object), &symbols->sources.texts);
		for (size_t i = 0; i < symtab->count; i++) {
			const char *name =
				interner_text(&symbols->sources.texts, symtab->items[i].name);
			if (strncmp(name, prefix, strlen(prefix)))
				continue;
			bool has = find(symbols, symtab->items[i].start);
			if (has != expected)
				printf("# %s: %s\n", build, name);
			judged.with += has;
			judged.without += !has;
		}
	}
	symbols_free(symbols);
	scope_free(scope);
	return judged;
}

static struct judged judge_loops(const char *prefix, loop_finder *find, bool expected)
{
	struct judged all = {0};

	for (size_t i = 0; i < sizeof(builds) / sizeof(*builds); i++) {
		struct judged judged = judge_build(builds[i], prefix, find, expected);
		all.with += judged.with;
		all.without += judged.without;
	}
	return all;
}

static struct judged judge(const char *prefix, bool expected)
{
	return judge_loops(prefix, has_spin_loop, expected);
}

TEST("loops that only wait are spin loops, by gcc and clang, at -O0 to -O3")
{
	if (!SPIN_IS_JUDGED)
		SKIP("built without Zydis, or not for x86-64");
	struct judged judged = judge("spin_", true);
	CHECK_EQUAL(judged.without, 0);
	CHECK(judged.with >= 20 * sizeof(builds) / sizeof(*builds));
}

TEST("searches, walks, computations and retries are no spin loops")
{
	if (!SPIN_IS_JUDGED)
		SKIP("built without Zydis, or not for x86-64");
	struct judged judged = judge("work_", false);
	CHECK_EQUAL(judged.with, 0);
	CHECK(judged.without >= 20 * sizeof(builds) / sizeof(*builds));
}

TEST("loops that end when a compare-and-exchange succeeds retry, and others do not")
{
	if (!SPIN_IS_JUDGED)
		SKIP("built without Zydis, or not for x86-64");
	struct judged retries = judge_loops("work_retry_", has_retry_loop, true);
	struct judged once = judge_loops("work_once_", has_retry_loop, false);
	CHECK_EQUAL(retries.without, 0);
	CHECK(retries.with >= 4 * sizeof(builds) / sizeof(*builds));
	CHECK_EQUAL(once.with, 0);
	CHECK(once.without >= sizeof(builds) / sizeof(*builds));
}
