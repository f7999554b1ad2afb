/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * target_spec - what is sped up together: one target, or the members of a set.
 *
 * A member is the code of a location, or the waits of classes in that code or in any. In an
 * experiment at speedup s it is sped up by s x level. A set is one target: its samples count for
 * the location that gives it its name.
 */
#pragma once

#include "base/memory.h"

#include <stdbool.h>
#include <stdint.h>

struct target_member {
	uint32_t location; /* that gives it its name */
	uint32_t code;     /* SYMBOLS_NONE: any */
	uint32_t classes;  /* WAIT_CLASS_BIT: only waits of these; 0: time on CPU, external waits */
	double level;      /* 1: by the whole speedup */
};

struct target_set {
	ARRAY(struct target_member) members;
};

struct target_spec {
	uint32_t location;
	struct target_member own;     /* of a single target */
	const struct target_set *set; /* NULL: a single target */
};

static inline struct target_spec target_spec_of_code(uint32_t location)
{
	return (struct target_spec){.location = location,
				    .own = {.location = location, .code = location, .level = 1}};
}

/* Is the code of a member among these functions of a call chain? */
bool target_spec_is_among(const struct target_spec *spec, const uint32_t *locations, size_t count);
/* Whether waits of the class, in any code, are the target or a member of it. */
bool target_spec_has_class(const struct target_spec *spec, uint32_t class);

static inline const struct target_member *target_spec_members(const struct target_spec *spec,
							      size_t *count)
{
	*count = spec->set ? spec->set->members.count : 1;
	return spec->set ? spec->set->members.items : &spec->own;
}
