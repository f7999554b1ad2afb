/* SPDX-License-Identifier: BSD-2-Clause */
/* set_search - splits, halving, and sequential tests on differences of mean gains. */
#include "experiment/set_search.h"

#include "base/memory.h"

#include <math.h>

#define LOOK_NO_EXPONENT 3.0 /* an error of 5 % */
#define LOOK_MOST 24         /* measurements of each set; then there is no excess */
#define LEAD_LEAST 2         /* measurements of each set, and a ratio, ... */
#define LEAD_RATIO 4.0       /* ... of an excess that is likely */
#define SIZE_LEAST 4         /* of each set, before an excess is taken as a measure */
#define EXPONENT 4.6         /* log((1 - error) / error) of an error of 1 % */
#define TESTS_MOST 16
#define PARTS_MOST 6          /* that wait to be halved */
#define ERROR_USUAL 0.04      /* of one measurement, until more is known */
#define ERROR_USUAL_COUNT 4.0 /* as good as so many */

/* At SET_SEARCH_SPEEDUP. Less than the first is not looked for. */
static const double looked_for[] = {0.05, 0.1, 0.2, 0.4};

struct measure {
	uint64_t set;
	unsigned count;
	double sum, squares;
};

/* Does `left` with `right` gain more than the sum of both? */
struct question {
	uint64_t left, right;
};

enum answer { ANSWER_OPEN, ANSWER_YES, ANSWER_NO };

/* What is asked in a step of the reduction. */
enum step {
	STEP_HALF,       /* does a good part of the excess stay with the one half, or ... */
	STEP_OTHER_HALF, /* ... with the other one? */
	STEP_SIZE,       /* how large is it in the end? */
	STEP_DROP,       /* does it stay without this member? */
	STEP_COUNT
};

/* Hypotheses, as parts of the excess. */
static const struct {
	double low, high;
} parts_of_step[STEP_COUNT] = {
	[STEP_HALF] = {0.2, 0.5}, [STEP_OTHER_HALF] = {0.2, 0.5}, [STEP_DROP] = {0.5, 0.9}};

struct difference {
	double excess, variance;
	unsigned least, most; /* measurements of a set */
	uint64_t lacking;     /* the set with the fewest */
};

struct set_search {
	size_t count;
	unsigned bits_of_role, bits_of_place;
	struct {
		unsigned role, place; /* numbered from 0; the place is within its role */
	} codes[SET_SEARCH_CANDIDATES_MOST];
	uint64_t order[SET_SEARCH_CANDIDATES_MOST]; /* bits of candidates, by role */
	ARRAY(struct measure) measures;
	enum set_search_state state;
	unsigned split;
	struct question question;
	uint64_t measured; /* the set that was asked for last */
	double excess;     /* of what is left, before the step */

	/* reducing: each part is to be halved, down to one candidate */
	enum step step;
	uint64_t sides[2];
	uint64_t parts[PARTS_MOST], members, dropped, tried;
	unsigned part_count;
	struct difference half; /* what was told of the one half */
	bool half_keeps;
};

static unsigned bits_for(unsigned count)
{
	unsigned bits = 0;

	while (1u << bits < count)
		bits++;
	return bits;
}

/* Numbers roles and places, and sorts candidates by role. */
static void number(struct set_search *search, const unsigned *roles)
{
	unsigned role_count = 0, most = 0, next = 0;

	for (size_t i = 0; i < search->count; i++) {
		bool is_first = true;
		unsigned place = 0;
		for (size_t j = 0; j < i; j++)
			is_first = is_first && roles[j] != roles[i];
		for (size_t j = i; is_first && j < search->count; j++) {
			if (roles[j] != roles[i])
				continue;
			search->codes[j].role = role_count;
			search->codes[j].place = place++;
			search->order[next++] = 1ull << j;
		}
		role_count += is_first;
		most = place > most ? place : most;
	}
	search->bits_of_role = bits_for(role_count);
	search->bits_of_place = bits_for(most);
}

/* ---- measures ---- */

static struct measure *measure_of(struct set_search *search, uint64_t set)
{
	for (size_t i = 0; i < search->measures.count; i++)
		if (search->measures.items[i].set == set)
			return &search->measures.items[i];
	struct measure *added = array_add(&search->measures);
	added->set = set;
	return added;
}

/* Of one measurement: what all sets scatter by. */
static double variance(const struct set_search *search)
{
	double squares = ERROR_USUAL_COUNT * ERROR_USUAL * ERROR_USUAL, freedom = ERROR_USUAL_COUNT;

	for (size_t i = 0; i < search->measures.count; i++) {
		const struct measure *measure = &search->measures.items[i];
		if (measure->count < 2)
			continue;
		squares += measure->squares - measure->sum * measure->sum / measure->count;
		freedom += measure->count - 1;
	}
	return squares / freedom;
}

static struct difference difference_of(struct set_search *search, const struct question *question)
{
	const uint64_t sets[] = {question->left | question->right, question->left, question->right};
	struct difference found = {.least = UINT32_MAX};
	double parts = 0;

