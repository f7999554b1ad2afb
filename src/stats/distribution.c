/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * distribution - normal and Student's t, by Newton's method on their probabilities.
 *
 * "AS" stands for Abramowitz and Stegun, Handbook of Mathematical Functions (1964).
 */
#include "stats/distribution.h"

#include <assert.h>
#include <math.h>

#define STEPS_MOST 5000

/* From here on t is taken for a normal number x, moved by (x^3 + x) / (4 freedom): AS 26.7.5. */
#define FREEDOM_NORMAL 1e6

/* Of quantiles of t: where their expansion begins to help, and of steps towards them. */
#define EXPANSION_LEAST 3.0
#define HALLEY_MOST 0.1
#define STEP_LEAST 1e-4

double normal_probability(double value)
{
	return 0.5 * erfc(-value * M_SQRT1_2);
}

/*
 * The value exceeded with probability `tail` <= 1/2: AS 26.2.23 (4.5e-4), then Newton's method with
 * Halley's correction, by which errors of 4.5e-4 become less than 1e-9, and these rounding errors.
 */
static double normal_upper_quantile(double tail)
{
	double t = sqrt(-2 * log(tail));
	double value = t - (2.515517 + t * (0.802853 + t * 0.010328)) /
				   (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));

	for (int step = 0; step < 2; step++) {
		double density = exp(-0.5 * value * value) / sqrt(2 * M_PI);
		double shift = (0.5 * erfc(value * M_SQRT1_2) - tail) / density;
		value += shift / (1 - 0.5 * value * shift); /* Halley's correction */
	}
	return value;
}

double normal_quantile(double probability)
{
	assert(probability > 0 && probability < 1);
	if (probability == 0.5)
		return 0;
	return probability < 0.5 ? -normal_upper_quantile(probability) :
				   normal_upper_quantile(1 - probability);
}

/* Half a step of Lentz's evaluation of a continued fraction: the factor D C; both are updated. */
static double fraction_step(double term, double *denominator, double *c)
{
	const double least = 1e-300;

	*denominator = 1 + term * *denominator;
	if (fabs(*denominator) < least)
		*denominator = least;
	*denominator = 1 / *denominator;
	*c = 1 + term / *c;
	if (fabs(*c) < least)
		*c = least;
	return *denominator * *c;
}

/* The continued fraction of the incomplete beta function, AS 26.5.8. */
static double beta_fraction(double x, double a, double b)
{
	double c = 1, denominator = 1 / (1 - (a + b) * x / (a + 1)), result = denominator;

	for (int i = 1; i < STEPS_MOST; i++) {
		double even = i * (b - i) * x / ((a + 2 * i - 1) * (a + 2 * i));
		double odd = -(a + i) * (a + b + i) * x / ((a + 2 * i) * (a + 2 * i + 1));
		double change = fraction_step(even, &denominator, &c);
		change *= fraction_step(odd, &denominator, &c);
		result *= change;
		if (fabs(change - 1) < 1e-15)
			break;
	}
	return result;
}

/*
 * Gamma(a + 1/2) / Gamma(a) / sqrt(pi). For large `a` the two are huge and nearly alike, so their
 * ratio's series is used (Tricomi and Erdelyi, Pacific J. Math. 1, 1951), within 1e-13 from 100 on.
 */
static double gamma_ratio(double a)
{
	int sign; /* lgamma would keep it where other threads do */

	if (a < 100)
		return exp(lgamma_r(a + 0.5, &sign) - lgamma_r(a, &sign)) / sqrt(M_PI);
	double series = -21.0 / 32768;
	series = series / a + 5.0 / 1024;
	series = series / a + 1.0 / 128;
	series = series / a - 1.0 / 8;
	return sqrt(a / M_PI) * (series / a + 1);
}

/* P(T > value), and the density there. */
struct student {
	double tail, density;
};

/*
 * P(T > value) for value >= 0 is I_x(freedom / 2, 1/2) / 2 with x = freedom / (freedom + value^2):
 * AS 26.7.1 with 26.5.27. The fraction converges fast below (a + 1) / (a + b + 2); above, the
 * mirrored one does. `gamma` is gamma_ratio(freedom / 2).
 */
static struct student student_at(double value, double freedom, double gamma)
{
	double a = freedom / 2, square = value * value, sum = freedom + square;
	double x = freedom / sum, rest = square / sum;
	double power = exp(-a * log1p(square / freedom)), front = gamma * power * sqrt(rest);
	struct student student = {.density = gamma * power * sqrt(x / freedom)};

	if (x < (a + 1) / (a + 2.5))
		student.tail = 0.5 * front * beta_fraction(x, a, 0.5) / a;
	else
		student.tail = 0.5 - front * beta_fraction(rest, 0.5, a);
	return student;
}

/* The difference between t and the normal number of the same probability, to the first order. */
static double normal_correction(double value, double freedom)
{
	return value * (value * value + 1) / (4 * freedom);
}

double student_probability(double value, double freedom)
{
	assert(freedom > 0);
	if (freedom > FREEDOM_NORMAL)
		return normal_probability(value - normal_correction(value, freedom));
	double tail = student_at(fabs(value), freedom, gamma_ratio(freedom / 2)).tail;
	return value > 0 ? 1 - tail : tail;
}

/*
 * From the normal number `x` that has this probability: AS 26.7.5, whose terms fall fast enough
 * while x^2 < freedom. Elsewhere `x` itself, which is below the quantile of t.
 */
static double student_start(double x, double freedom)
{
	double square = x * x;

	if (square > freedom || freedom < EXPANSION_LEAST)
		return x;
	double first = (square + 1) / 4, second = ((5 * square + 16) * square + 3) / 96,
	       third = (((3 * square + 19) * square + 17) * square - 15) / 384,
	       fourth = ((((79 * square + 776) * square + 1482) * square - 1920) * square - 945) /
			92160;
	return x *
	       (1 + (first + (second + (third + fourth / freedom) / freedom) / freedom) / freedom);
}

/*
 * Newton's method with Halley's correction. The tail's probability falls convexly: from below the
 * quantile steps of Newton's come up to it and never pass it. A step leaves an error of the third
 * order, so the one after a small step would change nothing. `normal` is the normal quantile.
 */
static double student_upper_quantile(double tail, double normal, double freedom)
{
	double value = student_start(normal, freedom);
	double gamma = gamma_ratio(freedom / 2);

	for (int step = 0; step < STEPS_MOST; step++) {
		struct student at = student_at(value, freedom, gamma);
		double newton = (at.tail - tail) / at.density;
		double bend = (freedom + 1) * value / (freedom + value * value);
		double shift = newton / fmax(1 - 0.5 * newton * bend, 0.5);
		value += fabs(newton * bend) < HALLEY_MOST ? shift : newton;
		if (!(fabs(shift) > STEP_LEAST * fabs(value)))
			break;
	}
	return value;
}

double student_quantile(double probability, double freedom)
{
	assert(probability > 0 && probability < 1 && freedom > 0);
	double normal = normal_quantile(probability);
	if (freedom > FREEDOM_NORMAL || normal == 0)
		return normal + normal_correction(normal, freedom);
	return probability < 0.5 ? -student_upper_quantile(probability, -normal, freedom) :
				   student_upper_quantile(1 - probability, normal, freedom);
}
