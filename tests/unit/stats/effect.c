/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of stats/effect.h on cases small enough to reason about, and against reference.py. */
#include "stats/effect.h"

#include "check.h"
#include "reference.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define MS 1000000ull
#define MOST 32

static struct effect_window window(uint64_t time_ms, double speedup, double period_ns, uint32_t run)
{
	return (struct effect_window){.time_ns = time_ms * MS,
				      .speedup = speedup,
				      .period_ns = period_ns,
				      .run = run};
}

/* A little noise that is no random number: the same at every call, mean near 0, within 1 %. */
static double wobble(size_t i)
{
	return 1 + 0.01 * sin(2.4 * (double)i);
}

/* Alternating controls and windows at speedups 0.25 and 0.5 with gains 0.1 and 0.2. */
static size_t alternate(struct effect_window *windows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		double speedup = i % 2 ? (i % 4 == 1 ? 0.25 : 0.5) : 0;
		windows[i] = window(100 * i, speedup, 1000 * (1 - 0.4 * speedup) * wobble(i), 1);
	}
	return count;
}

TEST("undisturbed windows with controls of their own give the reference's points")
{
	struct effect_window windows[3 * COUNT(estimate_triples)];
	struct effect_point points[MOST];
	for (uint32_t i = 0; i < COUNT(estimate_triples); i++) {
		const struct estimate_triple *triple = &estimate_triples[i];
		windows[3 * i] = window(5000, 0, triple->before, i);
		windows[3 * i + 1] = window(5100, triple->speedup, triple->at, i);
		windows[3 * i + 2] = window(5300, 0, triple->after, i);
	}
	size_t found = effect_estimate(windows, COUNT(windows), points, MOST);
	CHECK_EQUAL(found, COUNT(estimate_references));
	for (size_t i = 0; i < found; i++) {
		const struct estimate_reference *row = &estimate_references[i];
		CHECK_NEAR(points[i].speedup, row->speedup, 0);
		CHECK_NEAR(points[i].gain, row->gain, 1e-9);
		CHECK_NEAR(points[i].low, row->low, 1e-7);
		CHECK_NEAR(points[i].high, row->high, 1e-7);
		CHECK_NEAR(points[i].error, row->error, 1e-8);
		CHECK_NEAR(points[i].shared, 0, 1e-12);
	}
	CHECK_EQUAL(points[0].windows, 14);
	CHECK_EQUAL(points[1].windows, 3);
	CHECK_EQUAL(points[2].windows, 4);
}

TEST("the order in which windows are given changes nothing")
{
	struct effect_window windows[41], reversed[41];
	struct effect_point points[MOST], again[MOST];
	size_t count = alternate(windows, 41);
	for (size_t i = 0; i < count; i++)
		reversed[i] = windows[count - 1 - i];
	CHECK_EQUAL(effect_estimate(windows, count, points, MOST), 3);
	CHECK_EQUAL(effect_estimate(reversed, count, again, MOST), 3);
	CHECK(!memcmp(points, again, 3 * sizeof(points[0])));
}

TEST("points ascend in speedup, start with gain 0 at 0, and hold the gain that was put in")
{
	struct effect_window windows[41];
	struct effect_point points[MOST];
	CHECK_EQUAL(effect_estimate(windows, alternate(windows, 41), points, MOST), 3);
	CHECK_NEAR(points[0].speedup, 0, 0);
	CHECK_NEAR(points[0].gain, 0, 0);
	CHECK(points[0].low < 0 && points[0].high > 0);
	CHECK_NEAR(points[1].gain, 0.1, 0.005);
	CHECK_NEAR(points[2].gain, 0.2, 0.005);
	CHECK(points[2].low < 0.2 && points[2].high > 0.2 && points[2].error > 0);
}

TEST("no more points are written than there is room for")
{
	struct effect_window windows[41];
	struct effect_point points[2] = {[1] = {.gain = 77}};
	CHECK_EQUAL(effect_estimate(windows, alternate(windows, 41), points, 1), 1);
	CHECK_NEAR(points[1].gain, 77, 0);
}

TEST("a machine that slows down steadily to a third does not bend the gain")
{
	struct effect_window windows[101];
	struct effect_point points[MOST];
	for (size_t i = 0; i < 101; i++) {
		double drift = exp(0.011 * (double)i), speedup = i % 2 ? 0.5 : 0;
		windows[i] = window(100 * i, speedup, (i % 2 ? 750 : 1000) * drift * wobble(i), 1);
	}
	CHECK_EQUAL(effect_estimate(windows, 101, points, MOST), 2);
	CHECK_NEAR(points[1].gain, 0.25, 0.002);
	CHECK(points[1].high - points[1].low < 0.02);
}

