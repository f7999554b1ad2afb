/* SPDX-License-Identifier: BSD-2-Clause */
/* jit_file - opens a file of JIT code if it is trusted; of overlapping code the later one holds. */
#include "symbolize/object/jit_file.h"

#include "base/caller.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/path.h"
#include "symbolize/object/brokered.h"
#include "symbolize/object/jit_dump.h"
#include "symbolize/object/jit_state.h"
#include "symbolize/object/perf_map.h"
#include "wire/jit_dump.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define FILE_MOST_BYTES (1LL << 30)
#define OLDER_S 2 /* clocks of file systems are coarse */

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

static bool jit_file_process(const char *path, unsigned *pid)
{
	const char *name = path_base(path);

	return sscanf(name, "perf-%u.map", pid) == 1 || sscanf(name, "jit-%u.dump", pid) == 1;
}

static bool is_owner_trusted(uid_t owner, const char *path)
{
	struct caller caller;
	unsigned pid;
	uid_t uid;

	if (!owner || owner == geteuid() || (caller_of_sudo(&caller) && owner == caller.uid))
		return true;
	return jit_file_process(path, &pid) && find_user_of_process(pid, &uid) && owner == uid;
}

int jit_file_open(const char *path)
{
	AUTO(fd) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat status;

	if (fd < 0 || fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) ||
	    status.st_size > FILE_MOST_BYTES ||
	    (!broker_is_used() && !is_owner_trusted(status.st_uid, path)))
		return -1;
	int opened = fd;
	fd = -1;
	return opened;
}

/* NULL: it is not trusted, or is not there. *is_changed: since the state was taken. */
static FILE *open_file(const char *path, struct jit_file_state *state, bool *is_changed)
{
	AUTO(fd) int fd = path ? jit_file_open(path) : -1;
	struct stat status;

	if (fd < 0 || fstat(fd, &status) != 0)
		return NULL;
	int64_t time_ns = status.st_mtim.tv_sec * 1000000000LL + status.st_mtim.tv_nsec;
	*is_changed |= status.st_size != state->size || time_ns != state->time_ns;
	if (state->inode && (status.st_ino != state->inode || status.st_size < state->size))
		state->resume = -1; /* it was written anew */
	state->inode = status.st_ino;
	state->size = status.st_size;
	state->time_ns = time_ns;
	FILE *file = fdopen(fd, "r");
	if (file)
		fd = -1;
	return file;
}

/* When the process began, in seconds of the wall clock; 0: it has ended. */
static double start_of_process(unsigned pid)
{
	AUTO(text) char *path = text_format("/proc/%u/stat", pid);
	AUTO(text) char *status = file_read(path, NULL, NULL);
	const char *name_end = status ? strrchr(status, ')') : NULL;
	unsigned long long ticks;
	struct timespec wall, boot;

	/* The name is the 2nd field, the start the 22nd. */
	if (!name_end || sscanf(name_end + 1,
				" %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s"
				" %*s %*s %*s %llu",
				&ticks) != 1)
		return 0;
	clock_gettime(CLOCK_REALTIME, &wall);
	clock_gettime(CLOCK_BOOTTIME, &boot);
	return (double)(wall.tv_sec - boot.tv_sec) + (double)(wall.tv_nsec - boot.tv_nsec) / 1e9 +
	       (double)ticks / (double)sysconf(_SC_CLK_TCK);
}

/* The file is of an earlier process with this id. */
static bool is_older_than_process(const struct stat *status, unsigned pid)
{
	return (double)status->st_mtim.tv_sec + OLDER_S < start_of_process(pid);
}

/* The path, if it can be read; NULL, and why, if it should not be. Takes the path. */
static char *readable(char *path, unsigned pid, char **refused)
{
	struct stat status;

	if (path && !access(path, R_OK) && !stat(path, &status)) {
		if (!is_older_than_process(&status, pid))
			return path;
		text_add_line(refused,
			      text_format("'%s' is older than process %u, so it tells the code of "
					  "another one and is not read; remove it",
					  path, pid));
	}
	free(path);
	return NULL;
}

char *jit_file_path(unsigned pid, char **refused)
{
	AUTO(text) char *link = text_format("/proc/%u/cwd", pid);
	AUTO(text) char *folder = realpath(link, NULL);
	char *found = readable(text_format("/tmp/jit-%u.dump", pid), pid, refused);

	if (!found)
		found = readable(text_format("%s/jit-%u.dump", folder ? folder : ".", pid), pid,
				 refused);
	return found ? found : readable(text_format("/tmp/perf-%u.map", pid), pid, refused);
}

char *jit_file_names_path(const char *path)
{
	unsigned pid;
	struct stat status;

	if (sscanf(path_base(path), "jit-%u.dump", &pid) != 1)
		return NULL;
	char *names = text_format("/tmp/perf-%u.map", pid);
	/* The parser's process is given those that passed this. */
	if (broker_is_used() || (!stat(names, &status) && !is_older_than_process(&status, pid)))
		return names;
	free(names);
	return NULL;
}

/* The code that has been taken in for good stays, unless a file was written anew. */
static void begin_reading(struct object *object)
{
	struct jit_state *state = object->jit;

	if (state->main.resume < 0 || state->names.resume < 0) {
		state->main.resume = state->names.resume = 0;
		state->entries = 0;
		script_functions_clear(&state->scripts);
	}
	object->symtab.count = state->entries;
	interval_map_clear(&object->symtab.intervals);
}

/* All addresses, once. */
static bool tell_untold(struct object *object, struct interner *texts)
{
	bool is_new = object->symtab.count == 0;

	if (is_new) {
		*array_add(&object->symtab) = (struct symtab_entry){
			.end = INT64_MAX,
			.name = interner_add(texts, SYMBOLS_JIT_UNTOLD),
		};
		interval_map_add(&object->symtab.intervals, 0, INT64_MAX, 0, 0);
		interval_map_flatten(&object->symtab.intervals);
	}
	object->shown.has_symbols = true;
	return is_new;
}

bool jit_file_read(struct object *object, struct interner *texts)
{
	bool is_changed = false;
	uint32_t magic = 0;

	if (!strcmp(object->shown.path, SYMBOLS_JIT_UNTOLD))
		return tell_untold(object, texts);
	if (!object->jit)
		object->jit = memory_new(1, sizeof(*object->jit));
	AUTO(file) FILE *file = open_file(object->shown.path, &object->jit->main, &is_changed);
	AUTO(text) char *names_path = file ? jit_file_names_path(object->shown.path) : NULL;
	AUTO(file) FILE *names = open_file(names_path, &object->jit->names, &is_changed);
	if (!file || !is_changed)
		return false;
	bool is_dump = fread(&magic, sizeof(magic), 1, file) == 1 && magic == JIT_DUMP_MAGIC;
	rewind(file);
	begin_reading(object);
	if (is_dump)
		jit_dump_read(object, texts, file);
	else
		perf_map_read(object, texts, file);
	if (is_dump && names)
		perf_map_read_rest(object, texts, names);
	cover_by_latest(&object->symtab);
	object->shown.has_symbols = object->symtab.count > 0;
	return true;
}
