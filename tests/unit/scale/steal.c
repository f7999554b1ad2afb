/* SPDX-License-Identifier: BSD-2-Clause */
/* steal - the program's share of the time that the hypervisor took. */
#include "scale/steal.h"

#include "check.h"

#include <unistd.h>

#define TICK (1000000000ull / (uint64_t)sysconf(_SC_CLK_TCK))

static cpu_set_t cores(int first, int second)
{
	cpu_set_t set;
	CPU_ZERO(&set);
	CPU_SET(first, &set);
	CPU_SET(second, &set);
	return set;
}

TEST("busy time and steal of the program's cores are added up")
{
	static const char text[] = "cpu  1006 0 3308 68869 326 0 47 17 0 0\n"
				   "cpu0 300 10 100 35276 14 1 10 2 99 0\n"
				   "cpu1 700 0 200 33592 312 0 36 5 0 0\n"
				   "cpu12 1 2 3 4 5 6 7 10 0 0\n"
				   "intr 180254 0 0\n"
				   "cpu1 9 9 9 9 9 9 9 9\n";
	cpu_set_t outer = cores(0, 12), inner = cores(1, 1);
	struct steal_sums sums = steal_parse(text, &outer);
	CHECK_EQUAL(sums.stolen_ns, 12 * TICK);
	CHECK_EQUAL(sums.busy_ns, (423 + 29) * TICK);
	sums = steal_parse(text, &inner);
	CHECK_EQUAL(sums.stolen_ns, 5 * TICK);
	CHECK_EQUAL(sums.busy_ns, 941 * TICK);
	CHECK_EQUAL(steal_parse("", &inner).busy_ns, 0);
	CHECK_EQUAL(steal_parse("cpu 1", &inner).busy_ns, 0);
}

TEST("the program's share of steal is its share of the cores' busy time")
{
	struct steal steal = {.stat = -1, .first_ns = 1000, .busy_ns = 5000};
	steal_add(&steal, (struct steal_sums){5100, 1000}, 80);
	CHECK_EQUAL(steal.own_ns, 0);
	steal_add(&steal, (struct steal_sums){5400, 1100}, 300);
	CHECK_EQUAL(steal.stolen_ns, 100);
	CHECK_EQUAL(steal.own_ns, 75);
	/* Never more than all, though clocks differ. */
	steal_add(&steal, (struct steal_sums){5500, 1150}, 600);
	CHECK_EQUAL(steal.own_ns, 75 + 50);
	/* A counter that goes back takes nothing off. */
	steal_add(&steal, (struct steal_sums){5600, 900}, 600);
	CHECK_EQUAL(steal.stolen_ns, 150);
}

TEST("without counts of steal, steal is 0")
{
	cpu_set_t none = cores(300, 301);
	struct steal steal;
	steal_begin(&steal, &none);
	steal_update(&steal, 1000);
	CHECK_EQUAL(steal.own_ns, 0);
	steal_end(&steal);
	steal_end(&steal);
	CHECK_EQUAL(steal.stat, -1);
}
