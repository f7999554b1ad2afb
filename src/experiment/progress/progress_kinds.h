/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * progress_kinds - the kinds of progress points: code, probes, tracepoints, points of lever.h.
 *
 * A kind is one file (progress_NAME.c), which defines a struct progress_kind, and one line of the
 * table in progress_kinds.c. Parsing, attaching and retrying are handled by that table alone.
 */
#pragma once

#include "collect/collector.h"
#include "experiment/progress/point_spec.h"
#include "experiment/target/sampled_code.h"
#include "wire/requests.h"

struct binaries_search; /* progress_binaries.c */

/* Where points are looked up and attached. */
struct progress_lookup {
	struct collector *collector;
	struct sampled_code *code;
	struct symbols *symbols;
	ARRAY(struct wire_range) sampled; /* of all points of the kind `sampled` */
	uint32_t all_index, all_objects; /* of sampled:*; its number of objects, 0: not asked for */
	ARRAY(struct binaries_search) searches;
};

struct progress_kind {
	const char *prefix; /* of its texts; NULL: none */
	const char *form;   /* of its texts, for messages */
	/* Sets name and group from the text behind the prefix; false if that has not the form. */
	bool (*parse)(struct point_spec *spec, const char *rest);
	/*
	 * Sets *index to the point's number in the collector, or leaves it where that is not known
	 * yet. -ENOENT: nothing of this name yet; -ENXIO: and the name is probably mistaken.
	 */
	int (*attach)(struct progress_lookup *lookup, const struct point_spec *spec,
		      unsigned *index, struct error *error);
	/* Looks into files that became known since; may be NULL. */
	int (*search_more)(struct progress_lookup *lookup, struct error *error);
	enum point_kind stored;  /* in the profile */
	bool is_in_all_files;    /* attached in each file that has it, not only in the first */
	bool may_be_in_program;  /* the name may be that of a lever.h point */
	bool never_appears_late; /* what is absent at the start stays absent */
	bool counts_requests;    /* on accepted connections; only the kernel engine can */
};

int progress_kinds_search_more(struct progress_lookup *lookup, struct error *error);

/* The name behind PREFIX:GROUP:; for `parse`. False if one of the two is empty. */
bool progress_split_group(struct point_spec *spec, const char *rest);
bool progress_is_file_and_line(const char *text);

/*
 * The point's name in the collector, which has room for few characters and takes points of one name
 * for one point: a longer text ends in its hash.
 */
struct progress_name {
	char text[sizeof(((struct wire_point *)0)->name)];
};
struct progress_name progress_name_of(const char *text);
/* Uprobes at the addresses. */
int progress_attach_addresses(struct progress_lookup *lookup, const struct point_spec *spec,
			      const struct symbols_addresses *addresses, unsigned *index,
			      struct error *error);
/*
 * Uprobes at FILE:LINE or FUNCTION, in the object `only` or the first that has it (SYMBOLS_NONE).
 */
int progress_attach_code(struct progress_lookup *lookup, const struct point_spec *spec,
			 uint32_t only, unsigned *index, struct error *error);
void progress_binaries_free(struct progress_lookup *lookup);

/* The kinds that others ask for; the table declares all. */
extern const struct progress_kind progress_line, progress_function, progress_usdt,
	progress_tracepoint, progress_sampled, progress_requests;
