/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of stats/distribution.h against SciPy. */
#include "stats/distribution.h"

#include "check.h"
#include "reference.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static double tolerance(double expected)
{
	return 1e-9 * fmax(1e-3, fabs(expected));
}

TEST("normal quantiles are SciPy's to nine digits")
{
	for (size_t i = 0; i < COUNT(normal_references); i++) {
		const struct normal_reference *row = &normal_references[i];
		CHECK_NEAR(normal_quantile(row->probability), row->quantile,
			   tolerance(row->quantile));
	}
}

TEST("the normal probability of a quantile is the probability it was asked for")
{
	for (double probability = 0.001; probability < 1; probability += 0.0173)
		CHECK_NEAR(normal_probability(normal_quantile(probability)), probability, 1e-13);
}

/* SciPy 1.10's own quantiles of t miss the probability by up to 2e-9 of it. */
TEST("quantiles of Student's t are SciPy's to eight digits")
{
	for (size_t i = 0; i < COUNT(student_references); i++) {
		const struct student_reference *row = &student_references[i];
		CHECK_NEAR(student_quantile(row->probability, row->freedom), row->quantile,
			   10 * tolerance(row->quantile));
	}
}

TEST("probabilities of Student's t are SciPy's to nine digits")
{
	for (size_t i = 0; i < COUNT(student_tail_references); i++) {
		const struct student_tail_reference *row = &student_tail_references[i];
		CHECK_NEAR(student_probability(row->value, row->freedom), row->probability,
			   1e-9 * row->probability + 1e-12);
	}
}

TEST("Student's t with infinite freedom is the normal distribution")
{
	CHECK_NEAR(student_quantile(0.975, INFINITY), normal_quantile(0.975), 1e-12);
	CHECK_NEAR(student_probability(1.5, INFINITY), normal_probability(1.5), 1e-12);
	CHECK_NEAR(student_quantile(0.975, 1e9), normal_quantile(0.975), 1e-8);
}
