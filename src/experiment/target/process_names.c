/* SPDX-License-Identifier: BSD-2-Clause */
/* process_names - a map, emptied when it is large: living processes are then read again. */
#include "experiment/target/process_names.h"

#include "base/cleanup.h"
#include "base/hash_map.h"
#include "base/memory.h"
#include "base/text.h"
#include "collect/process/tree.h"

#include <string.h>

#define KNOWN_MOST 65536

struct process_names {
	struct symbols *symbols;
	struct hash_map known; /* (process id, 0) -> location */
};

struct kernel_name process_names_cut(const char *name)
{
	struct kernel_name cut = {0};

	memcpy(cut.text, name, strnlen(name, sizeof(cut.text) - 1));
	return cut;
}

struct process_names *process_names_new(struct symbols *symbols)
{
	struct process_names *names = memory_new(1, sizeof(*names));

	names->symbols = symbols;
	return names;
}

void process_names_free(struct process_names *names)
{
	if (!names)
		return;
	hash_map_clear(&names->known);
	free(names);
}

static void keep(struct process_names *names, uint32_t tgid, uint32_t location)
{
	if (location == SYMBOLS_NONE)
		return;
	if (names->known.count >= KNOWN_MOST)
		hash_map_clear(&names->known);
	hash_map_set(&names->known, tgid, 0, location);
}

static uint32_t read_name(struct process_names *names, uint32_t tgid)
{
	AUTO(text) char *name = process_name((pid_t)tgid);

	return name ? symbols_process_name(names->symbols, name) : SYMBOLS_NONE;
}

/* As the kernel names a process by the file that it executes. */
static uint32_t name_of_file(struct process_names *names, const char *path)
{
	const char *slash = strrchr(path, '/');
	struct kernel_name name = process_names_cut(slash ? slash + 1 : path);

	return symbols_process_name(names->symbols, name.text);
}

void process_names_on_process(struct process_names *names, const struct kernel_process_event *event)
{
	bool is_cut = strnlen(event->path, sizeof(event->path)) + 1 >= sizeof(event->path);

	if (event->kind == KERNEL_EVENT_FORK)
		keep(names, event->tgid, process_names_at(names, event->parent));
	else if (event->kind == KERNEL_EVENT_EXEC)
		keep(names, event->tgid,
		     is_cut ? read_name(names, event->tgid) : name_of_file(names, event->path));
}

uint32_t process_names_at(struct process_names *names, uint32_t tgid)
{
	uint32_t known = hash_map_get(&names->known, tgid, 0);

	if (known != HASH_MAP_NONE)
		return known;
	known = read_name(names, tgid);
	keep(names, tgid, known);
	return known;
}
