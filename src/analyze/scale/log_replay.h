/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * log_replay - a scheduler log as steps of threads, which stats/replay can run on other cores.
 *
 * What a thread did on a core becomes work. A wait that another thread of the program ended becomes a
 * wait for a signal, which that thread gives where it stood in its own work; so does a thread's
 * beginning. All other waits (devices, timers, other programs) keep their length. What a thread waited
 * for a core is left out: that is for the simulation to find.
 */
#pragma once

#include "analyze/timeline/timeline.h"
#include "stats/replay.h"

struct log_replay {
	struct replay replay;
	unsigned *tids;       /* of the threads of `replay` */
	double length_ns;     /* from the program's exec to its end, as it was logged */
	double wake_delay_ns; /* usual time from a wake-up until an idle core runs the thread */
	size_t signals, sleeps;
};

/* Code that shall be reduction: samples in it, by thread and then by time. */
struct log_speedup {
	const struct recording_target_sample *target_samples;
	size_t count;
	double speedup; /* 0.25: it takes a quarter less */
};

/* Stretches of time in which threads on a core did not work all the time, as the hypervisor had it. */
struct log_steal {
	uint64_t begin_ns, length_ns; /* since the program's exec; no two have a moment in common */
	double part;                  /* of the threads' time on cores */
};
struct log_steals {
	const struct log_steal *items;
	size_t count;
};

/*
 * `growth` is that of CPU time: it is taken off, as is what was stolen. `speedup` and `steals` may be
 * NULL. The result is NULL if the log has no program in it.
 */
struct log_replay *log_replay_new(const struct timeline *timeline, unsigned cores, double growth,
				  const struct log_speedup *speedup,
				  const struct log_steals *steals);
void log_replay_free(struct log_replay *log);
