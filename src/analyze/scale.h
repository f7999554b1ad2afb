/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * scale - the runs of one `lever scale`: how parallel the program is, how long it would take on other
 * numbers of cores, and what its cores wait for.
 *
 * Everything points into the recording, which must live as long.
 */
#pragma once

#include "profile/recording.h"
#include "stats/parallel.h"

#include <stdbool.h>

/* One run of the program, as it was counted. */
struct scale_run {
	const struct recording_run *run;
	const struct recording_parallel *parallel;
	struct parallel_level *levels; /* ascending */
	size_t count;
	double wall_ns; /* from its exec to its end */
	double own_ns;  /* without what other programs took */
	double cpu_ns;  /* of all its threads */
};

enum scale_model {
	SCALE_PAPER,   /* the formula as it was published */
	SCALE_FORMULA, /* without the time that other programs took */
	SCALE_GROWTH,  /* and with the growth of CPU time that a run on other cores showed */
	SCALE_MODELS,
};

struct scale_answer {
	unsigned cores;
	enum scale_model model;
	double wall_ns, low_ns, high_ns; /* 95 % interval of one run's time */
	unsigned runs;                   /* that it comes from */
};

/* What was measured on so many cores. */
struct scale_measured {
	unsigned cores, runs;
	double wall_ns;           /* mean */
	double least_ns, most_ns; /* of the runs */
	double own_ns;            /* mean, without what other programs took */
	double cpu_ns;            /* mean */
	unsigned threads;         /* made, in the last of them */
};

/* A stretch of the run in which about as many threads were active. */
struct scale_phase {
	double begin_ns, wall_ns;
	double active, running; /* threads, on average */
};

/* A piece of the first run, as short as it was looked at. */
struct scale_slice {
	double begin_ns, wall_ns;
	double active, running; /* threads, on average */
};

struct scale {
	const struct recording *recording;
	unsigned cores, machine_cores;         /* of the profiled runs; of the machine */
	ARRAY(struct scale_run) runs;          /* profiled ones, that came to their end */
	ARRAY(struct scale_run) others;        /* on other cores */
	ARRAY(struct parallel_level) levels;   /* means over the runs, ascending */
	double wall_ns;                        /* the levels' sum */
	double own_ns, cpu_ns, displaced_ns;   /* means over the runs */
	unsigned level_reached;                /* most threads active at once */
	double mean_active, mean_running;      /* threads */
	double serial_share;                   /* of the wall time: one thread active */
	bool has_growth;                       /* it could be told from the runs */
	double growth;                         /* of CPU time, per further thread that runs */
	ARRAY(struct scale_answer) answers;    /* by cores, then by model */
	ARRAY(struct scale_measured) measured; /* by cores */
	ARRAY(struct scale_slice) slices;
	ARRAY(struct scale_phase) phases;
	ARRAY(char *) warnings;
};

/* Of the last `lever scale` in the recording. */
struct scale *scale_new(const struct recording *recording);
void scale_free(struct scale *scale);
const struct scale_answer *scale_answer(const struct scale *scale, unsigned cores,
					enum scale_model model);
/* The model to believe, of those that have an answer. */
enum scale_model scale_best_model(const struct scale *scale, unsigned cores);
/* What cores would wait for. */
struct parallel_losses scale_losses(const struct scale *scale, unsigned cores);
const char *scale_model_name(enum scale_model model);
const char *scale_limit_name(enum parallel_limit limit);
/*
 * The standard error of a model, as a fraction of its answer, for each doubling of the cores, as the
 * paper and our own measurements have it (docs/scale.md).
 */
double scale_model_error(enum scale_model model, double wakes_per_second);
#define SCALE_WAKES_OFTEN 2000.0 /* per second of CPU time: a program that waits a lot */
