/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * advice - what to do first: the verdicts of a causal profile sorted by what follows from them.
 *
 * Each verdict stands in one list at most; those of latency points have their own.
 */
#pragma once

#include "report/causal/verdict.h"
#include "report/report.h"

#define ADVICE_MOST 3 /* of each list */
#define ADVICE_GAINS_MOST 40

struct advice_list {
	const struct target_verdict *items[ADVICE_MOST]; /* borrowed from the verdicts */
	unsigned count, more;                            /* more: that did not fit */
};

struct advice {
	const struct causal *causal; /* borrowed */
	struct advice_list gains;    /* sure, the largest lower bound first */
	const struct target_verdict
		*all_gains[ADVICE_GAINS_MOST]; /* the same, in the table's order */
	unsigned all_gains_count;
	struct advice_list contention; /* sure, and slower when faster */
	struct advice_list hopeless;   /* large share, and surely no large gain */
	struct advice_list unsure;     /* may gain: the largest ceiling first */
	struct advice_list together;   /* sets that surely gain more than their members */
	struct advice_list latency;    /* surely shorter at a latency point */
	double busy_cores;             /* of the program, on average; NAN if unknown */
	double taken_share;            /* of the core time it could use, by other programs */
	unsigned cores;                /* of the machine; 0 if unknown */
	bool serves;                   /* its unit of work is a request, of clients */
	double paced_share;            /* of its pace, set from outside; 0 if it is not */
	bool paced_is_cpu_time; /* that pace is CPU time, which may also be spent on waiting */
	double waiting_share;   /* of the threads' time, for locks and cores: in no code */
	double sleep_share;     /* of the threads' time, for timers, clients and children */
};

struct advice advice_of(const struct report *report, const struct target_verdicts *verdicts);

/* Why the target has its gain, as a clause; to be freed. */
char *advice_why(const struct advice *advice, const struct target_verdict *verdict);
/* What limits the program besides its own code, as sentences; NULL: nothing known. To be freed. */
char *advice_limits(const struct advice *advice);
