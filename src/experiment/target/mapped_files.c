/* SPDX-License-Identifier: BSD-2-Clause */
/* mapped_files - finds announced mappings in /proc, opens their files, passes on unwind rows. */
#include "experiment/target/mapped_files.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "collect/collector_hosts.h"
#include "collect/process/maps.h"
#include "experiment/target/file_lives.h"
#include "experiment/target/python_events.h"
#include "symbolize/object/unwind.h"

#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define SWEEP_EVERY_NS 5000000000ull
#define RUNS_NOW_NS 2000000000ull  /* since its last sample */
#define RUNS_LONG_NS 5000000000ull /* since it was announced */
#define UNREADABLE_MOST 20         /* files with a warning each */

struct put_off {
	uint32_t object;
	uint64_t since_ns;
};

struct mapped_files {
	struct symbols *symbols;
	struct mapped_files_sink sink;
	struct file_lives *lives;
	ARRAY(bool) examined; /* by object: for an interpreter of Python */
	bool is_sparing;
	ARRAY(struct put_off) put_off; /* files without their rows */
	char *warnings;
	uint64_t swept_ns;
	unsigned unreadable; /* files that have a warning, or would have one */
};

void mapped_files_free(struct mapped_files *mapped_files)
{
	if (!mapped_files)
		return;
	file_lives_free(mapped_files->lives);
	array_free(&mapped_files->examined);
	array_free(&mapped_files->put_off);
	free(mapped_files->warnings);
	free(mapped_files);
}

const char *mapped_files_warnings(const struct mapped_files *mapped_files)
{
	return mapped_files->warnings;
}

static bool has_memory(const char *path)
{
	AUTO(file) FILE *maps = fopen(path, "re");
	return maps && getc(maps) != EOF;
}

/*
 * A thread of the process that still has its memory, or 0. Once the first thread has ended,
 * /proc/PID/maps is empty, while other threads may still run.
 */
static uint32_t living_thread(uint32_t tgid)
{
	AUTO(text) char *first = text_format("/proc/%u/maps", tgid);
	if (has_memory(first))
		return tgid;
	AUTO(text) char *pattern = text_format("/proc/%u/task/*/maps", tgid);
	glob_t paths = {0};
	uint32_t found = 0;

	if (glob(pattern, GLOB_NOSORT, NULL, &paths))
		return 0;
	for (size_t i = 0; i < paths.gl_pathc && !found; i++) {
		if (!has_memory(paths.gl_pathv[i]) ||
		    sscanf(paths.gl_pathv[i], "/proc/%*u/task/%" SCNu32, &found) != 1)
			found = 0;
	}
	globfree(&paths);
	return found;
}

struct mapping {
	uint64_t start, end, offset;
	bool is_code;
	char *path;
};

static void mapping_auto_release(struct mapping *mapping)
{
	free(mapping->path);
}

/*
 * The mapping that holds the address, as /proc/TID/maps shows it; its path is NULL without a file.
 */
static bool find_range(uint32_t tid, uint64_t address, struct mapping *found)
{
	AUTO(text) char *name = text_format("/proc/%u/maps", tid);
	AUTO(file) FILE *maps = fopen(name, "re");
	AUTO(text) char *line = NULL;
	size_t room = 0;

	while (maps && getline(&line, &room, maps) > 0) {
		int at = 0;
		char rights[5];
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %*s %n",
			   &found->start, &found->end, rights, &found->offset, &at) < 4 ||
		    found->start > address || found->end <= address || !at)
			continue;
		line[strcspn(line, "\n")] = 0;
		found->path = line[at] == '/' ? text_copy(line + at) : NULL;
		found->is_code = strchr(rights, 'x');
		return true;
	}
	return false;
}

/* The same for mappings of files only; false if the mapping has gone. */
static bool find_mapping(uint32_t tid, uint64_t address, struct mapping *found)
{
	return find_range(tid, address, found) && found->path;
}

static void warn_of_python(struct mapped_files *mapped_files, uint32_t object, uint32_t version)
{
	AUTO(text)
	char *shown = version ? text_format(" %u.%u.%u", version >> 24, version >> 16 & 0xff,
					    version >> 8 & 0xff) :
				text_copy(", older than 3.11");

	text_add_line(&mapped_files->warnings,
		      text_format("%s is Python%s: its frames cannot be read, so time is told by "
				  "functions of the interpreter; lever reads Python 3.11, 3.12 and "
				  "3.13 with a global lock",
				  symbols_object(mapped_files->symbols, object)->path, shown));
}

