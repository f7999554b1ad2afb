/* SPDX-License-Identifier: BSD-2-Clause */
/* sampling_rate - how often to sample a program while experiments run on it. */
#include "experiment/sampling_rate.h"

#include "base/memory.h"

#include <math.h>

#define KEPT 0.8 /* of what is known, from one window to the next of its kind */
#define WAKEUPS_LEAST 1000
#define REPEATS_LEAST 100    /* spins expected beside another one */
#define REPEATS_OFF_MOST 0.5 /* of those; a rhythm, or long spins, mostly: more */
#define BRIEF_SPIN_LEAST 0.01
#define NAPPED_LEAST 0.01 /* of the program's CPU time */
#define NAPS_CHANGE_LEAST 0.2
#define NAPS_SIGMAS_LEAST 4

static unsigned kind_of(double speedup)
{
	return speedup > 0 ? 1 + (unsigned)fmin(3, fmax(0, ceil(4 * speedup - 1e-9) - 1)) : 0;
}

void sampling_rate_update(struct sampling_rate *sampling_rate,
			  const struct sampling_rate_window *window)
{
	struct sampling_rate_kind *own = &sampling_rate->kinds[kind_of(window->speedup)];
	double busy_ns = (double)window->busy_ns;
	double gained_ns = window->speedup * (double)window->target_ns;

	own->busy_ns = KEPT * own->busy_ns + fmax(0, busy_ns - gained_ns);
	own->hand_overs = KEPT * own->hand_overs + (double)window->hand_overs;
	own->timed_waits = KEPT * own->timed_waits + (double)window->timed_waits;
	own->short_naps = KEPT * own->short_naps + (double)window->short_naps;
	own->short_naps_ns = KEPT * own->short_naps_ns + (double)window->short_naps_ns;
	own->all_busy_ns += busy_ns;
	own->all_naps += (double)window->short_naps;
	own->all_naps_ns += (double)window->short_naps_ns;
	own->is_known = true;
	sampling_rate->windows++;
	sampling_rate->all_busy_ns += busy_ns;
	sampling_rate->all_hand_overs += (double)window->hand_overs;
	if (!window->spins.is_known)
		return;
	sampling_rate->known_busy_ns += busy_ns;
	for (unsigned i = 0; i < 2; i++) {
		sampling_rate->spins.seen[i] += window->spins.seen[i];
		sampling_rate->spins.expected[i] += window->spins.expected[i];
		double off = fabs(window->spins.seen[i] - window->spins.expected[i]);
		sampling_rate->spins_off[i] += fmax(0, off - sqrt(window->spins.expected[i]));
	}
	sampling_rate->spins.all_ns += window->spins.all_ns;
}

uint64_t sampling_rate_period_ns(const struct sampling_rate *sampling_rate, double speedup,
				 uint64_t usual_ns, uint64_t shortest_ns)
{
	double wanted = (double)usual_ns;

	if (sampling_rate->windows < SAMPLING_RATE_FIRST)
		wanted = fmin(wanted, SAMPLING_RATE_TIMED_NS);
	if (speedup > 0 && !sampling_rate->kinds[kind_of(speedup)].is_known)
		wanted = fmin(wanted, SAMPLING_RATE_UNKNOWN_NS);
	if (shortest_ns >= usual_ns)
		return usual_ns;
	for (unsigned i = 0; i < SAMPLING_RATE_KINDS; i++) {
		const struct sampling_rate_kind *kind = &sampling_rate->kinds[i];
		double share_ns = SAMPLING_RATE_SHARE * kind->busy_ns;
		double meetings = kind->hand_overs + kind->timed_waits;
		if (meetings > 0)
			wanted = fmin(wanted, fmax(share_ns / meetings, SAMPLING_RATE_TIMED_NS));
		if (kind->hand_overs > 0)
			wanted = fmin(wanted, share_ns / kind->hand_overs);
		if (kind->short_naps_ns > NAPPED_LEAST * kind->busy_ns)
			wanted = fmin(wanted, SAMPLING_RATE_NAP_SHARE * kind->short_naps_ns /
						      kind->short_naps);
	}
	return (uint64_t)fmax(wanted, (double)shortest_ns);
}

