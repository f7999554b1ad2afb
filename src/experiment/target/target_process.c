/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * target_process - all processes of a name, with what they do in the kernel; over several hosts
 * also those of one host (NAME@HOST), and all that the program runs there (@HOST).
 */
#include "base/cleanup.h"
#include "base/memory.h"
#include "collect/collector_hosts.h"
#include "experiment/target/process_names.h"
#include "experiment/target/target_kinds.h"

#include <errno.h>
#include <string.h>

/* The host behind the last @, or -1; the name is cut there. */
static int split_host(const struct target_lookup *lookup, char *name)
{
	char *at = strrchr(name, '@');
	int host = at && lookup->collector ? collector_host_index(lookup->collector, at + 1) : -1;

	if (host >= 0)
		*at = 0;
	return host;
}

/* A process of this name may start at any time. */
static int find(struct target_lookup *lookup, const char *name, uint32_t *location,
		struct error *error)
{
	AUTO(text) char *process = text_copy(name);
	int host = split_host(lookup, process);
	struct kernel_name known = process_names_cut(process);

	if (host < 0 && *name == '@')
		return error_set(error, -ENOENT, "no host of this run is called '%s'", name + 1);
	AUTO(text)
	char *full = host < 0 ? text_copy(known.text) :
				text_format("%s@%s", known.text, name + strlen(process) + 1);
	*location = symbols_process_name(lookup->symbols, full);
	return 0;
}

static uint32_t location_of(struct target_lookup *lookup, const struct wire_sample *sample)
{
	return lookup->process_names ? process_names_at(lookup->process_names, sample->tgid) :
				       SYMBOLS_NONE;
}

static struct wire_range range(const struct target_lookup *lookup, uint32_t location)
{
	const char *name = symbols_location(lookup->symbols, location)->name;
	AUTO(text) char *process = text_copy(name + strlen(SYMBOLS_PROCESS_PREFIX));
	int host = split_host(lookup, process);
	struct kernel_name known = process_names_cut(process);
	bool is_all = host >= 0 && !*process;
	uint64_t key = is_all ? 0 : kernel_name_key(&known);

	return (struct wire_range){.object = host > 0 ? COLLECTOR_PROCESSES_OF((uint32_t)host) :
							WIRE_OBJECT_PROCESSES,
				   .start = key,
				   .end = is_all ? UINT64_MAX : key + 1 + !host};
}

const struct target_kind_row target_process = {
	.kind = TARGET_PROCESS,
	.prefix = SYMBOLS_PROCESS_PREFIX,
	.needs_kernel_engine = true,
	.find = find,
	.location_of = location_of,
	.range = range,
};
