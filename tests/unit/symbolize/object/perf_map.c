/* SPDX-License-Identifier: BSD-2-Clause */
/* perf_map - functions of a perf map, also while it grows and code is replaced. */
#include "symbolize/symbols.h"

#include "../fixture.h"

#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *name_at(struct fixture *fixture, uint64_t address)
{
	uint32_t location = symbols_location_at(fixture->symbols, fixture->object, address);
	return location == SYMBOLS_NONE ? NULL : symbols_location(fixture->symbols, location)->name;
}

static int open_map(struct fixture *fixture, const char *content)
{
	fixture_begin();
	fixture_write("perf.map", content, strlen(content));
	AUTO(text) char *path = text_format("%s/perf.map", fixture_directory);
	*fixture = (struct fixture){.scope = scope_new()};
	fixture->symbols = symbols_new(TARGET_LINE, fixture->scope);
	return symbols_add_jit(fixture->symbols, path, &fixture->object, &fixture->error);
}

TEST("an address in a map has the name of its line, with blanks")
{
	struct fixture fixture;
	CHECK_EQUAL(open_map(&fixture, "7f0000001000 40 first\nwrong line\n7f0000001040 20 "
				       "LazyCompile:*second main.js:3 of\n"),
		    0);
	CHECK_TEXT(name_at(&fixture, 0x7f0000001000), "first");
	CHECK_TEXT(name_at(&fixture, 0x7f000000103f), "first");
	CHECK_TEXT(name_at(&fixture, 0x7f0000001040), "LazyCompile:*second main.js:3 of");
	CHECK_TEXT(name_at(&fixture, 0x7f0000001060), NULL);
	CHECK_TEXT(symbols_function_at(fixture.symbols, fixture.object, 0x7f0000001001), "first");
	fixture_close(&fixture);
}

TEST("a function of a script is one target in all tiers of V8, and named as in a jitdump")
{
	struct fixture fixture;
	const struct range *ranges;
	CHECK_EQUAL(open_map(&fixture, "1000 40 JS:~first /srv/app.js:2:15\n"
				       "2000 40 JS:^first /srv/app.js:2:15\n"
				       "3000 40 JS:+first /srv/app.js:2:15\n"
				       "4000 40 JS:*first /srv/app.js:2:15\n"
				       "5000 40 JS:*inspect node:internal/util:8:1\n"
				       "6000 40 Function:* /srv/app.js:1\n"
				       "7000 40 RegExp:a b:1\n"),
		    0);
	uint32_t location = symbols_location_at(fixture.symbols, fixture.object, 0x1000);
	for (uint64_t address = 0x2000; address < 0x5000; address += 0x1000)
		CHECK_EQUAL(symbols_location_at(fixture.symbols, fixture.object, address),
			    location);
	CHECK_TEXT(name_at(&fixture, 0x1000), "first");
	CHECK_EQUAL(symbols_location_ranges(fixture.symbols, location, &ranges), 4);
	CHECK_TEXT(name_at(&fixture, 0x5000), NULL);
	CHECK_TEXT(name_at(&fixture, 0x6000), "(module)");
	CHECK_TEXT(name_at(&fixture, 0x7000), "RegExp:a b:1");
	fixture_close(&fixture);
}

TEST("where lines overlap the later one holds")
{
	struct fixture fixture;
	CHECK_EQUAL(open_map(&fixture, "1000 100 old\n1040 20 inner\n1200 10 far\n0ff0 60 new\n"),
		    0);
	CHECK_TEXT(name_at(&fixture, 0xff0), "new");
	CHECK_TEXT(name_at(&fixture, 0x1048), "new");
	CHECK_TEXT(name_at(&fixture, 0x1050), "inner");
	CHECK_TEXT(name_at(&fixture, 0x1060), "old");
	CHECK_TEXT(name_at(&fixture, 0x10ff), "old");
	CHECK_TEXT(name_at(&fixture, 0x1205), "far");
	CHECK_TEXT(name_at(&fixture, 0x1100), NULL);
	fixture_close(&fixture);
}