static void send_python(struct mapped_files *mapped_files, uint32_t object)
{
	const struct mapped_files_sink *sink = &mapped_files->sink;
	struct symbols_python found;

	if (!sink->set_python)
		return;
	enum symbols_python_state state = symbols_python(mapped_files->symbols, object, &found);
	if (state == SYMBOLS_PYTHON_UNKNOWN)
		warn_of_python(mapped_files, object, found.version);
	if (state != SYMBOLS_PYTHON_KNOWN)
		return;
	struct wire_python python = python_events_layout(&found);
	int code = sink->set_python(sink->context, object + 1, &python);
	if (!code)
		symbols_see_through(mapped_files->symbols, object);
	if (code == -E2BIG)
		text_add_line(
			&mapped_files->warnings,
			text_format("the program runs more than %d different Python "
				    "interpreters: time in the last ones is told by functions "
				    "of the interpreter; profile fewer processes",
				    WIRE_PYTHONS_MOST));
}

/* Once: the number of a file that is dropped and comes back is the same. */
static void send_python_once(struct mapped_files *mapped_files, uint32_t object)
{
	while (mapped_files->examined.count <= object)
		*array_add(&mapped_files->examined) = false;
	if (!mapped_files->examined.items[object])
		send_python(mapped_files, object);
	mapped_files->examined.items[object] = true;
}

static size_t read_unwind_rows(struct mapped_files *mapped_files, uint32_t object)
{
	struct unwind_row *rows;

	send_python_once(mapped_files, object);
	size_t count = symbols_unwind_rows(mapped_files->symbols, object, &rows);
	struct wire_unwind_row *sent = memory_new(count, sizeof(*sent));
	for (size_t i = 0; i < count; i++)
		sent[i] = (struct wire_unwind_row){.start = rows[i].start,
						   .cfa_offset = rows[i].cfa_offset,
						   .frame_offset = rows[i].frame_offset,
						   .rule = rows[i].rule,
						   .return_slot = rows[i].return_slot};
	if (mapped_files->sink.set_unwind(mapped_files->sink.context, object + 1, sent, count))
		text_add_line(
			&mapped_files->warnings,
			text_format("the program has more than %d files with code, or %d rows to "
				    "unwind them: call chains through the last files follow "
				    "frame pointers; profile fewer processes",
				    WIRE_OBJECTS_MOST, WIRE_UNWIND_ROWS_MOST));
	free(sent);
	free(rows);
	return count;
}

static void send_unwind_rows(struct mapped_files *mapped_files, uint32_t object)
{
	uint64_t now = clock_now_ns();

	if (file_lives_has(mapped_files->lives, object))
		return;
	size_t count = mapped_files->is_sparing ? 0 : read_unwind_rows(mapped_files, object);
	file_lives_begin(mapped_files->lives, object, count, now);
	if (mapped_files->is_sparing)
		*array_add(&mapped_files->put_off) =
			(struct put_off){.object = object, .since_ns = now};
}

/* Whether it is time for its rows. */
static bool is_due(const struct mapped_files *mapped_files, const struct put_off *file,
		   uint64_t now_ns)
{
	uint64_t used = file_lives_used_ns(mapped_files->lives, file->object);
	bool runs_long = now_ns > file->since_ns + RUNS_LONG_NS;

	return used + RUNS_NOW_NS > now_ns && (runs_long || !mapped_files->is_sparing);
}

void mapped_files_spare(struct mapped_files *mapped_files, bool is_sparing, uint64_t now_ns)
{
	size_t kept = 0;

	mapped_files->is_sparing = is_sparing;
	for (size_t i = 0; i < mapped_files->put_off.count; i++) {
		struct put_off file = mapped_files->put_off.items[i];
		if (is_due(mapped_files, &file, now_ns))
			file_lives_set_rows(mapped_files->lives, file.object,
					    read_unwind_rows(mapped_files, file.object));
		else
			mapped_files->put_off.items[kept++] = file;
	}
	mapped_files->put_off.count = kept;
}

static void name_object(struct mapped_files *mapped_files, const struct wire_file *file,
			uint32_t object)
{
	const struct symbols_object *known = symbols_object(mapped_files->symbols, object);

	if (mapped_files->sink.describe_object)
		mapped_files->sink.describe_object(mapped_files->sink.context, object + 1,
						   known->path, known->build_id);
	file_lives_name(mapped_files->lives, object, file);
	if (mapped_files->sink.name_object(mapped_files->sink.context, file, object + 1))
		text_add_line(
			&mapped_files->warnings,
			text_copy("the program has more files with code than there is room for: "
				  "samples in the last files have no names; profile fewer "
				  "processes"));
}

/*
 * Announces the vDSO by this process's copy of it, which is written into a memory file for the ELF
 * reader.
 */
