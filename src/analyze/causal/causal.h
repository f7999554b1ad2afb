/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * causal - a recording's experiments turned into ranked targets with curves and intervals.
 */
#pragma once

#include "analyze/causal/budget.h"
#include "analyze/causal/external_pacing.h"
#include "analyze/causal/hand_over_rare.h"
#include "analyze/causal/paced_load.h"
#include "analyze/causal/point_choice.h"
#include "analyze/causal/steadiness.h"
#include "analyze/causal/transients.h"
#include "profile/recording.h"
#include "stats/covariates.h"
#include "stats/effect.h"
#include "stats/tail.h"
#include "stats/warm_up.h"

enum effect_outcome { EFFECT_UNSURE, EFFECT_GAIN, EFFECT_CONTENTION };

struct causal_effect {
	const struct recording_point *point;
	struct effect_point *points; /* at measured speedups, ascending, phase-corrected */
	/* the same, in the same memory, without what is a part of the gain (meeting_error.h) */
	struct effect_point *bare;
	size_t count;
	struct budget *budgets;       /* of the same points: where their variance comes from */
	struct effect_slope slope;    /* phase-corrected */
	struct covariates covariates; /* of which the points are freed */
	double phase_factor;          /* 1 if the target runs all the time */
	double set_error;             /* of a set, per unit of speedup: set_error.h */
	double hand_over_error;       /* as a part of the gain: hand_over_error.h */
	struct hand_over_rare hand_over_rare; /* likewise, by speedup */
	double crowding_error;                /* likewise: crowding_error.h */
	double unused_share;         /* of cores, beside waiting tasks: placement_error.h */
	double cycle_ns;             /* longer than windows that count; 0: cycle_parts.h */
	double cycle_most;           /* of the gain, at a speedup of 1: cycle_parts.h */
	double phase_reach;          /* likewise, off by this much: phase_coverage.h */
	bool is_disk_wait;           /* the interval reaches up: disk_wait.h */
	bool is_contention;          /* sure, and a loss */
	enum effect_outcome outcome; /* by the whole curve and the whole table (certainty.h) */
	double probability;          /* of such a curve without any effect */
	double tendency;             /* slope by which the outcome was judged */
	double slope_most;           /* by the charge; INFINITY if unknown */
	double slope_suspect;        /* a gain surely above is not explained by the charge */
	/* of the gains of all windows, if the charge explained them; if contention did, too */
	double chance_of_charge, chance_of_contention;
	bool exceeds_charge;          /* it surely is: threads wait less for each other, too */
	double ceiling;               /* the gain is not more, even if the target took no time */
	struct warm_up warm_up;       /* which windows are left out as too early */
	struct transients transients; /* which parts of windows are left out as too early */
	double early_share; /* part of the gain by all windows that early ones account for */
	/* the interval is wider, as the target may warm up as slowly as another one */
	bool is_widened;
	struct external_pacing external_pacing; /* what was subtracted as externally paced */
	struct paced_load paced_load;           /* whose surplus was taken off */
	struct tail tail;                       /* of a latency point: its 99th percentile */
	double tail_lacking_ns;                 /* more run time needed; 0: that does not help */
};

struct causal_target {
	const struct recording_target *target;
	double share;         /* of the program's sampled on-CPU time */
	unsigned experiments; /* counted ones at speedup > 0 */
	/* windows that do not count, by charge_check.h */
	unsigned overcharged, uncharged, paused_whole;
	unsigned displaced; /* windows that do not count, as other programs disturbed them more */
	struct causal_effect *effects;
	size_t count;
	/* the nearest target around it that has effects, by its main callers; NULL: none */
	const struct causal_target *outer;
	/* of a function without a name: the nearest one around it that has one; NULL: none */
	const char *named_outer;
	bool is_all_of_named; /* that one does nothing but jump to it */
};

struct causal {
	struct causal_target
		*targets; /* by the lower bound of the best effect's slope, descending */
	size_t count;
	unsigned experiments; /* that counted, controls included */
	unsigned displaced, too_few_visits, cut_short, mischarged;
	struct point_choice choice;   /* among points that Lever found */
	struct steadiness steadiness; /* of the last run */
};

struct causal *causal_new(const struct recording *recording);
void causal_free(struct causal *causal);