TEST("windows of different runs are never compared")
{
	/*
	 * The second run is twice as slow, has no controls, and lies between windows of the first.
	 */
	struct effect_window windows[60];
	struct effect_point points[MOST];
	size_t count = alternate(windows, 41);
	for (size_t i = 0; i < 10; i++)
		windows[count++] = window(100 * i + 50, 0.5, 1600 * wobble(i), 2);
	CHECK_EQUAL(effect_estimate(windows, count, points, MOST), 3);
	CHECK_EQUAL(points[2].windows, 10);
	CHECK_NEAR(points[2].gain, 0.2, 0.005);
}

TEST("a window whose only control is far away in time is not counted")
{
	struct effect_window windows[60];
	struct effect_point points[MOST];
	size_t count = alternate(windows, 41);
	windows[count++] = window(60000, 0.75, 500, 1);
	CHECK_EQUAL(effect_estimate(windows, count, points, MOST), 3);
}

TEST("pauses between runs do not make a far control a near one")
{
	struct effect_window windows[40];
	struct effect_point points[MOST];
	size_t count = 0;
	for (uint32_t run = 0; run < 15; run++) {
		windows[count++] = window(0, 0, 1000 * wobble(run), run);
		windows[count++] = window(run ? 100 : 60000, 0.5, 800 * wobble(run + 20), run);
	}
	CHECK_EQUAL(effect_estimate(windows, count, points, MOST), 1);
	CHECK_EQUAL(points[0].windows, 14);
}

TEST("a fifth of the windows, slowed by half, moves the gain by less than half a point")
{
	struct effect_window windows[201];
	struct effect_point points[MOST];
	size_t count = alternate(windows, 201);
	for (size_t i = 0; i < count; i++)
		if (i % 10 == 3 || i % 10 == 6)
			windows[i].period_ns *= 1.5;
	CHECK_EQUAL(effect_estimate(windows, count, points, MOST), 3);
	CHECK_NEAR(points[1].gain, 0.1, 0.005);
	CHECK_NEAR(points[2].gain, 0.2, 0.005);
}

TEST("two windows that share their only control err together")
{
	/*
	 * Mean of two, less one control: variance 1/2 + 1, or a little less, as part of the
	 * windows' noise may be their own; 1/2 + 1/2 if each had a control. The positions differ by
	 * 0.02.
	 */
	const struct effect_window windows[] = {
		window(100, 0, 1000, 1),
		window(200, 0.5, 1050 * exp(0.01) - 250, 1),
		window(300, 0.5, 1050 * exp(-0.01) - 250, 1),
	};
	struct effect_point point;
	CHECK_EQUAL(effect_estimate(windows, 3, &point, 1), 1);
	CHECK_NEAR(point.gain, 0.2, 1e-9);
	CHECK(point.error / 1.05 <= sqrt(1.5 * 2e-4 / 0.98245));
	CHECK(point.error / 1.05 > sqrt(1.15 * 2e-4 / 0.98245));
}

TEST("speedups that share their only control tell how much of their errors is common")
{
	/*
	 * Of each squared error, 1/2 + 1 windows' worth, the control's 1 is common; less where a
	 * part of the windows' noise is their own.
	 */
	const struct effect_window windows[] = {
		window(100, 0, 1000, 1),
		window(200, 0.5, 800 * exp(0.01), 1),
		window(300, 1, 600 * exp(0.01), 1),
		window(400, 0.5, 800 * exp(-0.01), 1),
		window(500, 1, 600 * exp(-0.01), 1),
	};
	struct effect_point points[MOST];
	CHECK_EQUAL(effect_estimate(windows, 5, points, MOST), 2);
	double first = points[0].shared / points[0].error;
	double second = points[1].shared / points[1].error;
	CHECK(first > sqrt(0.5) && first <= sqrt(1 / 1.5));
	CHECK(second > sqrt(0.5) && second <= sqrt(1 / 1.5));
}

TEST("two windows that contradict each other have an interval that admits both")
{
	struct effect_window windows[101];
	struct effect_point points[MOST];
	size_t count = alternate(windows, 101);
	windows[31].speedup = windows[71].speedup = 0.75;
	windows[31].period_ns = 700;
	windows[71].period_ns = 900;
	CHECK_EQUAL(effect_estimate(windows, count, points, MOST), 4);
	CHECK_EQUAL(points[3].windows, 2);
	CHECK(points[3].low < 0.1 && points[3].high > 0.3);
}

