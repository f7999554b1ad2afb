/* SPDX-License-Identifier: BSD-2-Clause */
/* check_names - asks for one name in each file that running programs have mapped as code. */
#include "cli/commands/check_names.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/hash_map.h"
#include "base/memory.h"
#include "collect/process/maps.h"
#include "collect/process/tree.h"
#include "report/display.h"
#include "symbolize/parser/start.h"
#include "symbolize/scope.h"

#include <string.h>
#include <sys/stat.h>

#define TIME_MOST_NS 3000000000ull

struct mapped {
	char *path, *open_path;
	uint64_t offset, size; /* of code that is asked about; of the file */
};

struct mapped_list {
	struct hash_map seen; /* inode and device */
	ARRAY(struct mapped) files;
};

static void add_file(struct mapped_list *list, pid_t pid, const struct maps_line *line)
{
	uint64_t device = (uint64_t)line->file.device;
	AUTO(text) char *open_path = text_format("/proc/%d/root%s", (int)pid, line->path);
	struct stat status;

	if (!line->is_code || !line->file.inode || line->path[0] != '/' ||
	    hash_map_get(&list->seen, line->file.inode, device) != HASH_MAP_NONE)
		return;
	hash_map_set(&list->seen, line->file.inode, device, 0);
	if (stat(open_path, &status))
		return; /* removed since */
	*array_add(&list->files) =
		(struct mapped){.path = text_copy(line->path),
				.open_path = take(&open_path),
				.offset = line->offset + (line->end - line->start) / 2,
				.size = (uint64_t)status.st_size};
}

static struct mapped_list find_files(void)
{
	struct mapped_list list = {0};
	struct process_table processes;

	process_table_read(&processes);
	for (size_t i = 0; i < processes.count; i++) {
		AUTO(maps) struct maps *maps = maps_open(processes.items[i].pid);
		struct maps_line line;
		while (maps_next(maps, &line))
			add_file(&list, processes.items[i].pid, &line);
	}
	process_table_release(&processes);
	return list;
}

static void release_files(struct mapped_list *list)
{
	for (size_t i = 0; i < list->files.count; i++) {
		free(list->files.items[i].path);
		free(list->files.items[i].open_path);
	}
	array_free(&list->files);
	hash_map_clear(&list->seen);
}

struct reading {
	uint64_t spent_ns, slowest_ns;
	uint64_t read_bytes, all_bytes;
	size_t files; /* that were read */
	const char *slowest;
};

static void read_name(struct symbols *symbols, const struct mapped *file, struct reading *reading)
{
	uint64_t start_ns = clock_now_ns();
	uint32_t object;

	if (!symbols_add_object(symbols, file->path, file->open_path, false, &object, NULL))
		symbols_location_at(symbols, object, file->offset);
	uint64_t spent_ns = clock_now_ns() - start_ns;
	reading->spent_ns += spent_ns;
	reading->read_bytes += file->size;
	reading->files++;
	if (spent_ns < reading->slowest_ns)
		return;
	reading->slowest_ns = spent_ns;
	reading->slowest = file->path;
}

static struct reading read_names(const struct mapped_list *list)
{
	struct reading reading = {0};
	struct scope *scope = scope_new();

	scope_add(scope, "bin:*", true);
	struct symbols *symbols = symbols_start(TARGET_LINE, scope);
	for (size_t i = 0; i < list->files.count; i++) {
		reading.all_bytes += list->files.items[i].size;
		if (reading.spent_ns < TIME_MOST_NS)
			read_name(symbols, &list->files.items[i], &reading);
	}
	symbols_free(symbols);
	scope_free(scope);
	return reading;
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

char *check_names_sentence(void)
{
	struct mapped_list list = find_files();
	struct reading reading = read_names(&list);
	AUTO(text) char *slowest = display_clean(reading.slowest ? base_of(reading.slowest) : NULL);
	bool is_cut = reading.files < list.files.count;
	AUTO(text)
	char *rest =
		is_cut && reading.read_bytes ?
			text_format("; all %zu take about %.1f s", list.files.count,
				    (double)reading.spent_ns / 1e9 * (double)reading.all_bytes /
					    (double)reading.read_bytes) :
			text_copy("");
	char *sentence =
		reading.slowest ?
			text_format("code of %zu mapped files (%.0f MB) has its first names after "
				    "%.2f s, %s alone after %.2f s%s",
				    reading.files, (double)reading.read_bytes / 1e6,
				    (double)reading.spent_ns / 1e9, slowest,
				    (double)reading.slowest_ns / 1e9, rest) :
			text_copy("no mapped file can be seen");

	release_files(&list);
	return sentence;
}
