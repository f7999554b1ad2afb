/* SPDX-License-Identifier: BSD-2-Clause */
/* jit_maps - one entry for each process with samples in code without a file. */
#include "experiment/target/jit_maps.h"

#include "base/cleanup.h"
#include "base/memory.h"

#define FIRST_TRY 16 /* samples */

struct jit_map {
	uint32_t tgid, object; /* SYMBOLS_NONE: no map found yet */
	unsigned samples;
};

struct jit_maps {
	struct symbols *symbols;
	ARRAY(struct jit_map) maps;
	char *warnings;
};

struct jit_maps *jit_maps_new(struct symbols *symbols)
{
	struct jit_maps *maps = memory_new(1, sizeof(*maps));
	maps->symbols = symbols;
	return maps;
}

void jit_maps_free(struct jit_maps *maps)
{
	if (!maps)
		return;
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

uint32_t jit_maps_sampled(struct jit_maps *maps, uint32_t tgid)
{
	struct jit_map *map = map_of(maps, tgid);
	unsigned samples = ++map->samples;

	if (samples >= FIRST_TRY && !(samples & (samples - 1))) { /* at powers of two */
		AUTO(text) char *refused = NULL;
		AUTO(text) char *path = symbols_jit_path(tgid, &refused);
		uint32_t object;
		if (samples < 2 * FIRST_TRY)
			text_add_line(&maps->warnings, take(&refused));
		if (path && !symbols_add_jit(maps->symbols, path, &object, NULL))
			map->object = object;
	}
	return map->object;
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
	return false;
}
