/* SPDX-License-Identifier: BSD-2-Clause */
/* recorded - what other tools recorded: the text of perf script; and Python's tables of lines. */
#include "fuzz.h"

#include "base/cleanup.h"
#include "base/memory.h"
#include "profile/profile.h"
#include "record/perf_script.h"
#include "symbolize/python/line_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void import(const uint8_t *bytes, size_t size)
{
	AUTO(text) char *path = text_format("/dev/shm/lever-fuzz-recorded-%d", (int)getpid());
	struct perf_script_counts counts = {0};
	struct profile *profile;
	struct error error;
	FILE *in = fopen(fuzz_file(bytes, size), "r");

	if (!in || profile_create(path, true, &profile, &error))
		abort();
	perf_script_import(in, "0", profile, &counts, &error);
	free(counts.left_out_event);
	profile_discard(profile);
	fclose(in);
	unlink(path);
}

static void read_lines(const uint8_t *table, size_t size)
{
	struct python_line *lines;
	uint32_t end = 0, bytes = (uint32_t)size * 4;
	size_t count = python_lines_read(table, size, 7, bytes, &lines);

	for (size_t i = 0; i < count; i++) {
		if (lines[i].start != end || lines[i].end < lines[i].start)
			abort();
		end = lines[i].end;
	}
	free(lines);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	read_lines(bytes, size);
	if (size && bytes[0] < 128) /* a table of lines begins with a bit */
		import(bytes, size);
	return 0;
}