	for (int i = 0; i < 3; i++) {
		const struct measure *measure = measure_of(search, sets[i]);
		double mean = measure->count ? measure->sum / measure->count : 0;
		if (measure->count < found.least) {
			found.least = measure->count;
			found.lacking = sets[i];
		}
		found.most = measure->count > found.most ? measure->count : found.most;
		found.excess += i ? -mean : mean;
		parts += measure->count ? 1.0 / measure->count : INFINITY;
	}
	found.variance = parts * variance(search);
	return found;
}

/* Wald's test of an excess of `low` against one of `high`. */
static enum answer test(const struct difference *difference, double low, double high, double yes,
			double no)
{
	double ratio =
		(high - low) * (difference->excess - (low + high) / 2) / difference->variance;

	if (difference->least < 2)
		return ANSWER_OPEN;
	return ratio > yes ? ANSWER_YES : ratio < -no ? ANSWER_NO : ANSWER_OPEN;
}

/* ---- looking ---- */

/* One side of the split, of a number from 0; 0: there is no such split. */
static uint64_t side_of(const struct set_search *search, unsigned split)
{
	uint64_t side = 0;

	for (size_t i = 0; i < search->count; i++) {
		unsigned bit = split < search->bits_of_role ?
				       search->codes[i].role >> split :
				       search->codes[i].place >> (split - search->bits_of_role);
		side |= (uint64_t)(bit & 1) << i;
	}
	return side;
}

static void ask_split(struct set_search *search)
{
	uint64_t all = search->count < 64 ? (1ull << search->count) - 1 : UINT64_MAX;
	unsigned splits = search->bits_of_role + search->bits_of_place;

	if (search->split >= splits) {
		search->state = SET_SEARCH_NOTHING;
		return;
	}
	search->question.left = side_of(search, search->split);
	search->question.right = all & ~search->question.left;
}

/*
 * The likelihood of an excess of any of some sizes, each as likely as the others, to that of none.
 * A mixture of tests keeps Wald's bound on false alarms, whatever the true size is (Robbins 1970);
 * a test of the least size alone needs many times the measurements where scatter is large.
 */
static double likelihood_ratio(const struct difference *difference)
{
	const size_t sizes = sizeof(looked_for) / sizeof(*looked_for);
	double sum = 0;

	for (size_t i = 0; i < sizes; i++)
		sum += exp(looked_for[i] * (difference->excess - looked_for[i] / 2) /
			   difference->variance);
	return sum / (double)sizes;
}

static enum answer answer_split(const struct difference *difference)
{
	if (difference->least < 2)
		return ANSWER_OPEN;
	if (likelihood_ratio(difference) > exp(EXPONENT))
		return difference->least < SIZE_LEAST ? ANSWER_OPEN : ANSWER_YES;
	if (difference->least >= LOOK_MOST)
		return ANSWER_NO;
	return test(difference, 0, looked_for[0], INFINITY, LOOK_NO_EXPONENT);
}

/* ---- reducing ---- */

/* The first `count` candidates of a set, by role. */
static uint64_t prefix(const struct set_search *search, uint64_t set, unsigned count)
{
	uint64_t found = 0;

	for (size_t i = 0; i < search->count && count; i++)
		if (set & search->order[i]) {
			found |= search->order[i];
			count--;
		}
	return found;
}

static unsigned size_of(uint64_t set)
{
	return (unsigned)__builtin_popcountll(set);
}

/* The excess with only these candidates. */
static void ask(struct set_search *search, enum step step, uint64_t candidates)
{
	search->step = step;
	search->question.left = candidates & search->sides[0];
	search->question.right = candidates & search->sides[1];
}

/* All that is left, but for the part that is halved next. */
static uint64_t others(const struct set_search *search)
{
	uint64_t set = search->members;

	for (unsigned i = 0; i + 1 < search->part_count; i++)
		set |= search->parts[i];
	return set;
}

/* Asks for the next member to be left out, or ends. */
static void drop_next(struct set_search *search)
{
	for (size_t i = 0; i < search->count; i++) {
		uint64_t member = search->members & search->order[i];
		uint64_t rest = search->members & ~member;
		if (!member || search->tried & member || !(rest & search->sides[0]) ||
		    !(rest & search->sides[1]))
			continue;
		search->tried |= member;
		search->dropped = member;
		ask(search, STEP_DROP, rest);
		return;
	}
	search->state = size_of(search->members) > SET_SEARCH_MEMBERS_MOST ? SET_SEARCH_SPREAD :
									     SET_SEARCH_FOUND;
}

/* Asks whether half of the last part suffices; parts of one candidate become members. */
static void halve(struct set_search *search)
{
	while (search->part_count && size_of(search->parts[search->part_count - 1]) == 1)
		search->members |= search->parts[--search->part_count];
	if (!search->part_count) {
		ask(search, STEP_SIZE, search->members);
		return;
	}
	uint64_t part = search->parts[search->part_count - 1];
	ask(search, STEP_HALF, others(search) | prefix(search, part, size_of(part) / 2));
}

