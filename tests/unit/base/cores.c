/* SPDX-License-Identifier: BSD-2-Clause */
/* cores - lists of cores as the kernel writes them. */
#include "base/cores.h"

#include "check.h"

#include <unistd.h>

TEST("an array by core reaches to the largest number, whatever is left out")
{
	CHECK_EQUAL(cores_end("0\n"), 1);
	CHECK_EQUAL(cores_end("0-1\n"), 2);
	CHECK_EQUAL(cores_end("0-3,8-11\n"), 12);
	CHECK_EQUAL(cores_end("0,2,4"), 5);
	CHECK_EQUAL(cores_end("0-1023"), 1024);
	CHECK_EQUAL(cores_in("0-3,8-11\n"), 8);
	CHECK_EQUAL(cores_in("0,2,4"), 3);
}

TEST("what is no list of cores has none")
{
	static const char *const others[] = {"",     "\n",  "x",    "0-",          "3-1",
					     "0,,1", "0 1", "-1-2", "0-4294967295"};
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		CHECK_EQUAL(cores_end(others[i]), 0);
}

TEST("this machine has a number for each core that is online")
{
	CHECK(cores_present() >= (unsigned)sysconf(_SC_NPROCESSORS_ONLN));
	CHECK(cores_possible() >= cores_present());
}
