/* SPDX-License-Identifier: BSD-2-Clause */
/* set_search - finds what gains only together, and nothing where gains add up. */
#include "check.h"

#include "experiment/set_search.h"
#include "stats/random.h"

#include <math.h>

#define MEASUREMENTS_MOST 2000

/* Branches that meet; a serial part; what each candidate takes, and in which branch. */
struct model {
	size_t count;
	unsigned branch[SET_SEARCH_CANDIDATES_MOST], branches;
	double length[SET_SEARCH_CANDIDATES_MOST];
	double noise;
};

static double period(const struct model *model, uint64_t set)
{
	double longest = 0;

	for (unsigned branch = 0; branch < model->branches; branch++) {
		double sum = 0;
		for (size_t i = 0; i < model->count; i++)
			if (model->branch[i] == branch)
				sum += model->length[i] *
				       (set >> i & 1 ? 1 - SET_SEARCH_SPEEDUP : 1);
		longest = sum > longest ? sum : longest;
	}
	return longest;
}

/* The sum of two uniform numbers is near enough to a normal one. */
static double noise(struct random *random, double deviation)
{
	return deviation * sqrt(6) * (random_uniform(random) + random_uniform(random) - 1);
}

/* The measurements that it took. */
static unsigned run(struct set_search *search, const struct model *model, uint64_t seed)
{
	struct random random = random_seeded(seed);
	unsigned measurements = 0;
	uint64_t set;

	while ((set = set_search_next(search)) && measurements < MEASUREMENTS_MOST) {
		double gain = 1 - period(model, set) / period(model, 0);
		set_search_add(search, gain + noise(&random, model->noise));
		measurements++;
	}
	CHECK(measurements < MEASUREMENTS_MOST);
	return measurements;
}

/* Candidates take turns between branches; each branch has length 1, half of it in its first. */
static struct model branches_of(unsigned branches, size_t count)
{
	struct model model = {.count = count, .branches = branches, .noise = 0.03};
	double others = (double)(count / branches) - 1;

	for (size_t i = 0; i < count; i++) {
		model.branch[i] = (unsigned)(i % branches);
		model.length[i] = i < branches ? 0.5 : 0.5 / others;
	}
	return model;
}

static uint64_t found_in(const struct model *model, uint64_t seed, enum set_search_state *state)
{
	struct set_search *search = set_search_new(model->branch, model->count);

	run(search, model, seed);
	*state = set_search_state(search);
	uint64_t found = set_search_found(search);
	set_search_free(search);
	return found;
}

TEST("the longest parts of two equal branches are found among 40")
{
	struct model model = branches_of(2, 40);
	enum set_search_state state;
	int found = 0;

	for (uint64_t seed = 1; seed <= 50; seed++)
		found += found_in(&model, seed, &state) == 3 && state == SET_SEARCH_FOUND;
	CHECK(found >= 45);
}

TEST("of three equal branches, all three parts are found")
{
	struct model model = branches_of(3, 39);
	enum set_search_state state;
	int found = 0;

	for (uint64_t seed = 1; seed <= 50; seed++)
		found += found_in(&model, seed, &state) == 7 && state == SET_SEARCH_FOUND;
	CHECK(found >= 45);
}

TEST("nothing is found where gains add up, or one branch decides")
{
	struct model serial = branches_of(2, 40), unequal = branches_of(2, 40);
	enum set_search_state state;
	int nothing = 0;

	for (size_t i = 0; i < 40; i++) {
		serial.branch[i] = 0;
		unequal.length[i] *= unequal.branch[i] ? 0.45 : 1;
	}
	for (uint64_t seed = 1; seed <= 100; seed++) {
		found_in(&serial, seed, &state);
		nothing += state == SET_SEARCH_NOTHING;
		found_in(&unequal, seed, &state);
		nothing += state == SET_SEARCH_NOTHING;
	}
	CHECK(nothing >= 180);
}

TEST("equal parts of two branches are no small set")
{
	struct model model = branches_of(2, 60);
	enum set_search_state state;
	int spread = 0;

	model.noise = 0.01;
	for (size_t i = 0; i < model.count; i++)
		model.length[i] = 1.0 / 30;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		found_in(&model, seed, &state);
		spread += state == SET_SEARCH_SPREAD;
	}
	CHECK(spread >= 18);
}

TEST("without noise a pair among 40 takes few measurements")
{
	struct model model = branches_of(2, 40);
	struct set_search *search = set_search_new(model.branch, model.count);

	model.noise = 0.001;
	unsigned measurements = run(search, &model, 1);
	CHECK(measurements <= 120);
	CHECK_NEAR(set_search_excess(search), 0.25, 0.03);
	CHECK(set_search_measures(search) > 10);
	struct set_search_measure first = set_search_measure(search, 0);
	CHECK_EQUAL(first.members, (1ull << 40) - 1);
	CHECK_NEAR(first.gain, 0.5, 0.01);
	set_search_free(search);
}

TEST("where windows scatter much, a large excess is seen soon, and none where there is none")
{
	struct model model = branches_of(2, 2);
	unsigned measurements = 0;
	int found = 0, nothing = 0, leads = 0;

	model.noise = 0.12;
	model.length[0] = model.length[1] = 1;
	for (uint64_t seed = 1; seed <= 100; seed++) {
		struct set_search *search = set_search_new(model.branch, model.count);
		measurements += run(search, &model, seed);
		found += set_search_found(search) == 3;
		leads += set_search_has_lead(search);
		set_search_free(search);
	}
	CHECK(found >= 95);
	CHECK(measurements <= 100 * 24);
	CHECK_EQUAL(leads, 0);

	model.branch[1] = 0;
	for (uint64_t seed = 1; seed <= 100; seed++) {
		enum set_search_state state;
		found_in(&model, seed, &state);
		nothing += state == SET_SEARCH_NOTHING;
	}
	CHECK(nothing >= 95);
}

TEST("a likely excess is a lead before it is sure")
{
	static const unsigned roles[] = {0, 1};
	struct set_search *search = set_search_new(roles, 2);

	for (int i = 0; i < 6; i++) {
		CHECK(!set_search_has_lead(search));
		uint64_t set = set_search_next(search);
		set_search_add(search, set == 3 ? 0.22 : 0);
	}
	set_search_next(search);
	CHECK(set_search_has_lead(search));
	CHECK_EQUAL(set_search_state(search), SET_SEARCH_LOOKING);
	set_search_free(search);
}

TEST("members in one role are found, too")
{
	struct model model = branches_of(2, 12);
	unsigned roles[12] = {0};
	struct set_search *search = set_search_new(roles, 12);

	run(search, &model, 5);
	CHECK_EQUAL(set_search_state(search), SET_SEARCH_FOUND);
	CHECK_EQUAL(set_search_found(search), 3);
	set_search_free(search);
}

TEST("one candidate is no set")
{
	unsigned role = 4;
	struct set_search *search = set_search_new(&role, 1);

	CHECK_EQUAL(set_search_next(search), 0);
	CHECK_EQUAL(set_search_state(search), SET_SEARCH_NOTHING);
	set_search_free(search);
}
