/* SPDX-License-Identifier: BSD-2-Clause */
/* agent_files - the coordinator's objects on this host. */
#include "collect/hosts/agent_files.h"

#include "base/cleanup.h"
#include "base/memory.h"
#include "collect/hosts/build_id.h"
#include "collect/process/maps.h"

#include <fcntl.h>
#include <inttypes.h>
#include <string.h>

struct mapped {
	struct wire_file file;
	char *path;
	char build_id[HOSTS_BUILD_ID_BYTES];
};

struct agent_files {
	struct collector *collector;
	ARRAY(struct hosts_object) known;
	ARRAY(struct mapped) mapped;
};

struct agent_files *agent_files_new(struct collector *collector)
{
	struct agent_files *files = memory_new(1, sizeof(*files));

	files->collector = collector;
	return files;
}

void agent_files_free(struct agent_files *files)
{
	if (!files)
		return;
	for (size_t i = 0; i < files->mapped.count; i++)
		free(files->mapped.items[i].path);
	array_free(&files->mapped);
	array_free(&files->known);
	free(files);
}

/* Returns whether the paths are the same. */
static bool match(struct agent_files *files, const struct mapped *mapped,
		  const struct hosts_object *object)
{
	if (strcmp(mapped->path, object->path) != 0)
		return false;
	if (!strcmp(mapped->build_id, object->build_id))
		collector_name_object(files->collector, &mapped->file, object->object);
	return true;
}

void agent_files_add(struct agent_files *files, const struct hosts_object *object)
{
	struct hosts_object *known = array_add(&files->known);

	*known = *object;
	known->path[HOSTS_PATH_BYTES - 1] = known->build_id[HOSTS_BUILD_ID_BYTES - 1] = 0;
	for (size_t i = 0; i < files->mapped.count; i++)
		match(files, &files->mapped.items[i], known);
}

static void tell(const struct agent_files *files, const struct mapped *mapped, uint32_t process,
		 struct hosts_mapped *told)
{
	bool is_new = strlen(mapped->path) < sizeof(told->path);

	for (size_t i = 0; i + 1 < files->mapped.count; i++)
		is_new &= strcmp(files->mapped.items[i].path, mapped->path) != 0;
	if (!is_new)
		return;
	strcpy(told->path, mapped->path);
	strcpy(told->build_id, mapped->build_id);
	told->is_main = maps_is_program((pid_t)process, mapped->path);
}

char *agent_files_on_object(struct agent_files *files, const struct kernel_object_event *event,
			    struct hosts_mapped *told)
{
	AUTO(maps) struct maps *maps = maps_open((pid_t)event->tgid);
	struct maps_line line;

	*told = (struct hosts_mapped){0};
	while (maps_next(maps, &line)) {
		if (line.start > event->start || line.end <= event->start || line.path[0] != '/')
			continue;
		struct mapped *mapped = array_add(&files->mapped);
		mapped->file = event->file;
		mapped->path = text_copy(line.path);
		AUTO(text)
		char *link = text_format("/proc/%u/map_files/%" PRIx64 "-%" PRIx64, event->tgid,
					 line.start, line.end);
		build_id_read(link, mapped->build_id, sizeof(mapped->build_id));
		tell(files, mapped, event->tgid, told);
		for (size_t i = 0; i < files->known.count; i++) {
			const struct hosts_object *known = &files->known.items[i];
			if (match(files, mapped, known) &&
			    strcmp(mapped->build_id, known->build_id) != 0)
				return text_format("%s is another file here (its build id "
						   "differs); its code is not sped up here; "
						   "install the same one",
						   line.path);
		}
		return NULL;
	}
	return NULL;
}

int agent_files_open(const char *path)
{
	return open(path, O_RDONLY | O_CLOEXEC);
}
