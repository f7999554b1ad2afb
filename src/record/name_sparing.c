/* SPDX-License-Identifier: BSD-2-Clause */
/* name_sparing - a set of objects, and when each was last sampled. */
#include "record/name_sparing.h"

#define RUNS_NOW_NS 2000000000ull

void name_sparing_set(struct name_sparing *sparing, const struct mapped_files *mapped_files,
		      bool is_on, uint64_t now_ns)
{
	sparing->mapped_files = mapped_files;
	sparing->is_on = is_on;
	sparing->since_ns = now_ns > RUNS_NOW_NS ? now_ns - RUNS_NOW_NS : 0;
}

bool name_sparing_asks(struct name_sparing *sparing, uint32_t object)
{
	if (hash_map_get(&sparing->asked, object, 0) != HASH_MAP_NONE)
		return true;
	if (sparing->is_on &&
	    mapped_files_used_ns(sparing->mapped_files, object) < sparing->since_ns)
		return false;
	hash_map_set(&sparing->asked, object, 0, 1);
	return true;
}

void name_sparing_forget(struct name_sparing *sparing)
{
	hash_map_clear(&sparing->asked);
}