uint64_t sampling_rate_resting_ns(uint64_t tick_ns, uint64_t usual_ns, uint64_t shortest_ns)
{
	double wanted =
		fmin((double)tick_ns / SAMPLING_RATE_RESTING_SHARE, SAMPLING_RATE_RESTING_MOST_NS);

	return shortest_ns >= usual_ns ? usual_ns : (uint64_t)fmax(wanted, (double)usual_ns);
}

uint64_t sampling_rate_work_ns(const struct sampling_rate *sampling_rate)
{
	if (sampling_rate->all_hand_overs < WAKEUPS_LEAST)
		return 0;
	return (uint64_t)(sampling_rate->all_busy_ns / sampling_rate->all_hand_overs);
}

/* Whether a speedup changes the number of short naps for the same CPU time. */
static bool naps_change(const struct sampling_rate_kind *without,
			const struct sampling_rate_kind *with)
{
	if (!(without->all_busy_ns > 0))
		return false;
	double share = with->all_busy_ns / without->all_busy_ns;
	double expected = without->all_naps * share;
	double off = fabs(with->all_naps - expected);
	double sigma = sqrt(with->all_naps + expected * share);
	return off > NAPS_CHANGE_LEAST * fmax(expected, with->all_naps) &&
	       off > NAPS_SIGMAS_LEAST * sigma;
}

uint64_t sampling_rate_poll_ns(const struct sampling_rate *sampling_rate, uint64_t period_ns)
{
	const struct sampling_rate_kind *kinds = sampling_rate->kinds;
	double naps = 0, naps_ns = 0, busy_ns = 0;
	bool is_changed = false;

	for (unsigned i = 0; i < SAMPLING_RATE_KINDS; i++) {
		naps += kinds[i].all_naps;
		naps_ns += kinds[i].all_naps_ns;
		busy_ns += kinds[i].all_busy_ns;
		is_changed = is_changed || naps_change(&kinds[0], &kinds[i]);
	}
	if (!is_changed || naps_ns < NAPPED_LEAST * busy_ns ||
	    naps_ns / naps > SAMPLING_RATE_POLL_PERIODS * (double)period_ns)
		return 0;
	return (uint64_t)(naps_ns / naps);
}

char *sampling_rate_poll_warning(const struct sampling_rate *sampling_rate, uint64_t period_ns)
{
	uint64_t nap_ns = sampling_rate_poll_ns(sampling_rate, period_ns);

	if (!nap_ns)
		return NULL;
	return text_format(
		"tasks of the program sleep for %.0f us, again and again, until another one has "
		"got there, and are sampled only every %.0f us: at which look they would find it "
		"in the faster program is not seen, so that gains may be nothing, or more; "
		"intervals are wider for it",
		(double)nap_ns / 1e3, (double)period_ns / 1e3);
}

double sampling_rate_brief_spin_share(const struct sampling_rate *sampling_rate)
{
	const struct sampling_rate_spins *spins = &sampling_rate->spins;

	for (unsigned i = 0; i < 2; i++)
		if (spins->expected[i] < REPEATS_LEAST ||
		    sampling_rate->spins_off[i] > REPEATS_OFF_MOST * spins->expected[i])
			return 0;
	double share = spins->all_ns / sampling_rate->known_busy_ns;
	return share < BRIEF_SPIN_LEAST ? 0 : fmin(1, share);
}

char *sampling_rate_warning(const struct sampling_rate *sampling_rate, uint64_t period_ns)
{
	double work_ns = (double)sampling_rate_work_ns(sampling_rate);

	if (!(work_ns > 0) || work_ns > SAMPLING_RATE_PERIODS_LEAST * (double)period_ns)
		return NULL;
	return text_format(
		"tasks of the program wake each other every %.0f us of work, and are sampled every "
		"%.0f us: where a speedup makes them wait for each other at each turn, "
		"what waking them costs is missing in the prediction, and less comes true; "
		"where they contend for a lock, more; intervals are wider for it",
		work_ns / 1e3, (double)period_ns / 1e3);
}
