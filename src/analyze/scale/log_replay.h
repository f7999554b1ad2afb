/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * log_replay - a scheduler log as steps of threads, which stats/replay runs on other cores.
 *
 * Time on a core becomes work. A wait that another thread of the program ended becomes a wait for a
 * signal, which that thread sends at that point of its own work; so does a thread's creation. All
 * other waits (devices, timers, other programs) keep their length. Waits for a core are left out:
 * the simulation finds them.
 */
#pragma once

#include "analyze/timeline/timeline.h"
#include "stats/replay.h"

struct log_replay {
	struct replay replay;
	unsigned *tids;       /* of the threads of `replay` */
	double length_ns;     /* logged, from the program's exec to its end */
	double wake_delay_ns; /* usual time from a wake-up until an idle core runs the thread */
};

/* Code to be sped up: its target samples, by thread and then by time. */
struct log_speedup {
	const struct recording_target_sample *target_samples;
	size_t count;
	double speedup; /* 0.25: it takes 25 % less time */
};

/* Time that the hypervisor took from the threads on cores. */
struct log_steal {
	uint64_t begin_ns, length_ns; /* since the program's exec; they do not overlap */
	double part;                  /* of the threads' time on cores */
};
struct log_steals {
	const struct log_steal *items;
	size_t count;
};

/*
 * `growth` is that of CPU time, per further thread that runs; it is taken off, as are `steals`.
 * `speedup` and `steals` may be NULL. Returns NULL if the log has no program in it.
 */
struct log_replay *log_replay_new(const struct timeline *timeline, unsigned cores, double growth,
				  const struct log_speedup *speedup,
				  const struct log_steals *steals);
void log_replay_free(struct log_replay *log);