TEST("one window and one control give no point")
{
	const struct effect_window windows[] = {window(1, 0, 1000, 1), window(2, 0.5, 800, 1)};
	struct effect_point points[MOST];
	CHECK_EQUAL(effect_estimate(windows, 2, points, MOST), 0);
	CHECK_EQUAL(effect_estimate(windows, 1, points, MOST), 0);
	CHECK_EQUAL(effect_estimate(NULL, 0, points, MOST), 0);
}

TEST("one window between two controls has an interval, as wide as one degree of freedom is")
{
	const struct effect_window windows[] = {
		window(100, 0, 1000, 1),
		window(200, 0.5, 800, 1),
		window(300, 0, 1010, 1),
	};
	struct effect_point points[MOST];
	CHECK_EQUAL(effect_estimate(windows, 3, points, MOST), 2);
	CHECK_EQUAL(points[1].windows, 1);
	CHECK_NEAR(points[1].gain, 1 - 800 / sqrt(1000 * 1010), 1e-9);
	CHECK_NEAR(log((1.25 - points[1].low) / (1.25 - points[1].high)),
		   2 * 12.706204736 * points[1].error / (1.25 - points[1].gain), 1e-6);
}

/* The width at the lone window at 0.75, when every tenth window is slower by `disturbance`. */
static double lone_width(double disturbance)
{
	struct effect_window windows[101];
	struct effect_point points[MOST];
	size_t count = alternate(windows, 101);
	for (size_t i = 3; i < count; i += 10)
		windows[i].period_ns *= 1 + disturbance;
	windows[51].speedup = 0.75;
	count = effect_estimate(windows, count, points, MOST);
	return count == 4 && points[3].windows == 1 ? points[3].high - points[3].low : 0;
}

TEST("disturbances elsewhere widen the interval of a window that is alone at its speedup")
{
	CHECK(lone_width(0) > 0.01);
	CHECK(lone_width(0.4) > 5 * lone_width(0));
}

TEST("three times noisier windows at one speedup get a wider interval there")
{
	struct effect_window windows[201];
	struct effect_point points[MOST];
	size_t count = alternate(windows, 201);
	for (size_t i = 3; i < count; i += 4)
		windows[i].period_ns = 800 * (1 + 5 * (wobble(7 * i) - 1));
	CHECK_EQUAL(effect_estimate(windows, count, points, MOST), 3);
	CHECK(points[2].high - points[2].low > 2 * (points[1].high - points[1].low));
}

TEST("windows without noise give the exact gain")
{
	struct effect_window windows[20];
	struct effect_point points[MOST];
	for (size_t i = 0; i < 20; i++)
		windows[i] = window(100 * i, i % 2 ? 0.5 : 0, i % 2 ? 700 : 1000, 1);
	CHECK_EQUAL(effect_estimate(windows, 20, points, MOST), 2);
	CHECK_NEAR(points[1].gain, 0.3, 1e-9);
	CHECK(points[1].low <= points[1].gain && points[1].high >= points[1].gain);
	CHECK(points[1].high - points[1].low < 1e-6);
}

TEST("windows without a period, and controls with none above 0, are passed over")
{
	struct effect_window windows[50];
	struct effect_point points[MOST], again[MOST];
	size_t count = alternate(windows, 41);
	CHECK_EQUAL(effect_estimate(windows, count, points, MOST), 3);
	windows[count++] = window(150, 0.5, NAN, 1);
	windows[count++] = window(250, 0, NAN, 1);
	windows[count++] = window(350, 0, 0, 1);
	windows[count++] = window(450, 0, -4, 1);
	windows[count++] = window(550, 0.25, INFINITY, 1);
	windows[count++] = window(650, NAN, 800, 1);
	CHECK_EQUAL(effect_estimate(windows, count, again, MOST), 3);
	CHECK(!memcmp(points, again, 3 * sizeof(points[0])));
}

TEST("periods below 0 count where nothing but the noise of the pauses is left")
{
	struct effect_window windows[80];
	struct effect_point points[MOST];
	for (size_t i = 0; i < 80; i++)
		windows[i] = window(100 * i, i % 2,
				    i % 2 ? 30 * sin(2.4 * (double)i) : 1000 * wobble(i), 1);
	CHECK_EQUAL(effect_estimate(windows, 80, points, MOST), 2);
	CHECK_EQUAL(points[1].windows, 40);
	CHECK_NEAR(points[1].gain, 1, 0.003);
	CHECK(points[1].low < 1 && points[1].high > 1 && points[1].high - points[1].low < 0.03);
}

