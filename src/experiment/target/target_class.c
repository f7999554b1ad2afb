/* SPDX-License-Identifier: BSD-2-Clause */
/* target_class - all waits of a class (I/O, locks, for a core, others), in any code. */
#include "experiment/target/target_kinds.h"

#include <errno.h>
#include <string.h>

static const enum sample_class classes[] = {CLASS_IO, CLASS_LOCK, CLASS_RUNNABLE, CLASS_OTHER};

/* CLASS_USER: there is no such class of waits. */
static enum sample_class class_of(const char *name)
{
	for (size_t i = 0; i < sizeof(classes) / sizeof(*classes); i++)
		if (!strcmp(sample_class_name(classes[i]), name))
			return classes[i];
	return CLASS_USER;
}

uint32_t target_wait_classes(uint32_t bits)
{
	static const uint32_t waits[] = {[CLASS_IO] = WAIT_CLASS_BIT(WAIT_CLASS_IO),
					 [CLASS_LOCK] = WAIT_CLASS_BIT(WAIT_CLASS_LOCK),
					 [CLASS_RUNNABLE] = WAIT_CLASS_BIT(WAIT_CLASS_RUNNABLE),
					 [CLASS_OTHER] = WAIT_CLASS_BIT(WAIT_CLASS_OTHER)};
	uint32_t result = 0;

	for (size_t i = 0; i < sizeof(waits) / sizeof(*waits); i++)
		if (bits & CLASS_BIT(i))
			result |= waits[i];
	return result;
}

uint32_t target_class_of_name(const char *name)
{
	enum sample_class class = class_of(name);
	return class == CLASS_USER ? 0 : target_wait_classes(CLASS_BIT(class));
}

static void enable(struct collector_target_kinds *kinds, const char *name)
{
	kinds->classes |= target_class_of_name(name);
}

static int find(struct target_lookup *lookup, const char *name, uint32_t *location,
		struct error *error)
{
	enum sample_class class = class_of(name);

	if (class == CLASS_USER)
		return error_set(error, -ENXIO,
				 "there is no class of waits '%s'; use I (I/O), L (locks), S (for "
				 "a CPU) or B (anything else)",
				 name);
	*location = symbols_wait_class(lookup->symbols, class, SYMBOLS_NONE);
	return 0;
}

const struct target_kind_row target_class = {
	.kind = TARGET_CLASS,
	.prefix = TARGET_CLASS_PREFIX,
	.enable = enable,
	.find = find,
};
