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
	PARALLEL_IO,        /* for a disk or another device */
	PARALLEL_TIMER,     /* asleep for a time */
	PARALLEL_CONDITION, /* on a futex that is no lock: work, a barrier, another thread's end */
	PARALLEL_OTHER,     /* a pipe, a socket, a child */
	PARALLEL_WAITS,
};

/* All time during which j threads were active; times of threads are summed over them. */
struct parallel_level {
	unsigned threads;    /* j */
	double wall_ns;      /* T_j(k1) */
	double running_ns;   /* of its threads: time on a core */
	double displaced_ns; /* of its threads: runnable, but other programs had the core */
	double stolen_ns;    /* of running_ns: the hypervisor ran something else (steal) */
	double counting_ns;  /* of running_ns: overhead of counting them */
	double waiting_ns[PARALLEL_WAITS]; /* of threads that were blocked meanwhile */
};

/* T_j(k2) of T_j(k1). */
double parallel_level_on(double wall_ns, unsigned threads, unsigned from_cores, unsigned to_cores);

/*
 * T_j(k1) without other programs, steal and the overhead of counting: of the min(j, k1) cores that
 * the program wanted, (displaced_ns + stolen_ns + counting_ns) / T_j were unavailable on average.
 */
double parallel_own_ns(const struct parallel_level *level, unsigned cores);
/* CPU time: core time that the threads used. */
double parallel_cpu_ns(const struct parallel_level *level);
/*
 * Core time: used or wanted by the threads, which is parallel_own_ns times min(j, cores). It
 * exceeds the CPU time where a core is slow to run a ready thread.
 */
double parallel_core_ns(const struct parallel_level *level, unsigned cores);

/* The wall time E(k2), with and without the correction of parallel_own_ns. */
double parallel_predict(const struct parallel_level *levels, size_t count, unsigned from_cores,
			unsigned to_cores);
double parallel_predict_raw(const struct parallel_level *levels, size_t count, unsigned from_cores,
			    unsigned to_cores);

/*
 * Growth of CPU time, or of core time: the same work takes 1 + growth * (n - 1) times as much of it
 * when n threads run at once (caches, memory, wake-ups, spinning, cores that are hardware threads
 * of one). Estimated from two runs: the time of each level on `from_cores` (by parallel_cpu_ns or
 * parallel_core_ns), and the whole program's on `to_cores`. 0 where the two runs do not determine
 * it, as when nothing ran in parallel in either.
 */
double parallel_growth(const struct parallel_level *levels, const double *taken_ns, size_t count,
		       unsigned from_cores, double all_ns, unsigned to_cores);
#define PARALLEL_GROWTH_LEAST -0.45 /* cores that were faster meanwhile */
#define PARALLEL_GROWTH_MOST 4.0
/*
 * The factor by which the same work takes longer while `running` threads run:
 * 1 + growth * (running - 1); where growth is negative, 1 + growth for two and more.
 */
double parallel_slowdown(double growth, unsigned running);
/* E(k2) with that growth; with 0 it is parallel_predict. */
double parallel_predict_grown(const struct parallel_level *levels, size_t count,
			      unsigned from_cores, unsigned to_cores, double growth);

/* Reasons why cores are idle. Their times add up to `all_ns`. */
enum parallel_limit {
	PARALLEL_LIMIT_SERIAL,    /* one thread was active: the serial part of Amdahl's law */
	PARALLEL_LIMIT_LOCKS,     /* threads waited for locks */
	PARALLEL_LIMIT_IO,        /* threads waited for I/O */
	PARALLEL_LIMIT_TIMER,     /* threads slept */
	PARALLEL_LIMIT_EXTERNAL,  /* no thread was active, for another reason than the above */
	PARALLEL_LIMIT_IMBALANCE, /* several threads were active, others waited for them */
	PARALLEL_LIMIT_THREADS,   /* all threads were active, and fewer than cores */
	PARALLEL_LIMITS,
};

struct parallel_losses {
	double core_ns; /* cores times predicted wall time */
	double used_ns; /* of it in active threads */
	double all_ns;  /* the rest */
	double by_limit_ns[PARALLEL_LIMITS];
};

/* On `to_cores`, as the formula predicts; threads are assumed to wait as on `from_cores`. */
struct parallel_losses parallel_losses(const struct parallel_level *levels, size_t count,
				       unsigned from_cores, unsigned to_cores);

/* Mean number of active threads; 0 without time. */
double parallel_mean(const struct parallel_level *levels, size_t count);