TEST("a period far below 0 is a disturbed window like any other")
{
	struct effect_window windows[81];
	struct effect_point points[MOST], again[MOST];
	for (size_t i = 0; i < 81; i++)
		windows[i] =
			window(100 * i, i % 2, i % 2 ? 300 * wobble(7 * i) : 1000 * wobble(i), 1);
	CHECK_EQUAL(effect_estimate(windows, 81, points, MOST), 2);
	windows[41].period_ns = -3e6;
	CHECK_EQUAL(effect_estimate(windows, 81, again, MOST), 2);
	CHECK_NEAR(again[1].gain, points[1].gain, 0.001);
	CHECK_NEAR(again[1].error, points[1].error, 0.001);
}

TEST("few windows at 100 % do not take over the smaller variance of others")
{
	/*
	 * Controls and small speedups vary by 0.5 %, the three at speedup 1 by 10 % of the control.
	 */
	struct effect_window windows[101];
	struct effect_point points[MOST];
	static const double left[] = {-100, 20, 110};
	for (size_t i = 0; i < 101; i++)
		windows[i] = window(100 * i, i % 2 ? 0.2 * (double)(1 + i / 2 % 2) : 0,
				    1000 * wobble(i), 1);
	for (size_t i = 0; i < 101; i++)
		windows[i].period_ns *= 1 - windows[i].speedup;
	for (size_t i = 0; i < 3; i++)
		windows[25 + 20 * i] = window(100 * (25 + 20 * i), 1, left[i], 1);
	CHECK_EQUAL(effect_estimate(windows, 101, points, MOST), 4);
	CHECK_EQUAL(points[3].windows, 3);
	CHECK(points[3].low < 0.93 && points[3].high > 1.04);
	CHECK(points[1].high - points[1].low < 0.02);
}

TEST("a target that slows the program down when it is faster has a negative gain")
{
	struct effect_window windows[60];
	struct effect_point points[MOST];
	for (size_t i = 0; i < 60; i++)
		windows[i] = window(100 * i, i % 2 ? 0.5 : 0, (i % 2 ? 1150 : 1000) * wobble(i), 1);
	CHECK_EQUAL(effect_estimate(windows, 60, points, MOST), 2);
	CHECK_NEAR(points[1].gain, -0.15, 0.005);
	CHECK(points[1].high < 0);
}

static size_t reference_points(struct effect_point *points)
{
	for (size_t i = 0; i < COUNT(curve_points); i++) {
		const struct curve_point *row = &curve_points[i];
		points[i] = (struct effect_point){
			.speedup = row->speedup,
			.gain = row->gain,
			.low = row->gain - row->quantile * row->error,
			.high = row->gain + row->quantile * row->error,
			.error = row->error,
			.shared = row->shared,
			.windows = 10,
		};
	}
	return COUNT(curve_points);
}

static struct effect_point normal_point(double speedup, double gain, double error)
{
	double reach = 1.959963984540054 * error;
	return (struct effect_point){
		.speedup = speedup,
		.gain = gain,
		.low = gain - reach,
		.high = gain + reach,
		.error = error,
		.windows = 8,
	};
}

TEST("the slope and its interval are the reference's")
{
	struct effect_point points[MOST];
	struct effect_slope slope = effect_slope(points, reference_points(points));
	CHECK_NEAR(slope.slope, slope_references[0].slope, 1e-12);
	CHECK_NEAR(slope.low, slope_references[0].low, 1e-9);
	CHECK_NEAR(slope.high, slope_references[0].high, 1e-9);
	CHECK_EQUAL(slope.windows, 50);
}

TEST("the slope of one point is its gain per speedup, its interval likewise")
{
	struct effect_point points[2] = {normal_point(0, 0, 0.01), normal_point(0.5, 0.2, 0.01)};
	struct effect_slope slope = effect_slope(points, 2);
	CHECK_NEAR(slope.slope, 0.4, 1e-12);
	CHECK_NEAR(slope.low, 2 * points[1].low, 1e-12);
	CHECK_NEAR(slope.high, 2 * points[1].high, 1e-12);
	CHECK_EQUAL(slope.windows, 8);
}

