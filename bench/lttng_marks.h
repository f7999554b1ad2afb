/* SPDX-License-Identifier: BSD-2-Clause */
/* lttng_marks - the tracepoint of LTTng-UST in marks.c, for comparison. LTTng includes this file
 * several times. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER lever_bench

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./lttng_marks.h"

#if !defined(LEVER_BENCH_LTTNG_MARKS) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define LEVER_BENCH_LTTNG_MARKS

#include <lttng/tracepoint.h>

LTTNG_UST_TRACEPOINT_EVENT(lever_bench, mark, LTTNG_UST_TP_ARGS(long, value),
			   LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(long, value, value)))

#endif

#include <lttng/tracepoint-event.h>
