/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * scale - the runs of one `lever scale`: how parallel the program is, how long it would take on
 * other numbers of cores, and what its cores wait for.
 *
 * Everything points into the recording, which must live as long.
 */
#pragma once

#include "analyze/scale/log_replay.h"
#include "profile/recording.h"
#include "stats/parallel.h"

#include <stdbool.h>

/* One run of the program. */
struct scale_run {
	const struct recording_run *run;
	const struct recording_parallel *parallel;
	const struct recording_run_conditions *conditions; /* NULL: written by an older lever */
	struct parallel_level *levels;                     /* ascending */
	size_t count;
	double wall_ns; /* from its exec to its end */
	double own_ns;  /* without the time that other programs took */
	double cpu_ns;  /* of all its threads */
	double displaced_ns,
		stolen_ns; /* core time taken by other programs and by the hypervisor */
};

enum scale_model {
	SCALE_PAPER,   /* the formula as it was published */
	SCALE_FORMULA, /* without the time that other programs took */
	SCALE_GROWTH,  /* and with the growth of CPU time, measured on other cores */
	SCALE_REPLAY,  /* a recorded run, simulated; with that growth if known */
	SCALE_MODELS,
};

struct scale_prediction {
	unsigned cores;
	enum scale_model model;
	double wall_ns, low_ns, high_ns; /* 95 % interval of one run's time */
	unsigned runs;                   /* behind it */
	bool is_tried;                   /* the program ran on so many cores */
	double error;                    /* of the prediction, as a fraction of the measured time */
};

/* Measurements on so many cores. */
struct scale_measured {
	unsigned cores, runs;
	double wall_ns;           /* mean */
	double least_ns, most_ns; /* of the runs */
	double own_ns;            /* mean, without what other programs took */
	double cpu_ns;            /* mean */
	unsigned threads;         /* created, in the last of them */
	bool is_earlier;          /* by an earlier `lever scale` of the same program */
};

/* A recorded run, simulated on its own cores. */
struct scale_check {
	bool is_there;
	bool has_passed;  /* the simulation may be used for predictions */
	char *refusal;    /* why it may not; NULL if it may */
	double logged_ns; /* time of the run, without other programs */
	double replayed_ns;
	double error; /* replayed / logged - 1 */
};
#define SCALE_REPLAY_ERROR_MOST 0.05
#define SCALE_CLOSER_LEAST 0.03 /* another model is believed if its error is that much smaller */

/* A part of the run with about the same number of active threads. */
struct scale_phase {
	double begin_ns, wall_ns;
	double active, running; /* threads, on average */
};

struct level_list {
	struct parallel_level *items; /* ascending by threads */
	size_t count, capacity;
};

/* The time in which at least one span of this name was open, in the recorded run. */
struct scale_span {
	char *name;
	uint64_t times;                  /* number of spans */
	struct level_list levels;        /* ascending */
	double wall_ns, active, running; /* threads, on average */
	double serial_share;
};

/* The gain by a target of a causal profile on so many cores. */
struct scale_predicted_gain {
	unsigned cores;
	double gain, low, high; /* of the program's time; 95 % interval */
};

/* Does the first target of a causal profile still matter on other numbers of cores? */
struct scale_what_if {
	const struct recording_what_if *asked; /* NULL: not asked */
	char *refusal;         /* why there is no prediction; NULL if there is one */
	size_t target_samples; /* number of samples in the target */
	double gain_here;      /* simulated on the machine's cores, where the experiments ran */
	ARRAY(struct scale_predicted_gain) predictions;
};

/* A slice of the first run. */
struct scale_slice {
	double begin_ns, wall_ns;
	double active, running; /* threads, on average */
};

/* The job's time if one host alone had so many cores. */
struct scale_host_gain {
	unsigned cores;
	double wall_ns;
};

/* One of several hosts of a job; the first is that whose program's end is the job's. */
struct scale_host {
	const char *name;
	unsigned cores, machine_cores; /* of the program there */
	unsigned runs;                 /* that it was counted in */
	unsigned recorded_cores;       /* in the run with the log; 0: there is no log of it */
	struct level_list levels;      /* means over the runs; so are the next lines */
	double wall_ns, cpu_ns;
	double mean_active, mean_running; /* threads */
	double serial_share, idle_share;  /* of the wall time: one thread active, none */
	ARRAY(struct scale_host_gain) gains;
};

struct scale {
	const struct recording *recording;
	unsigned cores, machine_cores;    /* of the profiled runs; of the machine */
	ARRAY(struct scale_run) runs;     /* profiled and finished */
	ARRAY(struct scale_run) others;   /* on other numbers of cores */
	ARRAY(struct scale_run) recorded; /* with the scheduler's log: at most one */
	ARRAY(struct scale_run) adapted;  /* that saw fewer cores and made other threads */
	struct level_list levels;         /* means over the runs; so are the next three lines */
	double wall_ns;                   /* the levels' sum */
	double own_ns, cpu_ns;            /* means over the runs; so are the next three lines */
	double displaced_ns, stolen_ns;   /* taken by other programs, by the hypervisor */
	double counting_ns;               /* and by lever, in the kernel */
	unsigned level_reached;           /* most threads active at once */
	double mean_active, mean_running; /* threads */
	double serial_share;              /* of the wall time: one thread active */
	bool has_growth;                  /* the runs allow to tell it */
	double growth;                    /* of CPU time, per further thread that runs */
	double core_growth; /* of the core time that active threads had or waited for */
	double prediction_errors
		[SCALE_MODELS]; /* of each model, on the other cores that were tried; NAN: none */
	struct log_replay *log; /* NULL: none */
	ARRAY(struct log_steal) steals; /* of the recorded run */
	struct scale_check check;
	ARRAY(struct scale_prediction) predictions; /* by cores, then by model */
	ARRAY(struct scale_measured) measured;      /* by cores */
	ARRAY(struct scale_slice) slices;
	ARRAY(struct scale_phase) phases;
	ARRAY(struct scale_span) spans; /* by falling time */
	struct scale_what_if what_if;
	ARRAY(struct scale_host) hosts; /* several, or none */
	ARRAY(char *) warnings;
};

/* Of the last session in the recording. */
struct scale *scale_new(const struct recording *recording);
void scale_free(struct scale *scale);
const struct scale_prediction *scale_prediction(const struct scale *scale, unsigned cores,
						enum scale_model model);
/* The model to believe, among those with a prediction. */
enum scale_model scale_best_model(const struct scale *scale, unsigned cores);
/* What so many cores would wait for. */
struct parallel_losses scale_losses(const struct scale *scale, unsigned cores);
const char *scale_model_name(enum scale_model model);
const char *scale_limit_name(enum parallel_limit limit);
/*
 * The standard error of a model per doubling of the cores, as a fraction of its prediction
 * (docs/scale.md).
 */
double scale_model_error(enum scale_model model, double wakes_per_second);
/*
 * Mean absolute error of a model on real programs, from one core to two and back (docs/scale.md).
 */
struct scale_model_accuracy {
	double error;
	unsigned programs;
};
struct scale_model_accuracy scale_accuracy_of(enum scale_model model);
#define SCALE_WAKES_OFTEN 2000.0 /* per second of CPU time */
