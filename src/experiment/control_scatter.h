/* SPDX-License-Identifier: BSD-2-Clause */
/* control_scatter - by how much the rates of controls differ that follow each other. */
#pragma once

struct recording_experiment;

struct control_scatter {
	double period_ns; /* of the last one; 0: there is none */
	double differences, pairs;
};

/* Of any window; those with a speedup, and those that do not count, are left out. */
void control_scatter_learn(struct control_scatter *scatter,
			   const struct recording_experiment *window, double visits);
/* Of the logarithm of one control's period. Needs a pair. */
double control_scatter_variance(const struct control_scatter *scatter);
