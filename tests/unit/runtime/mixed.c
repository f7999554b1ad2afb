/* SPDX-License-Identifier: BSD-2-Clause */
/* mixed - the parts of one program, in C, C++ and libraries, use one page and one name. */
#include "mixed.h"

#include "check.h"
#include "reader.h"

#include <dlfcn.h>

static long long shared_by_all(void)
{
	CHECK_EQUAL(reader_entries(reader_own(), "shared by all", POINTS_PROGRESS), 1);
	return reader_progress("shared by all");
}

TEST("C, C++ and two libraries count the same point in the same page")
{
	reader_own()->names.listening = 1;
	mixed_c(1);
	mixed_cplusplus(20);
	mixed_first_library(300);
	mixed_second_library(4000);
	CHECK_EQUAL(shared_by_all(), 4321);
	CHECK_EQUAL(reader_visits(reader_own(), "span of all", POINTS_BEGIN), 4321);
	CHECK_EQUAL(reader_visits(reader_own(), "span of all", POINTS_END), 4321);
}

TEST("a thread has the same stripe in all of them")
{
	CHECK_EQUAL(reader_own()->names.stripes, 1);
	CHECK_EQUAL(reader_own()->names.shared, 0);
}

TEST("there is one page only")
{
	struct points_page page;
	CHECK(reader_copy_from(getpid(), POINTS_ADDRESS, &page) +
		      reader_copy_from(getpid(), POINTS_ADDRESS_OTHER, &page) ==
	      1);
}

TEST("a C++ span that is left by an exception ends")
{
	CHECK_EQUAL(mixed_throw(), 1);
	CHECK_EQUAL(reader_visits(reader_own(), "span of exception", POINTS_BEGIN), 1);
	CHECK_EQUAL(reader_visits(reader_own(), "span of exception", POINTS_END), 1);
}

TEST("a library that is loaded and unloaded again and again counts, and its counts stay")
{
	long long before = shared_by_all();
	for (int i = 1; i <= 20; i++) {
		void (*visit)(int);
		void *library = dlopen(MIXED_LOADED, RTLD_NOW);
		if (!library)
			printf("# %s\n", dlerror());
		CHECK(library);
		*(void **)&visit = dlsym(library, "mixed_loaded_library");
		CHECK(visit);
		visit(100);
		CHECK_EQUAL(dlclose(library), 0);
		CHECK(!dlopen(MIXED_LOADED, RTLD_NOW | RTLD_NOLOAD));
		CHECK_EQUAL(shared_by_all() - before, i * 100);
	}
}
