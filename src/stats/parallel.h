/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * parallel - from the time with so many threads active to the wall time on other numbers of cores.
 *
 * Pure functions on numbers. A thread is active while it runs or could run. T_j(k) is the wall time
 * with j threads active on k cores. The formula is that of Peternier, Binder, Yokokawa and Chen,
 * "Parallelism profiling and wall-time prediction for multi-threaded applications" (ICPE 2013),
 * section 3; its last displayed equation has the three cases that parallel_level_on names.
 */
#pragma once

#include <stddef.h>

/* Reasons why a blocked thread waits. */
enum parallel_wait {
	PARALLEL_LOCK,      /* for a lock that another thread holds */
	PARALLEL_IO,        /* for a disk or its like */
	PARALLEL_TIMER,     /* asleep for a time */
	PARALLEL_CONDITION, /* on a futex, but for no lock: work, a barrier, another thread's end */
	PARALLEL_OTHER,     /* a pipe, a socket, a child */
	PARALLEL_WAITS,
};

/* All the time with so many threads active; sums over the cores or threads meant. */
struct parallel_level {
	unsigned threads;    /* j */
	double wall_ns;      /* T_j(k1) */
	double running_ns;   /* of its threads: time on a core */
	double displaced_ns; /* of its threads: could have run, but other programs had the core */
	double stolen_ns;    /* of its threads: they had the core, and the hypervisor took it */
	double counting_ns;  /* of its threads: they had the core, and were counted meanwhile */
	double waiting_ns[PARALLEL_WAITS]; /* of threads that were blocked meanwhile */
};

/* T_j(k2) of T_j(k1). */
double parallel_level_on(double wall_ns, unsigned threads, unsigned from_cores, unsigned to_cores);

/*
 * T_j(k1) as it had been without other programs and machines, and unobserved: of the min(j, k1)
 * cores that the program wanted, (displaced_ns + stolen_ns + counting_ns) / T_j were not to be had
 * on average.
 */
double parallel_own_ns(const struct parallel_level *level, unsigned cores);
/* What its threads used of cores. */
double parallel_cpu_ns(const struct parallel_level *level);
/*
 * What they used or wanted of them: min(j, cores) for all of that time. It is more than the former
 * where cores take their time to run who is ready.
 */
double parallel_core_ns(const struct parallel_level *level, unsigned cores);

/* E(k2), with or without that correction. */
double parallel_predict(const struct parallel_level *levels, size_t count, unsigned from_cores,
			unsigned to_cores);
double parallel_predict_raw(const struct parallel_level *levels, size_t count, unsigned from_cores,
			    unsigned to_cores);

/*
 * Growth of CPU time, or of core time: the same work takes 1 + growth * (n - 1) times as much of it
 * when n threads run at once (caches, memory, wake-ups, spinning, cores that are hardware threads
 * of one). Read off two runs: what the levels took on `from_cores` (by parallel_cpu_ns or
 * parallel_core_ns), and what the program took of the same on `to_cores`, in all. 0 where the two
 * runs cannot tell, as when nothing ran in parallel in either.
 */
double parallel_growth(const struct parallel_level *levels, const double *taken_ns, size_t count,
		       unsigned from_cores, double all_ns, unsigned to_cores);
#define PARALLEL_GROWTH_LEAST -0.45 /* cores that were faster meanwhile */
#define PARALLEL_GROWTH_MOST 4.0
/*
 * By how much the same work takes longer while so many threads run: 1 + growth * (running - 1);
 * where growth is negative, 1 + growth for two and more.
 */
double parallel_slowdown(double growth, unsigned running);
/* E(k2) with that growth; with 0 it is parallel_predict. */
double parallel_predict_grown(const struct parallel_level *levels, size_t count,
			      unsigned from_cores, unsigned to_cores, double growth);

/* What k cores wait for, in core time. The parts add up to `all_ns`. */
enum parallel_limit {
	PARALLEL_LIMIT_SERIAL,    /* one thread was active: the part that Amdahl's law is about */
	PARALLEL_LIMIT_LOCKS,     /* threads that would have used the cores waited for locks */
	PARALLEL_LIMIT_IO,        /* or for I/O, */
	PARALLEL_LIMIT_TIMER,     /* or slept */
	PARALLEL_LIMIT_EXTERNAL,  /* no thread was active, for none of these reasons */
	PARALLEL_LIMIT_IMBALANCE, /* several were active, others waited for them */
	PARALLEL_LIMIT_THREADS,   /* several were active, and there were not more */
	PARALLEL_LIMITS,
};

struct parallel_losses {
	double core_ns; /* cores times predicted wall time */
	double used_ns; /* of it in active threads */
	double all_ns;  /* the rest */
	double by_limit_ns[PARALLEL_LIMITS];
};

/*
 * On `to_cores`, as the formula predicts; who waited for what is taken as it was on `from_cores`.
 */
struct parallel_losses parallel_losses(const struct parallel_level *levels, size_t count,
				       unsigned from_cores, unsigned to_cores);

/* Mean number of active threads; 0 without time. */
double parallel_mean(const struct parallel_level *levels, size_t count);
