/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perf_map - parses /tmp/perf-PID.map: lines "START SIZE NAME" in hexadecimal. Where lines overlap,
 * the later one holds.
 */
#include "symbolize/object/perf_map.h"

#include "base/cleanup.h"
#include "symbolize/object/jit_dump.h"
#include "symbolize/object/jit_state.h"
#include "symbolize/object/script_name.h"

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
	struct symtab_entry entry = {.start = start, .end = start + size};
	struct script_name script;
	bool is_script = script_name_read(texts, line + name_at, &entry, &script);
	if (!is_script)
		entry.name = interner_add(texts, line + name_at);
	*array_add(&object->symtab) = entry;
	if (is_script) /* a jitdump may have told its lines */
		jit_dump_add_lines(object, texts, &entry, &script);
}

void perf_map_read(struct object *object, struct interner *texts, FILE *file)
{
	struct jit_state *state = object->jit;
	AUTO(text) char *line = NULL;
	size_t capacity = 0;
	ssize_t length = 0;

	if (fseeko(file, state->main.resume, SEEK_SET) != 0)
		return;
	while (object->symtab.count < MAP_MOST_LINES &&
	       (length = getline(&line, &capacity, file)) > 0) {
		bool is_whole = line[length - 1] == '\n';
		add_line(object, texts, line);
		if (is_whole) {
			state->main.resume += length;
			state->entries = object->symtab.count;
		}
	}
}

void perf_map_read_rest(struct object *object, struct interner *texts, FILE *file)
{
	struct jit_file_state *state = &object->jit->names;
	size_t known = object->symtab.count, capacity = 0;
	off_t at = state->resume;
	AUTO(text) char *line = NULL;
	ssize_t length = 0;

	if (fseeko(file, at, SEEK_SET) != 0)
		return;
	while (object->symtab.count < MAP_MOST_LINES &&
	       (length = getline(&line, &capacity, file)) > 0) {
		at += length;
		if (strtoull(line, NULL, 16) == object->jit->last_code) {
			object->symtab.count = known;
			state->resume = at;
		} else if (line[length - 1] == '\n') {
			add_line(object, texts, line);
		}
	}
	if (!state->resume) /* it is not known where the jitdump's end is */
		object->symtab.count = known;
}
