/* SPDX-License-Identifier: BSD-2-Clause */
/* verdict_json - keys and values of verdicts and points. */
#include "report/causal/verdict_json.h"

#include "report/json.h"

json_t *effect_point_json(const struct effect_point *point)
{
	return json_pack("{so so so so sI}", "speedup", json_number(point->speedup),
			 "program_speedup", json_number(point->gain), "low",
			 json_number(point->low), "high", json_number(point->high), "experiments",
			 (json_int_t)point->windows);
}

json_t *verdict_json(const struct target_verdict *verdict)
{
	const struct effect_point *at = &verdict->at;

	return json_pack("{so so so so sb ss}", "speedup", json_number(at->speedup),
			 "program_speedup", json_number(at->gain), "low", json_number(at->low),
			 "high", json_number(at->high), "measured", verdict->is_measured, "verdict",
			 verdict_outcome_name(verdict->outcome));
}
