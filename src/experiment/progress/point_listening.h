/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * point_listening - makes points of lever.h count in programs that run already.
 *
 * One word of the program's memory (wire/points.h) says that its points count; it is put back at
 * the end. Besides, only stacks of open spans that an earlier lever left are cleared, and the marks
 * of spans that end in another thread.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

struct point_listening;

struct point_listening *point_listening_new(bool needs_spans);
/* Stops all points from counting that were made to. */
void point_listening_free(struct point_listening *listening);
/* The process may have points, now or in the next second. */
void point_listening_add(struct point_listening *listening, pid_t pid);
/* The process runs for long: it has points now or never. */
void point_listening_add_now(struct point_listening *listening, pid_t pid);
/* To be called a few times a second. */
void point_listening_refresh(struct point_listening *listening);
/* Processes that were left out because there were too many; and how many are possible. */
unsigned point_listening_left_out(const struct point_listening *listening);
#define POINT_LISTENING_MOST 512 /* each takes a descriptor */
