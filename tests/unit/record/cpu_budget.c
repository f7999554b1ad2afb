/* SPDX-License-Identifier: BSD-2-Clause */
/* cpu_budget - what is saved and owed. */
#include "check.h"

#include "record/cpu_budget.h"

#define SECOND 1000000000ull
#define CORES 2

TEST("a start of a second of CPU time is paid from savings")
{
	struct cpu_budget budget = cpu_budget_for(CORES);

	CHECK(cpu_budget_has_rest(&budget, 100 * SECOND, SECOND));
	CHECK(cpu_budget_has_rest(&budget, 101 * SECOND, SECOND));
}

TEST("CPU time stays below the share of a core, whatever is wanted")
{
	struct cpu_budget budget = cpu_budget_for(CORES);
	uint64_t spent = 0, seconds = 3600;

	/* 5 % of a core where there is a rest, 0.4 % where there is none. */
	for (uint64_t second = 1; second <= seconds; second++)
		spent += cpu_budget_has_rest(&budget, second * SECOND, spent) ? SECOND / 20 :
										SECOND / 250;
	CHECK((double)spent < 0.008 * (double)(seconds * SECOND));
	CHECK((double)spent > 0.006 * (double)(seconds * SECOND));
}

TEST("neither savings nor debts grow without end")
{
	struct cpu_budget budget = cpu_budget_for(CORES);
	uint64_t spent = 0;

	cpu_budget_has_rest(&budget, 1 * SECOND, spent);
	cpu_budget_has_rest(&budget, 100000 * SECOND, spent);
	spent += 2 * SECOND;
	CHECK(!cpu_budget_has_rest(&budget, 100001 * SECOND, spent));
	spent += 1000 * SECOND;
	CHECK(!cpu_budget_has_rest(&budget, 100002 * SECOND, spent));
	CHECK(cpu_budget_has_rest(&budget, 100400 * SECOND, spent));
}

TEST("a count that begins anew is no gift; more cores may take more")
{
	struct cpu_budget budget = cpu_budget_for(CORES);

	CHECK(!cpu_budget_has_rest(&budget, SECOND, 3 * SECOND));
	CHECK(!cpu_budget_has_rest(&budget, 2 * SECOND, SECOND));
	CHECK(!cpu_budget_has_rest(&budget, 3 * SECOND, SECOND));
	CHECK(cpu_budget_for(1).share <= cpu_budget_for(CORES).share);
	CHECK(cpu_budget_for(64).share > 10 * cpu_budget_for(CORES).share);
}
