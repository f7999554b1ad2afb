/* SPDX-License-Identifier: BSD-2-Clause */
/* cpu_budget - savings that grow with time and shrink with CPU time. */
#include "record/cpu_budget.h"

#define SHARE_LEAST 0.007 /* with the BPF programs, below 1 % of a core */
#define SHARE_OF_EACH_CORE 0.0035
#define SAVED_MOST_NS 1.5e9

struct cpu_budget cpu_budget_for(unsigned cores)
{
	double share = SHARE_OF_EACH_CORE * cores;

	return (struct cpu_budget){.share = share > SHARE_LEAST ? share : SHARE_LEAST,
				   .saved_ns = SAVED_MOST_NS};
}

bool cpu_budget_has_rest(struct cpu_budget *budget, uint64_t now_ns, uint64_t spent_ns)
{
	uint64_t passed = budget->asked_ns ? now_ns - budget->asked_ns : 0;
	uint64_t taken = spent_ns > budget->spent_ns ? spent_ns - budget->spent_ns : 0;

	budget->saved_ns += budget->share * (double)passed - (double)taken;
	if (budget->saved_ns > SAVED_MOST_NS)
		budget->saved_ns = SAVED_MOST_NS;
	if (budget->saved_ns < -SAVED_MOST_NS)
		budget->saved_ns = -SAVED_MOST_NS;
	budget->asked_ns = now_ns;
	budget->spent_ns = spent_ns;
	return budget->saved_ns > 0;
}
