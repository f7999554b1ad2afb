/* SPDX-License-Identifier: BSD-2-Clause */
/* charge_check - windows in which the growth of G contradicts the target's samples are found. */
#include "check.h"

#include "analyze/causal/charge_check.h"
#include "stats/random.h"

#define WINDOW_NS 80000000u
#define WINDOWS 64

/* Threads in the target (their mean number), and G's growth as a part of the time. */
static struct charge_window window_of(double speedup, double threads, double growth)
{
	return (struct charge_window){
		.speedup = speedup,
		.duration_ns = WINDOW_NS,
		.delay_ns = (uint64_t)(growth * WINDOW_NS),
		.target_ns = (uint64_t)(threads * WINDOW_NS),
		.sampled_ns = 2 * WINDOW_NS,
	};
}

static enum charge_verdict middle_of(struct charge_window before, struct charge_window window,
				     struct charge_window after)
{
	struct charge_window windows[3] = {before, window, after};
	enum charge_verdict verdicts[3];

	charge_check(windows, 3, verdicts);
	return verdicts[1];
}

TEST("a charge over the whole window for a target with 1 % of a thread is excessive")
{
	struct charge_window control = window_of(0, 0.01, 0.02);

	CHECK_EQUAL(middle_of(control, window_of(0.25, 0.01, 0.25), control), CHARGE_EXCESSIVE);
	CHECK_EQUAL(middle_of(control, window_of(1, 0, 1), control), CHARGE_EXCESSIVE);
	CHECK_EQUAL(middle_of(control, window_of(1, 0.01, 0.03), control), CHARGE_AGREES);
}

TEST("a target in which a thread always is and that is not charged is told")
{
	struct charge_window control = window_of(0, 3.6, 0.04);

	CHECK_EQUAL(middle_of(control, window_of(0.5, 3.6, 0.001), control), CHARGE_MISSING);
	CHECK_EQUAL(middle_of(control, window_of(0.5, 3.6, 0.5), control), CHARGE_AGREES);
}

TEST("a wait longer than a window counts by the samples of the window that it ends in")
{
	struct charge_window control = window_of(0, 0, 0.01);

	CHECK_EQUAL(middle_of(control, window_of(0.5, 0, 0.5), window_of(0, 2, 0.01)),
		    CHARGE_AGREES);
}

TEST("a window that is nearly all pauses, many of them cut, tells nothing")
{
	struct charge_window control = window_of(0, 0.9, 0.05), whole = window_of(1, 0.9, 0.97);

	CHECK_EQUAL(middle_of(control, whole, control), CHARGE_AGREES);
	whole.capped = 30;
	CHECK_EQUAL(middle_of(control, whole, control), CHARGE_WHOLE);
	whole.delay_ns = WINDOW_NS / 2;
	CHECK_EQUAL(middle_of(control, whole, control), CHARGE_AGREES);
}

TEST("so does one in whose target many threads are")
{
	struct charge_window control = window_of(0, 11.7, 0.06), few = window_of(0, 1.9, 0.05);

	CHECK_EQUAL(middle_of(control, window_of(1, 1.9, 0.94), control), CHARGE_WHOLE);
	CHECK_EQUAL(middle_of(window_of(1, 1.9, 0.94), window_of(1, 1.9, 0.94), control),
		    CHARGE_WHOLE);
	CHECK_EQUAL(middle_of(control, window_of(1, 3.3, 0.88), control), CHARGE_AGREES);
	CHECK_EQUAL(middle_of(few, window_of(1, 1.9, 0.94), few), CHARGE_AGREES);
}

TEST("samples of the target's name that were not charged are told, few of them are not")
{
	struct charge_window control = window_of(0, 0.6, 0.01), window = window_of(0.5, 0.3, 0.15);

	window.unrecognized_ns = (uint64_t)(0.25 * WINDOW_NS);
	CHECK_EQUAL(middle_of(control, window, control), CHARGE_MISSING);
	window.unrecognized_ns = (uint64_t)(0.05 * WINDOW_NS);
	CHECK_EQUAL(middle_of(control, window, control), CHARGE_AGREES);
	window = window_of(0.5, 0, 0);
	window.unrecognized_ns = (uint64_t)(0.91 * WINDOW_NS);
	CHECK_EQUAL(middle_of(control, window, control), CHARGE_MISSING);
	window.unrecognized_ns = (uint64_t)(0.01 * WINDOW_NS);
	CHECK_EQUAL(middle_of(control, window, control), CHARGE_AGREES);
}

TEST("nothing is said of windows at speedup 0 and of those without samples")
{
	struct charge_window control = window_of(0, 0, 0.9), unsampled = window_of(0.5, 0, 0.5);

	unsampled.sampled_ns = 0;
	CHECK_EQUAL(middle_of(control, control, control), CHARGE_AGREES);
	CHECK_EQUAL(middle_of(window_of(0, 0, 0), unsampled, window_of(0, 0, 0)), CHARGE_AGREES);
}

TEST("of windows whose charge follows from the target's time none is refused")
{
	struct random generator = random_seeded(11);
	unsigned refused = 0;

	for (int repeat = 0; repeat < 500; repeat++) {
		struct charge_window windows[WINDOWS];
		enum charge_verdict verdicts[WINDOWS];
		double share = random_uniform(&generator), ticks = 0.1 * random_uniform(&generator);
		unsigned threads = 1 + (unsigned)(16 * random_uniform(&generator));
		for (int i = 0; i < WINDOWS; i++) {
			/* Time in the target varies; it overlaps in all threads, or in none. */
			double time = share * (0.5 + random_uniform(&generator));
			double speedup = i % 2 ? 0.25 * (1 + i / 2 % 4) : 0;
			time = time < 1 ? time : 1;
			windows[i] = window_of(speedup, time * (i % 4 == 1 ? threads : 1),
					       speedup * time + ticks);
		}
		charge_check(windows, WINDOWS, verdicts);
		for (int i = 0; i < WINDOWS; i++)
			refused += verdicts[i] != CHARGE_AGREES;
	}
	CHECK_EQUAL(refused, 0);
}