static void announce_vdso(struct mapped_files *mapped_files)
{
	unsigned long start = getauxval(AT_SYSINFO_EHDR);
	struct mapping mapping = {0};
	uint32_t object;

	if (!start || !find_range((uint32_t)getpid(), start, &mapping))
		return;
	size_t bytes = mapping.end - mapping.start;
	AUTO(fd) int copy = memfd_create("vdso", MFD_CLOEXEC);
	AUTO(text) char *path = text_format("/proc/self/fd/%d", copy);
	/* NOLINTNEXTLINE(performance-no-int-to-ptr): getauxval returns addresses as numbers */
	if (copy < 0 || write(copy, (const void *)start, bytes) != (ssize_t)bytes ||
	    symbols_add_object(mapped_files->symbols, "[vdso]", path, false, &object, NULL))
		return;
	send_unwind_rows(mapped_files, object);
	struct wire_file file = {.inode = WIRE_INODE_VDSO};
	name_object(mapped_files, &file, object);
}

struct mapped_files *mapped_files_new(struct symbols *symbols, const struct mapped_files_sink *sink)
{
	struct mapped_files *mapped_files = memory_new(1, sizeof(*mapped_files));
	mapped_files->symbols = symbols;
	mapped_files->sink = *sink;
	mapped_files->lives = file_lives_new();
	announce_vdso(mapped_files);
	return mapped_files;
}

void mapped_files_announce(struct mapped_files *mapped_files, uint32_t object)
{
	struct stat status;

	if (fstat(symbols_object(mapped_files->symbols, object)->fd, &status))
		return;
	struct wire_file file = {.inode = status.st_ino,
				 .device = major(status.st_dev) << 20 | minor(status.st_dev)};
	send_unwind_rows(mapped_files, object);
	name_object(mapped_files, &file, object);
}

/* Memory that has a file's name, as a shared one has. */
static bool is_memory(const char *path)
{
	return text_starts_with(path, "/memfd:") || text_starts_with(path, "/dev/zero") ||
	       text_starts_with(path, "/SYSV");
}

/* Opens the file of a mapping by its link in /proc/TID/map_files, else by its path. */
static bool add_file(struct mapped_files *mapped_files, uint32_t tid, const struct mapping *mapping,
		     uint32_t *object)
{
	struct error error = {0};
	AUTO(text)
	char *open_path = text_format("/proc/%u/map_files/%" PRIx64 "-%" PRIx64, tid,
				      mapping->start, mapping->end);
	bool is_main = maps_is_program((pid_t)tid, mapping->path);

	if (symbols_add_object(mapped_files->symbols, mapping->path, open_path, is_main, object,
			       &error) &&
	    symbols_add_object(mapped_files->symbols, mapping->path, NULL, is_main, object,
			       &error)) {
		if (!is_memory(mapping->path) && mapped_files->unreadable++ < UNREADABLE_MOST)
			text_add_line(&mapped_files->warnings, text_copy(error.text));
		return false;
	}
	send_unwind_rows(mapped_files, *object);
	return true;
}

void mapped_files_use(struct mapped_files *mapped_files, uint32_t object, uint64_t now_ns)
{
	file_lives_use(mapped_files->lives, object, now_ns);
}

uint64_t mapped_files_used_ns(const struct mapped_files *mapped_files, uint32_t object)
{
	return file_lives_used_ns(mapped_files->lives, object);
}

/* ---- giving back ---- */

static bool is_removed(void *context, uint32_t object)
{
	const struct mapped_files *mapped_files = context;
	int fd = symbols_object(mapped_files->symbols, object)->fd;
	struct stat status;

	return fd >= 0 && !fstat(fd, &status) && !status.st_nlink;
}

static void hide_file(void *context, const struct wire_file *file)
{
	const struct mapped_files *mapped_files = context;
	mapped_files->sink.unname_file(mapped_files->sink.context, file);
}

static void show_file(void *context, const struct wire_file *file, uint32_t object)
{
	const struct mapped_files *mapped_files = context;
	mapped_files->sink.name_object(mapped_files->sink.context, file, object + 1);
}

static void drop_object(void *context, uint32_t object)
{
	struct mapped_files *mapped_files = context;

	for (size_t i = 0; i < mapped_files->put_off.count; i++)
		if (mapped_files->put_off.items[i].object == object)
			mapped_files->put_off.items[i--] =
				mapped_files->put_off.items[--mapped_files->put_off.count];
	mapped_files->sink.drop_unwind(mapped_files->sink.context, object + 1);
	symbols_forget_object(mapped_files->symbols, object);
}

