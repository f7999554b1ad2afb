/* SPDX-License-Identifier: BSD-2-Clause */
/* jit_maps - one entry for each process with samples in code without a file. */
#include "experiment/target/jit_maps.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/memory.h"

#include <string.h>

#define FIRST_TRY 16 /* samples */
#define WITHOUT_MAP 128
#define REFRESH_LEAST_NS 10000000ull
#define REFRESH_MOST_NS 100000000ull
#define REFRESH_COST 16 /* of the time, one part in so many may be spent with reading */
#define CACHE_SLOTS 4096

struct jit_map {
	uint32_t tgid, object; /* SYMBOLS_NONE: no map found yet */
	unsigned samples;
	char *path;
};

struct cached {
	uint32_t object, location;
	uint64_t address; /* 0: the slot is empty */
};

struct jit_maps {
	struct symbols *symbols;
	ARRAY(struct jit_map) maps;
	uint32_t untold; /* object of the code that no map tells; SYMBOLS_NONE: none yet */
	char *warnings;
	uint64_t refresh_ns; /* not before */
	uint64_t cache_generation;
	struct cached cache[CACHE_SLOTS];
};

struct jit_maps *jit_maps_new(struct symbols *symbols)
{
	struct jit_maps *maps = memory_new(1, sizeof(*maps));
	maps->symbols = symbols;
	maps->untold = SYMBOLS_NONE;
	return maps;
}

void jit_maps_free(struct jit_maps *maps)
{
	if (!maps)
		return;
	for (size_t i = 0; i < maps->maps.count; i++)
		free(maps->maps.items[i].path);
	array_free(&maps->maps);
	free(maps->warnings);
	free(maps);
}

static struct jit_map *map_of(struct jit_maps *maps, uint32_t tgid)
{
	for (size_t i = 0; i < maps->maps.count; i++)
		if (maps->maps.items[i].tgid == tgid)
			return &maps->maps.items[i];
	struct jit_map *map = array_add(&maps->maps);
	*map = (struct jit_map){.tgid = tgid, .object = SYMBOLS_NONE};
	return map;
}

static void do_without_file(struct jit_maps *maps, struct jit_map *map)
{
	bool is_first = maps->untold == SYMBOLS_NONE;

	if (symbols_add_jit(maps->symbols, SYMBOLS_JIT_UNTOLD, &maps->untold, NULL))
		return;
	map->object = maps->untold;
	if (is_first)
		text_add_line(
			&maps->warnings,
			text_format("process %u runs code that it made itself, and no jitdump "
				    "or perf map tells its functions: all of it is one place, "
				    "'" SYMBOLS_JIT_UNTOLD "'; docs/languages.md tells how to "
				    "get names",
				    map->tgid));
}

static void look_for_file(struct jit_maps *maps, struct jit_map *map)
{
	AUTO(text) char *refused = NULL;
	uint32_t object;

	map->path = symbols_jit_path(map->tgid, &refused);
	if (map->samples < 2 * FIRST_TRY)
		text_add_line(&maps->warnings, take(&refused));
	if (map->path && symbols_add_jit(maps->symbols, map->path, &object, NULL))
		free(take(&map->path));
	if (map->path)
		map->object = object;
	else if (map->samples >= WITHOUT_MAP && map->object == SYMBOLS_NONE)
		do_without_file(maps, map);
}

uint32_t jit_maps_location(struct jit_maps *maps, uint32_t tgid, uint64_t address)
{
	struct jit_map *map = map_of(maps, tgid);
	unsigned samples = ++map->samples;
	bool is_due = samples >= FIRST_TRY && !(samples & (samples - 1));

	if (!map->path && is_due)
		look_for_file(maps, map);
	if (map->object == SYMBOLS_NONE)
		return SYMBOLS_NONE;
	if (maps->cache_generation != symbols_generation(maps->symbols)) {
		memset(maps->cache, 0, sizeof(maps->cache));
		maps->cache_generation = symbols_generation(maps->symbols);
	}
	struct cached *slot =
		&maps->cache[(address ^ address >> 12 ^ map->object * 2654435761u) % CACHE_SLOTS];
	if (slot->address != address || slot->object != map->object)
		*slot = (struct cached){
			.object = map->object,
			.location = symbols_location_at(maps->symbols, map->object, address),
			.address = address,
		};
	return slot->location;
}

bool jit_maps_refresh(struct jit_maps *maps)
{
	uint64_t begin = clock_now_ns();
	bool is_due = begin >= maps->refresh_ns, has_any = false;

	for (size_t i = 0; i < maps->maps.count; i++) {
		struct jit_map *map = &maps->maps.items[i];
		has_any |= map->path != NULL;
		if (map->path && is_due)
			symbols_add_jit(maps->symbols, map->path, &map->object, NULL);
	}
	uint64_t end = clock_now_ns(), pause_ns = REFRESH_COST * (end - begin);
	pause_ns = pause_ns < REFRESH_LEAST_NS ? REFRESH_LEAST_NS : pause_ns;
	if (is_due)
		maps->refresh_ns = end + (pause_ns < REFRESH_MOST_NS ? pause_ns : REFRESH_MOST_NS);
	return has_any;
}

uint32_t jit_maps_object(const struct jit_maps *maps, uint32_t tgid)
{
	for (size_t i = 0; i < maps->maps.count; i++)
		if (maps->maps.items[i].tgid == tgid)
			return maps->maps.items[i].object;
	return SYMBOLS_NONE;
}

const char *jit_maps_warnings(const struct jit_maps *maps)
{
	return maps->warnings;
}

bool jit_maps_has(const struct jit_maps *maps, uint32_t object)
{
	for (size_t i = 0; i < maps->maps.count; i++)
		if (maps->maps.items[i].object == object)
			return true;
	return object == maps->untold && object != SYMBOLS_NONE;
}