TEST("points that scatter three times as far as their errors make the slope's interval wider")
{
	struct effect_point points[4];
	for (int i = 0; i < 4; i++)
		points[i] = normal_point(0.5, 0.2 + (i % 2 ? 0.01 : -0.01), 0.01 / 3);
	struct effect_slope slope = effect_slope(points, 4);
	/* chi square 4 * 9 over 3 degrees of freedom; error of the mean 0.01 / 3 / 2, over 0.5 */
	CHECK_NEAR(slope.high - slope.low, 2 * 1.959963985 * 0.01 / 3 * sqrt(12), 1e-8);
}

TEST("an error that all points share does not shrink with their number")
{
	struct effect_point points[30];
	for (int i = 0; i < 30; i++) {
		points[i] = normal_point(1, 0.2, 0.01);
		points[i].shared = 0.006;
	}
	struct effect_slope slope = effect_slope(points, 30);
	CHECK_NEAR(slope.high - slope.low,
		   2 * 1.959963985 * sqrt(0.006 * 0.006 + 0.008 * 0.008 / 30), 1e-8);
}

TEST("without a point above speedup 0 there is no slope")
{
	struct effect_point point = normal_point(0, 0, 0.01);
	struct effect_slope slope = effect_slope(&point, 1);
	CHECK_EQUAL(slope.windows, 0);
	CHECK_NEAR(fabs(slope.slope) + fabs(slope.low) + fabs(slope.high), 0, 0);
}

TEST("values between the points are the reference's")
{
	struct effect_point points[MOST], answer;
	size_t count = reference_points(points);
	for (size_t i = 0; i < COUNT(curve_references); i++) {
		const struct curve_reference *row = &curve_references[i];
		CHECK_EQUAL(effect_at(points, count, row->speedup, &answer), 0);
		CHECK_NEAR(answer.speedup, row->speedup, 0);
		CHECK_NEAR(answer.gain, row->gain, 1e-8);
		CHECK_NEAR(answer.low, row->low, 1e-7);
		CHECK_NEAR(answer.high, row->high, 1e-7);
		CHECK_NEAR(answer.error, row->error, 1e-8);
	}
}

TEST("the curve goes through 0 at 0, and is not read off far from all points")
{
	struct effect_point points[2] = {normal_point(0, 0, 0.01), normal_point(0.2, 0.1, 0.01)};
	struct effect_point answer;
	CHECK_EQUAL(effect_at(points, 2, 0, &answer), 0);
	CHECK_NEAR(answer.gain, 0, 1e-12);
	CHECK_NEAR(answer.high - answer.low, 0, 1e-9);
	CHECK_EQUAL(effect_at(points, 2, 0.45, &answer), 0);
	CHECK_EQUAL(effect_at(points, 2, 0.46, &answer), -1);
	CHECK_EQUAL(effect_at(points, 1, 0.1, &answer), -1);
	CHECK_EQUAL(effect_at(NULL, 0, 0.1, &answer), -1);
}

TEST("a precise point decides the answer at its own speedup")
{
	struct effect_point points[3] = {
		normal_point(0.4, 0.05, 0.05),
		normal_point(0.5, 0.21, 0.001),
		normal_point(0.6, 0.45, 0.05),
	};
	struct effect_point answer;
	CHECK_EQUAL(effect_at(points, 3, 0.5, &answer), 0);
	CHECK_NEAR(answer.gain, 0.21, 0.0005);
	CHECK_NEAR(answer.error, 0.001, 0.0001);
	CHECK_EQUAL(answer.windows, 8);
}

static double knee(double speedup)
{
	return fmin(0.8 * speedup, 0.32);
}

static double hump(double speedup)
{
	return speedup < 0.4 ? 0.75 * speedup : 0.3 - 0.7 * (speedup - 0.4);
}

/* The largest error when a curve is read off points at every second of the steps of 5 %. */
static double worst_error(double (*curve)(double))
{
	struct effect_point points[10], answer;
	double worst = 0;

	for (int i = 0; i < 10; i++)
		points[i] = normal_point(0.1 * (i + 1), curve(0.1 * (i + 1)), 0.005);
	for (int i = 1; i <= 20; i++) {
		if (effect_at(points, 10, 0.05 * i, &answer))
			return INFINITY;
		worst = fmax(worst, fabs(answer.gain - curve(0.05 * i)));
	}
	return worst;
}

TEST("curves that saturate, and curves that rise and fall, are followed to one point")
{
	CHECK(worst_error(knee) < 0.01);
	CHECK(worst_error(hump) < 0.015);
}

