/* SPDX-License-Identifier: BSD-2-Clause */
/* mapped_files - a file that the engine has no room for is told. */
#include "check.h"

#include "base/memory.h"
#include "experiment/target/mapped_files.h"
#include "symbolize/scope.h"
#include "symbolize/symbols.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

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
