/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * code_points - the code at which visits of points are counted, by file and offset; and where that
 * is in a process.
 */
#include "collect/runtime/engine.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

/* The library sets breakpoints while there are any. */
static void publish_count(struct runtime_engine *runtime)
{
	__atomic_store_n(&runtime->page->breakpoints, runtime->code_point_count, __ATOMIC_RELEASE);
}

int runtime_code_points_add(struct runtime_engine *runtime, const struct collector_code *code,
			    unsigned point)
{
	struct stat status;

	if (fstat(code->fd, &status))
		return -errno;
	runtime->code_points[runtime->code_point_count++] = (struct runtime_code_point){
		.path = text_copy(code->path),
		.file = {.inode = status.st_ino,
			 .device = major(status.st_dev) << 20 | minor(status.st_dev)},
		.offset = code->offset,
		.semaphore_offset = code->semaphore_offset,
		.point = point,
	};
	publish_count(runtime);
	return 0;
}

void runtime_code_points_remove_last(struct runtime_engine *runtime)
{
	free(runtime->code_points[--runtime->code_point_count].path);
	publish_count(runtime);
}

/* Some file systems show another device in /proc/PID/maps than in stat: then the path must do. */
static bool is_mapped(const struct runtime_code_point *point, const struct maps_line *line)
{
	return point->file.inode == line->file.inode &&
	       (point->file.device == line->file.device || !strcmp(point->path, line->path));
}

void runtime_code_points_resolve(const struct runtime_engine *runtime, const struct maps_line *line,
				 struct runtime_breakpoint *breakpoints)
{
	uint64_t size = line->end - line->start;

	for (unsigned i = 0; i < runtime->code_point_count; i++) {
		const struct runtime_code_point *point = &runtime->code_points[i];
		uint64_t offset = line->is_code ? point->offset : point->semaphore_offset;
		if (!offset || offset < line->offset || offset - line->offset >= size ||
		    !is_mapped(point, line))
			continue;
		uint64_t address = line->start + (offset - line->offset);
		breakpoints[i].point = point->point;
		if (line->is_code)
			breakpoints[i].address = address;
		else
			breakpoints[i].semaphore = address;
	}
}
