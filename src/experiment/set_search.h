/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * set_search - which set of candidates gains only together, by adaptive group testing.
 *
 * Decisions only: no clock, no program. The caller speeds up the sets that it is asked for, and
 * says what each gained. The excess of two disjoint sets is what both gain together beyond the sum
 * of what each gains; it is 0 where gains add up, as in code that runs one after the other.
 *
 * 1. Looking: the candidates are split so that each two of them are separated by some split (a
 *    separating system: Renyi 1961, Katona 1966), first between roles. No split with an excess: no
 *    set. A set of k members is cut by a split with probability 1 - 2^(1-k).
 * 2. Reducing: of each side, the half that keeps most of the excess stays; if neither does, both
 *    stay, and each is halved while the other is there (dd of Zeller 1999; Triesch 1996 for its
 *    number of tests, k log2(n) for a set of k).
 * 3. A member without which the excess stays is dropped again.
 *
 * Each question is a sequential test of hypotheses on a mean (Wald 1945; of an excess of unknown
 * size by a mixture, Robbins 1970). A set that is found is a guess: the caller confirms it by other
 * measurements, whose errors do not depend on these.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SET_SEARCH_CANDIDATES_MOST 64
#define SET_SEARCH_MEMBERS_MOST 4
#define SET_SEARCH_SPEEDUP 0.5 /* the excess grows with it; above, any bottleneck moves */

enum set_search_state {
	SET_SEARCH_LOOKING,
	SET_SEARCH_REDUCING,
	SET_SEARCH_FOUND,
	SET_SEARCH_NOTHING, /* no split has an excess */
	SET_SEARCH_SPREAD,  /* there is one, but of no small set */
};

struct set_search;

/* `roles`: of each candidate, any numbers; candidates of a role are tested together first. */
struct set_search *set_search_new(const unsigned *roles, size_t count);
void set_search_free(struct set_search *search);

/* The candidates to be sped up next, a bit for each; 0: the search is over. */
uint64_t set_search_next(struct set_search *search);
/* What they gained in one measurement: 1 - time of a visit / that without a speedup. */
void set_search_add(struct set_search *search, double gain);

/* There is an excess, or one is likely: the search is worth more time. */
bool set_search_has_lead(struct set_search *search);
enum set_search_state set_search_state(const struct set_search *search);
/* The set that was found; of SET_SEARCH_SPREAD the candidates that were left. */
uint64_t set_search_found(const struct set_search *search);

/* Sets that were measured, for reports. */
struct set_search_measure {
	uint64_t members;
	unsigned count;
	double gain, error; /* mean, and its standard error */
};
size_t set_search_measures(const struct set_search *search);
struct set_search_measure set_search_measure(const struct set_search *search, size_t index);
/* The excess of the first split that had one; 0 if none had. */
double set_search_excess(const struct set_search *search);
