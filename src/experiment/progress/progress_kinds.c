/* SPDX-License-Identifier: BSD-2-Clause */
/* progress_kinds - the table of progress-point kinds, and texts as point_specs. */
#include "experiment/progress/progress_kinds.h"

#include "base/cleanup.h"
#include "base/text.h"

#include <errno.h>
#include <string.h>

/* The first kind that takes a text has it: kinds with a prefix, then others. */
#define PROGRESS_KINDS(KIND)       \
	KIND(progress_usdt)        \
	KIND(progress_tracepoint)  \
	KIND(progress_binaries)    \
	KIND(progress_point)       \
	KIND(progress_sampled)     \
	KIND(progress_requests)    \
	KIND(progress_requests_of) \
	KIND(progress_line)        \
	KIND(progress_function)

#define DECLARE(kind) extern const struct progress_kind kind;
#define POINTER(kind) &(kind),
PROGRESS_KINDS(DECLARE)
static const struct progress_kind *const kinds[] = {PROGRESS_KINDS(POINTER)};
#define KINDS (sizeof(kinds) / sizeof(*kinds))

void point_spec_release(struct point_spec *spec)
{
	free(spec->group);
	spec->group = NULL;
}

/* True: the text is of this kind, and well-formed unless *error is set. */
static bool takes(const struct progress_kind *kind, const char *text, struct point_spec *spec,
		  struct error *error)
{
	if (kind->prefix && !text_starts_with(text, kind->prefix))
		return false;
	*spec = (struct point_spec){.kind = kind, .text = text};
	spec->name = text + (kind->prefix ? strlen(kind->prefix) : 0);
	if (kind->parse(spec, spec->name))
		return true;
	point_spec_release(spec);
	if (kind->prefix)
		error_set(error, -EINVAL, "'%s' is not of the form %s", text, kind->form);
	return kind->prefix;
}

int point_spec_parse(const char *text, struct point_spec *spec, struct error *error)
{
	error->code = 0;
	if (!*text)
		return error_set(error, -EINVAL, "the progress point has no name");
	for (size_t i = 0; i < KINDS; i++)
		if (takes(kinds[i], text, spec, error))
			break;
	return error->code;
}

int progress_kinds_search_more(struct progress_lookup *lookup, struct error *error)
{
	int code = 0;

	for (size_t i = 0; i < KINDS && !code; i++)
		if (kinds[i]->search_more)
			code = kinds[i]->search_more(lookup, error);
	return code;
}
