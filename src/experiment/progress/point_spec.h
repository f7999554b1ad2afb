/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * point_spec - a progress point as the user asks for it.
 */
#pragma once

enum point_spec_kind {
	POINT_SPEC_CODE,       /* FILE:LINE */
	POINT_SPEC_BINARIES,   /* bin:GLOB:FILE:LINE, bin:GLOB:FUNCTION */
	POINT_SPEC_POINT,      /* point:NAME, of a lever.h or coz.h point */
	POINT_SPEC_NAME,       /* FUNCTION, or the name of a lever.h or coz.h point */
	POINT_SPEC_USDT,       /* usdt:PROVIDER:NAME */
	POINT_SPEC_TRACEPOINT, /* tracepoint:CATEGORY:NAME */
	POINT_SPEC_SAMPLED,    /* sampled:FILE:LINE */
};

struct point_spec {
	enum point_spec_kind kind;
	const char *text;  /* as the user wrote it; the point's name in reports */
	const char *group; /* PROVIDER, CATEGORY or GLOB; NULL for the other kinds */
	const char *name;  /* without kind and group: "main.c:42", "work", "sys_exit_fsync" */
};

struct point_spec_pair {
	const char *text; /* "BEGIN,END" */
	struct point_spec begin, end;
};
