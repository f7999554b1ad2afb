/* SPDX-License-Identifier: BSD-2-Clause */
/* mapped_files - a file that the engine has no room for is told; data in place of code are not. */
#include "check.h"

#include "base/clock.h"
#include "base/memory.h"
#include "experiment/target/mapped_files.h"
#include "symbolize/scope.h"
#include "symbolize/symbols.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

static int name_object(void *context, const struct wire_file *file, uint32_t object)
{
	(void)file;
	(void)object;
	return *(int *)context;
}

static int set_unwind(void *context, uint32_t object, const struct wire_unwind_row *rows,
		      size_t count)
{
	(void)object;
	(void)rows;
	(void)count;
	return *(int *)context;
}

/* The vDSO is announced at once. */
static char *warnings_with(int code)
{
	const struct mapped_files_sink sink = {.context = &code,
					       .name_object = name_object,
					       .set_unwind = set_unwind};
	struct scope *scope = scope_new();
	struct symbols *symbols = symbols_new(TARGET_LINE, scope);
	struct mapped_files *mapped_files = mapped_files_new(symbols, &sink);
	char *warnings = text_copy(mapped_files_warnings(mapped_files));

	mapped_files_free(mapped_files);
	symbols_free(symbols);
	scope_free(scope);
	return warnings;
}

TEST("files within the limits give no warning")
{
	CHECK(!warnings_with(0));
}

TEST("a file without room has a warning about its names and one about its call chains")
{
	if (!getauxval(AT_SYSINFO_EHDR))
		SKIP("no vDSO here");
	char *warnings = warnings_with(-E2BIG);

	CHECK(warnings && strstr(warnings, "have no names"));
	CHECK(warnings && strstr(warnings, "follow frame pointers"));
	free(warnings);
}

/* An announcement may be read long after it was made: by then the address may hold another file. */
TEST("an announcement of code that has gone says nothing of the data that are there now")
{
	int code = 0;
	const struct mapped_files_sink sink = {.context = &code,
					       .name_object = name_object,
					       .set_unwind = set_unwind};
	char path[] = "/tmp/lever-test-XXXXXX";
	int fd = mkstemp(path);
	CHECK(fd >= 0 && write(fd, "no ELF file", 11) == 11);
	for (int is_code = 0; is_code <= 1; is_code++) {
		void *there = mmap(NULL, 11, is_code ? PROT_READ | PROT_EXEC : PROT_READ,
				   MAP_PRIVATE, fd, 0);
		struct kernel_object_event event = {.tgid = (uint32_t)getpid(),
						    .start = (uint64_t)(uintptr_t)there};
		struct scope *scope = scope_new();
		struct symbols *symbols = symbols_new(TARGET_LINE, scope);
		struct mapped_files *mapped_files = mapped_files_new(symbols, &sink);
		CHECK(!mapped_files_on_object(mapped_files, &event));
		CHECK_EQUAL(mapped_files_warnings(mapped_files) != NULL, is_code);
		mapped_files_free(mapped_files);
		symbols_free(symbols);
		scope_free(scope);
		munmap(there, 11);
	}
	close(fd);
	unlink(path);
}

#define SECOND 1000000000ull

static unsigned files_with_rows;

static int name_any(void *context, const struct wire_file *file, uint32_t object)
{
	(void)context;
	(void)file;
	return (int)object * 0;
}

static int count_rows(void *context, uint32_t object, const struct wire_unwind_row *rows,
		      size_t count)
{
	(void)context;
	(void)rows;
	files_with_rows += count > 0;
	return (int)object * 0;
}

/* How often rows were sent for this program, announced while time is short. */
static unsigned sent_after(uint64_t age_ns, uint64_t unused_ns, bool is_still_sparing)
{
	const struct mapped_files_sink sink = {.name_object = name_any, .set_unwind = count_rows};
	struct scope *scope = scope_new();
	struct symbols *symbols = symbols_new(TARGET_LINE, scope);
	struct mapped_files *mapped_files = mapped_files_new(symbols, &sink);
	uint64_t now = clock_now_ns();
	uint32_t object;

	CHECK(!symbols_add_object(symbols, "/proc/self/exe", NULL, true, &object, NULL));
	files_with_rows = 0;
	mapped_files_spare(mapped_files, true, now);
	mapped_files_announce(mapped_files, object);
	CHECK_EQUAL(files_with_rows, 0);
	mapped_files_use(mapped_files, object, now + age_ns - unused_ns);
	for (int i = 0; i < 2; i++)
		mapped_files_spare(mapped_files, is_still_sparing, now + age_ns);
	mapped_files_free(mapped_files);
	symbols_free(symbols);
	scope_free(scope);
	return files_with_rows;
}

TEST("while time is short, a file's unwind rows are read once it has run for some seconds")
{
	CHECK_EQUAL(sent_after(2 * SECOND, 0, true), 0);
	CHECK_EQUAL(sent_after(10 * SECOND, SECOND, true), 1);
	CHECK_EQUAL(sent_after(10 * SECOND, 5 * SECOND, true), 0);
}

TEST("when there is time again, rows of what runs are read at once")
{
	CHECK_EQUAL(sent_after(2 * SECOND, 0, false), 1);
	CHECK_EQUAL(sent_after(10 * SECOND, 5 * SECOND, false), 0);
}

TEST("while time is short, no address is looked for in the maps of its process")
{
	const struct mapped_files_sink sink = {.name_object = name_any, .set_unwind = count_rows};
	struct scope *scope = scope_new();
	struct symbols *symbols = symbols_new(TARGET_LINE, scope);
	struct mapped_files *mapped_files = mapped_files_new(symbols, &sink);
	uint64_t address = (uint64_t)(uintptr_t)count_rows, offset;
	uint32_t object, self = (uint32_t)getpid();

	mapped_files_spare(mapped_files, true, clock_now_ns());
	CHECK(!mapped_files_locate(mapped_files, self, address, &object, &offset));
	mapped_files_spare(mapped_files, false, clock_now_ns());
	CHECK(mapped_files_locate(mapped_files, self, address, &object, &offset));
	mapped_files_free(mapped_files);
	symbols_free(symbols);
	scope_free(scope);
}
