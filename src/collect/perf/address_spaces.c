/* SPDX-License-Identifier: BSD-2-Clause */
/* address_spaces - arrays of mappings by process, of files, and of unwind rows by object. */
#include "collect/perf/address_spaces.h"

#include "base/memory.h"
#include "collect/process/maps.h"

#include <string.h>

#define PROCESSES_MOST (1u << 22) /* the most that pid_max can be */
#define NO_FILE UINT32_MAX

struct mapping {
	uint64_t start, end, offset;
	uint32_t file; /* index; NO_FILE */
};

struct space {
	ARRAY(struct mapping) mappings; /* later ones hide earlier ones */
};

struct rows {
	struct wire_unwind_row *items;
	size_t count;
};

struct address_spaces {
	uint32_t *index; /* of each process, + 1; 0: unknown */
	ARRAY(struct space) spaces;
	ARRAY(struct perf_file) files;
	ARRAY(struct rows) rows; /* by object */
};

struct address_spaces *address_spaces_new(void)
{
	struct address_spaces *spaces = memory_new(1, sizeof(*spaces));
	spaces->index = memory_new(PROCESSES_MOST, sizeof(*spaces->index));
	return spaces;
}

void address_spaces_free(struct address_spaces *spaces)
{
	if (!spaces)
		return;
	for (size_t i = 0; i < spaces->spaces.count; i++)
		array_free(&spaces->spaces.items[i].mappings);
	for (size_t i = 0; i < spaces->files.count; i++)
		free(spaces->files.items[i].path);
	for (size_t i = 0; i < spaces->rows.count; i++)
		free(spaces->rows.items[i].items);
	array_free(&spaces->spaces);
	array_free(&spaces->files);
	array_free(&spaces->rows);
	free(spaces->index);
	free(spaces);
}

static struct space *space_of(struct address_spaces *spaces, uint32_t process)
{
	uint32_t *index = &spaces->index[process % PROCESSES_MOST];

	if (!*index) {
		(void)array_add(&spaces->spaces);
		*index = (uint32_t)spaces->spaces.count;
	}
	return &spaces->spaces.items[*index - 1];
}

static bool is_same(const struct wire_file *a, const struct wire_file *b)
{
	return a->inode == b->inode && a->device == b->device;
}

static uint32_t file_index(struct address_spaces *spaces, const struct wire_file *file,
			   const char *path)
{
	if (!file->inode)
		return NO_FILE;
	for (size_t i = spaces->files.count; i-- > 0;)
		if (is_same(&spaces->files.items[i].file, file))
			return (uint32_t)i;
	*array_add(&spaces->files) = (struct perf_file){.file = *file, .path = text_copy(path)};
	return (uint32_t)(spaces->files.count - 1);
}

/* The kernel's own library is no file, but has rows and names (experiment/files). */
static void mark_vdso(const char *text, struct wire_file *file, struct mapping *mapping)
{
	if (!text || file->inode || strcmp(text, "[vdso]"))
		return;
	file->inode = WIRE_INODE_VDSO;
	mapping->offset = 0;
}

static void add(struct address_spaces *spaces, uint32_t process, const struct mapping *mapping)
{
	*array_add(&space_of(spaces, process)->mappings) = *mapping;
}

void address_spaces_read(struct address_spaces *spaces, pid_t process)
{
	AUTO(maps) struct maps *maps = maps_open(process);
	struct maps_line line;

	while (maps_next(maps, &line)) {
		struct mapping mapping = {.start = line.start,
					  .end = line.end,
					  .offset = line.offset};
		if (!line.is_code)
			continue;
		mark_vdso(line.path, &line.file, &mapping);
		mapping.file = file_index(spaces, &line.file, line.path);
		add(spaces, (uint32_t)process, &mapping);
	}
}

void address_spaces_map(struct address_spaces *spaces, const struct perf_record *record)
{
	struct wire_file file = {.inode = record->inode, .device = record->device};
	struct mapping mapping = {.start = record->start,
				  .end = record->start + record->bytes,
				  .offset = record->offset};

	mark_vdso(record->text, &file, &mapping);
	mapping.file = file_index(spaces, &file, record->text);
	add(spaces, record->pid, &mapping);
}

void address_spaces_fork(struct address_spaces *spaces, uint32_t parent, uint32_t child)
{
	address_spaces_remove(spaces, child);
	(void)space_of(spaces, child); /* the array may move */
	const struct space *from = space_of(spaces, parent);
	for (size_t i = 0; i < from->mappings.count; i++)
		add(spaces, child, &from->mappings.items[i]);
}

void address_spaces_remove(struct address_spaces *spaces, uint32_t process)
{
	space_of(spaces, process)->mappings.count = 0;
}

bool address_spaces_find(const struct address_spaces *spaces, uint32_t process, uint64_t address,
			 struct perf_location *place)
{
	uint32_t index = spaces->index[process % PROCESSES_MOST];
	const struct space *space = index ? &spaces->spaces.items[index - 1] : NULL;

	for (size_t i = space ? space->mappings.count : 0; i-- > 0;) {
		const struct mapping *mapping = &space->mappings.items[i];
		if (address < mapping->start || address >= mapping->end)
			continue;
		*place = (struct perf_location){.start = mapping->start,
						.end = mapping->end,
						.offset = address};
		if (mapping->file != NO_FILE) {
			place->file = &spaces->files.items[mapping->file];
			place->offset = address - mapping->start + mapping->offset;
		}
		return true;
	}
	return false;
}

void address_spaces_name(struct address_spaces *spaces, const struct wire_file *file,
			 uint32_t object)
{
	uint32_t index = file_index(spaces, file, NULL);
	if (index != NO_FILE)
		spaces->files.items[index].object = object;
}

void address_spaces_set_rows(struct address_spaces *spaces, uint32_t object,
			     const struct wire_unwind_row *rows, size_t count)
{
	while (spaces->rows.count <= object)
		(void)array_add(&spaces->rows);
	struct rows *kept = &spaces->rows.items[object];
	kept->items = memory_resize(kept->items, count, sizeof(*rows));
	kept->count = count;
	if (count)
		memcpy(kept->items, rows, count * sizeof(*rows));
}

const struct wire_unwind_row *address_spaces_rows(const struct address_spaces *spaces,
						  uint32_t object, size_t *count)
{
	*count = object < spaces->rows.count ? spaces->rows.items[object].count : 0;
	return *count ? spaces->rows.items[object].items : NULL;
}