TEST("a function with its callees keeps its code when a map grows")
{
	struct fixture fixture;
	const struct range *ranges;
	uint32_t location, at[1];
	CHECK_EQUAL(open_map(&fixture, "1000 100 work\n"), 0);
	CHECK_EQUAL(symbols_find_inclusive(fixture.symbols, "work", &location, &fixture.error), 0);
	static const char grown[] = "1000 100 work\n2000 100 other\n3000 80 work\n";
	fixture_write("perf.map", grown, strlen(grown));
	CHECK_TEXT(name_at(&fixture, 0x2010), "other");
	CHECK_EQUAL(symbols_location_ranges(fixture.symbols, location, &ranges), 2);
	CHECK_EQUAL(ranges[1].start, 0x3000);
	CHECK_EQUAL(symbols_functions_at(fixture.symbols, fixture.object, 0x3010, at, 1), 1);
	CHECK_EQUAL(at[0], location);
	fixture_close(&fixture);
}

TEST("a map that grew is read again, and moved functions keep their location")
{
	struct fixture fixture;
	const struct range *ranges;
	CHECK_EQUAL(open_map(&fixture, "1000 100 work\n"), 0);
	uint32_t location = symbols_location_at(fixture.symbols, fixture.object, 0x1010);
	uint64_t generation = symbols_generation(fixture.symbols);
	static const char grown[] = "1000 100 work\n1000 100 other\n3000 80 work\n";
	fixture_write("perf.map", grown, strlen(grown));
	CHECK_EQUAL(symbols_location_at(fixture.symbols, fixture.object, 0x3010), location);
	CHECK(symbols_generation(fixture.symbols) != generation);
	CHECK_EQUAL(symbols_location_ranges(fixture.symbols, location, &ranges), 1);
	CHECK_EQUAL(ranges[0].start, 0x3000);
	CHECK_EQUAL(ranges[0].end, 0x3080);
	CHECK_TEXT(name_at(&fixture, 0x1010), "other");
	CHECK_EQUAL(symbols_find(fixture.symbols, "work", &location, &fixture.error), 0);
	CHECK_EQUAL(symbols_scope_ranges(fixture.symbols, fixture.object, &ranges), 2);
	fixture_close(&fixture);
}

TEST("a missing map is an error")
{
	struct fixture fixture = {.scope = scope_new()};
	fixture.symbols = symbols_new(TARGET_LINE, fixture.scope);
	CHECK_EQUAL(symbols_add_jit(fixture.symbols, "/nonexistent/perf-1.map", &fixture.object,
				    &fixture.error),
		    -ENOENT);
	fixture_close(&fixture);
}

TEST("names of a map that another user has put there, or that is a link, are not used")
{
	struct fixture fixture;
	if (geteuid() != 0)
		SKIP("only root can give a file away");
	unsetenv("SUDO_UID");
	CHECK_EQUAL(open_map(&fixture, "1000 100 before\n"), 0);
	AUTO(text) char *path = text_format("%s/perf.map", fixture_directory);
	CHECK_TEXT(name_at(&fixture, 0x1010), "before");
	fixture_write("perf.map", "1000 100 before\n2000 100 planted\n", 33);
	CHECK_EQUAL(chown(path, 65534, 65534), 0);
	CHECK_TEXT(name_at(&fixture, 0x2010), NULL);
	CHECK_EQUAL(chown(path, 0, 0), 0);
	CHECK_TEXT(name_at(&fixture, 0x2010), "planted");
	fixture_close(&fixture);
}

TEST("a map that is older than its process is another's, and refused with a sentence")
{
	AUTO(text) char *path = text_format("/tmp/perf-%d.map", getpid());
	AUTO(text) char *refused = NULL;
	const struct timespec old[2] = {{.tv_sec = 1000000000}, {.tv_sec = 1000000000}};

	AUTO(file) FILE *file = fopen(path, "w");
	CHECK(file);
	AUTO(text) char *found = symbols_jit_path((unsigned)getpid(), &refused);
	CHECK_TEXT(found, path);
	CHECK_TEXT(refused, NULL);
	CHECK_EQUAL(utimensat(AT_FDCWD, path, old, 0), 0);
	AUTO(text) char *again = symbols_jit_path((unsigned)getpid(), &refused);
	CHECK_TEXT(again, NULL);
	CHECK(refused && strstr(refused, "is older than process"));
	unlink(path);
}
