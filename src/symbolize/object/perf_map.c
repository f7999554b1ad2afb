/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perf_map - parses /tmp/perf-PID.map: lines "START SIZE NAME" in hexadecimal. Where lines overlap,
 * the later one holds.
 *
 * Anybody can put a file there. It is read only if it is a regular file and belongs to root, to
 * this user, to the one behind sudo, or to the process's user. Only names are used.
 */
#include "symbolize/object/perf_map.h"

#include "base/caller.h"
#include "base/cleanup.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#define MAP_MOST_BYTES (256LL << 20)
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

static int bound_compare(const void *one, const void *other)
{
	const uint64_t *a = one, *b = other;
	return *a < *b ? -1 : *a > *b;
}

/* The first free cell from `cell` on, by union-find with path compression. */
static size_t free_cell(size_t *next, size_t cell)
{
	size_t last = cell;

	while (next[last] != last)
		last = next[last];
	while (next[cell] != cell) {
		size_t following = next[cell];
		next[cell] = last;
		cell = following;
	}
	return last;
}

static size_t cell_of(const uint64_t *bounds, size_t count, uint64_t bound)
{
	const uint64_t *found = bsearch(&bound, bounds, count, sizeof(*bounds), bound_compare);
	return (size_t)(found - bounds);
}

/*
 * The starts and ends of lines divide the addresses into cells. From the last line to the first,
 * each line takes the cells that are still free.
 */
static void cover_by_latest(struct symtab *symtab)
{
	size_t count = 0;
	uint64_t *bounds = memory_new(2 * symtab->count, sizeof(*bounds));
	size_t *next = memory_new(2 * symtab->count + 1, sizeof(*next));

	for (size_t i = 0; i < symtab->count; i++) {
		bounds[2 * i] = symtab->items[i].start;
		bounds[2 * i + 1] = symtab->items[i].end;
	}
	qsort(bounds, 2 * symtab->count, sizeof(*bounds), bound_compare);
	for (size_t i = 0; i < 2 * symtab->count; i++) {
		if (i == 0 || bounds[i] != bounds[count - 1])
			bounds[count++] = bounds[i];
	}
	for (size_t i = 0; i <= count; i++)
		next[i] = i;
	for (size_t i = symtab->count; i-- > 0;) {
		size_t end = cell_of(bounds, count, symtab->items[i].end);
		size_t cell = free_cell(next, cell_of(bounds, count, symtab->items[i].start));
		for (; cell < end; cell = free_cell(next, cell)) {
			interval_map_add(&symtab->intervals, bounds[cell], bounds[cell + 1],
					 (uint32_t)i, 0);
			next[cell] = cell + 1;
		}
	}
	free(bounds);
	free(next);
	interval_map_flatten(&symtab->intervals);
}

/* The effective one. False: the process has ended. */
static bool find_user_of_process(unsigned pid, uid_t *uid)
{
	AUTO(text) char *path = text_format("/proc/%u/status", pid);
	AUTO(text) char *status = file_read(path, NULL, NULL);
	const char *line = status ? strstr(status, "\nUid:") : NULL;

	return line && sscanf(line, "\nUid: %*u %u", uid) == 1;
}

static bool is_owner_trusted(uid_t owner, const char *path)
{
	struct caller caller;
	unsigned pid;
	uid_t uid;

	if (!owner || owner == geteuid() || (caller_of_sudo(&caller) && owner == caller.uid))
		return true;
	return sscanf(path, "/tmp/perf-%u.map", &pid) == 1 && find_user_of_process(pid, &uid) &&
	       owner == uid;
}

bool perf_map_read(struct object *object, struct interner *texts)
{
	AUTO(fd) int fd = open(object->shown.path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat status;

	if (fd < 0 || fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) ||
	    status.st_size > MAP_MOST_BYTES || !is_owner_trusted(status.st_uid, object->shown.path))
		return false;
	int64_t time_ns = status.st_mtim.tv_sec * 1000000000LL + status.st_mtim.tv_nsec;
	if (status.st_size == object->map_size && time_ns == object->map_time_ns)
		return false;
	object->map_size = status.st_size;
	object->map_time_ns = time_ns;
	AUTO(file) FILE *file = fdopen(fd, "r");
	if (!file)
		return false;
	fd = -1;
	AUTO(text) char *line = NULL;
	size_t capacity = 0;
	symtab_clear(&object->symtab);
	while (object->symtab.count < MAP_MOST_LINES && getline(&line, &capacity, file) > 0)
		add_line(object, texts, line);
	cover_by_latest(&object->symtab);
	object->shown.has_symbols = object->symtab.count > 0;
	return true;
}
