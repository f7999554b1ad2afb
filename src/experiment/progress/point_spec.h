/* SPDX-License-Identifier: BSD-2-Clause */
/* point_spec - a progress point as the user asks for it: "main.c:42", "usdt:PROVIDER:NAME". */
#pragma once

#include "base/error.h"

struct progress_kind;

struct point_spec {
	const struct progress_kind *kind;
	const char *text; /* as the user wrote it; the point's name in reports */
	char *group;      /* PROVIDER, CATEGORY or GLOB; NULL for kinds without; owned */
	const char *name; /* without kind and group: "main.c:42", "work", "sys_exit_fsync" */
};

struct point_spec_pair {
	const char *text; /* "BEGIN,END" */
	struct point_spec begin, end;
};

/* -EINVAL if the text has no kind's form. `text` is borrowed. */
int point_spec_parse(const char *text, struct point_spec *spec, struct error *error);
void point_spec_release(struct point_spec *spec);
