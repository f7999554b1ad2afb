/* SPDX-License-Identifier: BSD-2-Clause */
/* What threads owe as a generation begins (wire/delay.h). */
#include "wire/delay.h"

#include "check.h"

TEST("threads that begin a generation in the target raise G together, not one after the other")
{
	struct delay_settings settings = {.generation = 3, .speedups = {DELAY_SPEEDUP_ONE}};
	__u64 global = settings.generation_delay_ns = 5000;

	settings.heartbeat_ns = settings.generation_ns = 1;
	for (int i = 0; i < 100; i++) {
		struct delay_local local = {.generation = 2, .delay_ns = 1000};
		delay_renew(&local, &settings);
		delay_charge_target(&local, &settings, 1, 250, 2);
		global = delay_later(local.delay_ns, global);
	}
	CHECK_EQUAL(global, 5250);
}