void mapped_files_sweep(struct mapped_files *mapped_files, uint64_t now_ns)
{
	const struct file_lives_actions actions = {.context = mapped_files,
						   .is_removed = is_removed,
						   .hide = hide_file,
						   .show = show_file,
						   .drop = drop_object};

	if (!mapped_files->sink.unname_file || now_ns - mapped_files->swept_ns < SWEEP_EVERY_NS)
		return;
	mapped_files->swept_ns = now_ns;
	file_lives_sweep(mapped_files->lives, now_ns, &actions);
}

/* ---- announcements ---- */

bool mapped_files_on_object(struct mapped_files *mapped_files,
			    const struct kernel_object_event *event)
{
	AUTO(mapping) struct mapping mapping = {0};
	uint32_t object, tid = living_thread(event->tgid);

	/*
	 * If the process has gone, or has something else there by now, the next one that maps the
	 * file announces it again. Rights of memory change while code is made in it.
	 */
	if (!find_mapping(tid, event->start, &mapping) ||
	    (!mapping.is_code && !is_memory(mapping.path)))
		return false;
	if (!add_file(mapped_files, tid, &mapping, &object)) {
		if (is_memory(mapping.path)) /* code that was made in it */
			mapped_files->sink.name_object(mapped_files->sink.context, &event->file,
						       WIRE_OBJECT_NO_FILE);
		return false;
	}
	name_object(mapped_files, &event->file, object);
	return true;
}

bool mapped_files_on_path(struct mapped_files *mapped_files, const struct wire_file *file,
			  const char *path)
{
	uint32_t object;

	if (*path != '/' ||
	    symbols_add_object(mapped_files->symbols, path, NULL, false, &object, NULL))
		return false;
	send_unwind_rows(mapped_files, object);
	name_object(mapped_files, file, object);
	return true;
}

bool mapped_files_on_far(struct mapped_files *mapped_files, const struct collector_far_file *file)
{
	uint32_t object;
	struct stat status;
	bool is_here = !stat(file->path, &status) && S_ISREG(status.st_mode) &&
		       !symbols_add_object(mapped_files->symbols, file->path, NULL, file->is_main,
					   &object, NULL);
	const struct symbols_object *known =
		is_here ? symbols_object(mapped_files->symbols, object) : NULL;

	if (!known || strcmp(known->build_id, file->build_id) != 0) {
		if (file->is_main)
			text_add_line(&mapped_files->warnings,
				      text_format("another host runs %s, and %s: its code is no "
						  "target; install the same one here",
						  file->path,
						  known ? "this host has another build of it" :
							  "this host has no such file"));
		return false;
	}
	send_unwind_rows(mapped_files, object);
	mapped_files->sink.describe_object(mapped_files->sink.context, object + 1, known->path,
					   known->build_id);
	return true;
}

bool mapped_files_locate(struct mapped_files *mapped_files, uint32_t tgid, uint64_t address,
			 uint32_t *object, uint64_t *offset)
{
	AUTO(mapping) struct mapping mapping = {0};
	/* Frame pointers through code without its rows lead to many such addresses. */
	uint32_t tid = mapped_files->is_sparing ? 0 : living_thread(tgid);

	if (!tid || !find_mapping(tid, address, &mapping) ||
	    !add_file(mapped_files, tid, &mapping, object))
		return false;
	*offset = address - mapping.start + mapping.offset;
	return true;
}

/* The mapping of a file that holds the address, or after which it lies without a gap. */
static bool find_data(uint32_t tid, uint64_t address, struct mapping *found)
{
	struct mapping here = {0};
	uint64_t end = 0;

	*found = here;
	if (!find_range(tid, address, &here))
		return false;
	if (here.path) {
		*found = here;
		return true;
	}
	AUTO(text) char *name = text_format("/proc/%u/maps", tid);
	AUTO(file) FILE *maps = fopen(name, "re");
	AUTO(text) char *line = NULL;
	size_t room = 0;
	while (maps && getline(&line, &room, maps) > 0) {
		struct mapping one = {0};
		int at = 0;
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %*s %n", &one.start,
			   &one.end, &one.offset, &at) < 3 ||
		    one.start > here.start || !at)
			break;
		line[strcspn(line, "\n")] = 0;
		if (line[at] == '/') {
			free(found->path);
			*found = one;
			found->path = text_copy(line + at);
		} else if (one.start != end) {
			free(found->path);
			found->path = NULL;
		}
		end = one.end;
	}
	return found->path;
}

bool mapped_files_locate_data(struct mapped_files *mapped_files, uint32_t tgid, uint64_t address,
			      uint32_t *object, uint64_t *offset)
{
	AUTO(mapping) struct mapping mapping = {0};
	uint32_t tid = living_thread(tgid);

	if (!find_data(tid, address, &mapping) || !add_file(mapped_files, tid, &mapping, object))
		return false;
	*offset = address - mapping.start + mapping.offset;
	return true;
}
