/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perf_map - parses /tmp/perf-PID.map: lines "START SIZE NAME" in hexadecimal. Where lines overlap,
 * the later one holds.
 */
#include "symbolize/object/perf_map.h"

#include "base/cleanup.h"

#include <inttypes.h>
#include <string.h>

#define MAP_MOST_LINES (1u << 23)

static void add_line(struct object *object, struct interner *texts, char *line)
{
	uint64_t start = 0, size = 0;
	int name_at = 0;

	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line, "%" SCNx64 " %" SCNx64 " %n", &start, &size, &name_at) != 2 || !name_at ||
	    !line[name_at] || size == 0 || size > UINT64_MAX - start)
		return;
	*array_add(&object->symtab) = (struct symtab_entry){
		.start = start,
		.end = start + size,
		.name = interner_add(texts, line + name_at),
	};
}

void perf_map_read(struct object *object, struct interner *texts, FILE *file)
{
	AUTO(text) char *line = NULL;
	size_t capacity = 0;

	while (object->symtab.count < MAP_MOST_LINES && getline(&line, &capacity, file) > 0)
		add_line(object, texts, line);
}