/* Goes on with one half of the last part, or, if each needs the other, with both. */
static void take_half(struct set_search *search, const struct difference *difference, bool keeps)
{
	uint64_t *part = &search->parts[search->part_count - 1];
	uint64_t first = prefix(search, *part, size_of(*part) / 2), second = *part & ~first;

	if (search->step == STEP_HALF && !(keeps && difference->excess > search->excess / 2)) {
		search->half = *difference;
		search->half_keeps = keeps;
		ask(search, STEP_OTHER_HALF, others(search) | second);
		return;
	}
	bool is_second = search->step == STEP_OTHER_HALF &&
			 (!search->half_keeps || difference->excess > search->half.excess);
	if (keeps || (search->step == STEP_OTHER_HALF && search->half_keeps)) {
		*part = is_second ? second : first;
		search->excess = is_second || search->step == STEP_HALF ? difference->excess :
									  search->half.excess;
	} else if (search->part_count == PARTS_MOST) {
		search->state = SET_SEARCH_SPREAD;
		return;
	} else {
		*part = first;
		search->parts[search->part_count++] = second;
	}
	halve(search);
}

static void take_answer(struct set_search *search, const struct difference *difference, bool keeps)
{
	if (search->step == STEP_SIZE) {
		search->excess = difference->excess;
		if (search->excess < looked_for[0] / 2)
			search->state = SET_SEARCH_SPREAD;
		else
			drop_next(search);
	} else if (search->step == STEP_DROP) {
		search->members &= keeps ? ~search->dropped : UINT64_MAX;
		drop_next(search);
	} else {
		take_half(search, difference, keeps);
	}
}

static enum answer answer_step(const struct set_search *search, const struct difference *difference)
{
	double low = parts_of_step[search->step].low * search->excess;
	double high = parts_of_step[search->step].high * search->excess;

	if (search->step == STEP_SIZE)
		return difference->least < SIZE_LEAST ? ANSWER_OPEN : ANSWER_YES;
	enum answer answer = test(difference, low, high, EXPONENT, EXPONENT);
	if (answer == ANSWER_OPEN && difference->least >= TESTS_MOST)
		return difference->excess > (low + high) / 2 ? ANSWER_YES : ANSWER_NO;
	return answer;
}

/* ---- all of it ---- */

struct set_search *set_search_new(const unsigned *roles, size_t count)
{
	struct set_search *search = memory_new(1, sizeof(*search));

	search->count = count < SET_SEARCH_CANDIDATES_MOST ? count : SET_SEARCH_CANDIDATES_MOST;
	number(search, roles);
	ask_split(search);
	return search;
}

void set_search_free(struct set_search *search)
{
	if (!search)
		return;
	array_free(&search->measures);
	free(search);
}

/* Goes on with the next question if this one is answered; false: it is still open. */
static bool proceed(struct set_search *search, const struct difference *difference)
{
	bool looks = search->state == SET_SEARCH_LOOKING;
	enum answer answer = looks ? answer_split(difference) : answer_step(search, difference);

	if (answer == ANSWER_OPEN)
		return false;
	if (!looks) {
		take_answer(search, difference, answer == ANSWER_YES);
		return true;
	}
	if (answer == ANSWER_NO) {
		search->split++;
		ask_split(search);
		return true;
	}
	search->state = SET_SEARCH_REDUCING;
	search->excess = difference->excess;
	search->sides[0] = search->question.left;
	search->sides[1] = search->question.right;
	search->parts[0] = search->sides[0];
	search->parts[1] = search->sides[1];
	search->part_count = 2;
	halve(search);
	return true;
}

static bool is_over(const struct set_search *search)
{
	return search->state != SET_SEARCH_LOOKING && search->state != SET_SEARCH_REDUCING;
}

uint64_t set_search_next(struct set_search *search)
{
	while (!is_over(search)) {
		struct difference difference = difference_of(search, &search->question);
		search->measured = difference.lacking;
		if (!proceed(search, &difference))
			return search->measured;
	}
	return 0;
}

void set_search_add(struct set_search *search, double gain)
{
	struct measure *measure = measure_of(search, search->measured);

	measure->count++;
	measure->sum += gain;
	measure->squares += gain * gain;
}

bool set_search_has_lead(struct set_search *search)
{
	if (search->state != SET_SEARCH_LOOKING)
		return search->state == SET_SEARCH_REDUCING;
	struct difference difference = difference_of(search, &search->question);
	return difference.least >= LEAD_LEAST && likelihood_ratio(&difference) > LEAD_RATIO;
}

enum set_search_state set_search_state(const struct set_search *search)
{
	return search->state;
}

uint64_t set_search_found(const struct set_search *search)
{
	return search->members | others(search);
}

size_t set_search_measures(const struct set_search *search)
{
	return search->measures.count;
}

struct set_search_measure set_search_measure(const struct set_search *search, size_t index)
{
	const struct measure *measure = &search->measures.items[index];
	double count = measure->count;

	return (struct set_search_measure){
		.members = measure->set,
		.count = measure->count,
		.gain = measure->count ? measure->sum / count : 0,
		.error = measure->count ? sqrt(variance(search) / count) : INFINITY,
	};
}

double set_search_excess(const struct set_search *search)
{
	return search->excess;
}