TEST("noisy points on a line are pooled: the answer's interval is narrower than the point's")
{
	struct effect_point points[10], answer;
	for (int i = 0; i < 10; i++)
		points[i] =
			normal_point(0.1 * (i + 1), 0.05 * (i + 1) + (i % 2 ? 0.01 : -0.01), 0.02);
	CHECK_EQUAL(effect_at(points, 10, 0.5, &answer), 0);
	CHECK_NEAR(answer.gain, 0.25, 0.005);
	CHECK(answer.error < 0.012);
	CHECK(answer.windows > 8);
}

TEST("a target sampled four times as often in its own windows ran in a quarter of the run")
{
	CHECK_NEAR(effect_phase_factor(400e6, 1e9, 1000e6, 10e9, 250e3), 0.25, 1e-12);
}

TEST("a target that runs evenly needs no phase correction")
{
	CHECK_NEAR(effect_phase_factor(101e6, 1e9, 1000e6, 10e9, 250e3), 1, 0);
	CHECK_NEAR(effect_phase_factor(50e6, 1e9, 1000e6, 10e9, 250e3), 1, 0);
	CHECK_NEAR(effect_phase_factor(103e6, 1e9, 1000e6, 10e9, 1e3), 1, 0); /* sure, but small */
}

TEST("few samples do not distinguish a phase from chance")
{
	/* 3 of 10 samples in a tenth of the time: 1 expected, 1.6 standard errors. */
	CHECK_NEAR(effect_phase_factor(3e6, 1e9, 10e6, 10e9, 1e6), 1, 0);
	/* The same shares from 100 times as many samples. */
	CHECK_NEAR(effect_phase_factor(3e6, 1e9, 10e6, 10e9, 1e4), 1.0 / 3, 1e-12);
}

TEST("a phase factor without data, or of a run that was observed whole, is 1")
{
	CHECK_NEAR(effect_phase_factor(0, 1e9, 1e9, 10e9, 1e6), 1, 0);
	CHECK_NEAR(effect_phase_factor(4e8, 0, 1e9, 10e9, 1e6), 1, 0);
	CHECK_NEAR(effect_phase_factor(4e8, 1e9, 1e9, 0, 1e6), 1, 0);
	CHECK_NEAR(effect_phase_factor(4e8, 1e9, 1e9, 10e9, 0), 1, 0);
	CHECK_NEAR(effect_phase_factor(9e8, 10e9, 1e9, 10e9, 1e6), 1, 0);
	CHECK_NEAR(effect_phase_factor(NAN, 1e9, 1e9, 10e9, 1e6), 1, 0);
}

TEST("the method's own error widens every point above speedup 0, as an error that all share")
{
	struct effect_point points[2] = {
		{.speedup = 0, .gain = 0, .low = -0.01, .high = 0.01, .error = 0.005},
		{.speedup = 0.5, .gain = 0.4, .low = 0.392, .high = 0.408, .error = 0.004},
	};

	effect_add_method_error(points, 2);
	CHECK_NEAR(points[0].high, 0.01, 1e-12);
	CHECK_NEAR(points[0].error, 0.005, 1e-12);
	/* 0.6 points and 0.5 % of the gain make 0.8 points; with 0.4 that is 0.8944. */
	CHECK_NEAR(points[1].error, 0.0089443, 1e-6);
	CHECK_NEAR(points[1].shared, 0.008, 1e-12);
	CHECK_NEAR(points[1].high - 0.4, 0.0176027, 1e-6);
	CHECK_NEAR(0.4 - points[1].low, 0.0176027, 1e-6);
}

/* Two points of a slope of 0.2, with errors of 0.02. */
static double probability_within(double least, double most)
{
	double tendency;
	const struct effect_point points[] = {
		{0.5, 0.1, 0.1 - 0.04, 0.1 + 0.04, 0.02, 0, 20},
		{1, 0.2, 0.2 - 0.04, 0.2 + 0.04, 0.02, 0, 20},
	};
	double value = effect_probability(points, 2, least, most, &tendency);
	CHECK_NEAR(tendency, 0.2, 1e-9);
	return value;
}

TEST("a slope that the bounds exclude is no evidence")
{
	CHECK(probability_within(-INFINITY, INFINITY) < 1e-6);
	CHECK(probability_within(-1, 0.25) < 1e-6);
	CHECK(probability_within(-0.0025, 0.0005) > 0.2);
	CHECK(probability_within(-1, 0) == 1);
}
