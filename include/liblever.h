/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * liblever.h - annotations for languages without C macros: the interface of liblever.so.
 *
 * The same points as those of lever.h, which C and C++ programs take instead. Link with -llever
 * (pkg-config liblever), or load liblever.so.1 while the program runs. A call costs less than 2 ns
 * while nothing is measured.
 *
 *	static uint32_t requests;
 *	requests = lever_id("requests");     // once
 *	lever_progress(requests);            // one unit of work is done
 *
 * All functions may be called in any thread, and in children made by fork. They take no lock,
 * allocate nothing and keep errno. Of functions with the same id and name in several libraries or
 * languages of a process, visits are added.
 *
 * The interface is stable: functions are added, and none is changed (symbol version LIBLEVER_1).
 */
#ifndef LIBLEVER_H
#define LIBLEVER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The id of a name, the same at each call: a number from 1 on. `name` is UTF-8 that ends with 0,
 * and is copied; 46 bytes of it name a progress point, 111 a mark of a timeline. 0 without a name,
 * or after 4096 names; the functions below do nothing for it.
 */
uint32_t lever_id(const char *name);

/* One unit of work is done (LEVER_PROGRESS_NAMED). */
void lever_progress(uint32_t id);

/* A piece of work begins and ends, in the same thread or another (LEVER_BEGIN, LEVER_END). */
void lever_begin(uint32_t id);
void lever_end(uint32_t id);

/* For the timeline of `lever trace`: a number as a curve, and a moment. */
void lever_counter(uint32_t id, int64_t value);
void lever_instant(uint32_t id);

/*
 * A word that is not 0 while something is measured. Languages in which a call is slow read it
 * first. The address is valid until the process ends. Never NULL.
 */
const volatile uint32_t *lever_listening_word(void);

#ifdef __cplusplus
}
#endif

#endif /* LIBLEVER_H */
