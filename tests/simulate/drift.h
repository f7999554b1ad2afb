/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * drift - how the speeds of a machine's cores change: as those of a shared virtual machine.
 *
 * The logarithm of a core's slowness is a sum of Ornstein-Uhlenbeck processes, each with its time
 * constant, of which a part is common to all cores; in addition, whole stretches are slow, as when
 * a group's quota is used up or another guest runs.
 */
#pragma once

#include "machine.h"

struct drift_settings {
	double deviation;        /* of the logarithm, by each of the processes */
	double common;           /* part of the variance that all cores share */
	double stretches;        /* share of the time in slow stretches */
	double stretch_slowness; /* 1.3: a core is 30 % slower in one */
};

struct drift {
	struct drift_settings settings;
	struct random random;
	double common[3], own[MACHINE_CORES_MOST][3];
	uint64_t stretch_end_ns[MACHINE_CORES_MOST]; /* the core's present stretch */
	bool is_slow[MACHINE_CORES_MOST];
};

/* "calm" or "shared", or NULL for neither. */
const struct drift_settings *drift_named(const char *name);
struct drift drift_start(const struct drift_settings *settings, uint64_t seed);
/* Runs the machine for so long, while its cores' speeds drift. */
void drift_run(struct drift *drift, struct machine *machine, uint64_t ns);
