/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * machine - what this machine allows, in the user's words, with the remedy for each lack.
 *
 * One place for these sentences: `lever check` lists them, and `lever run` refuses with them.
 */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

enum machine_state {
	MACHINE_FINE,
	MACHINE_LIMITED, /* works, but slower, coarser or with something missing */
	MACHINE_MISSING, /* the kernel engine cannot work */
};

struct machine_item {
	const char *what; /* "kernel", "BTF", ...: a short name, constant */
	enum machine_state state;
	char *sentence;
	char *remedy; /* NULL if nothing needs to be done or nothing can be */
};

struct machine {
	struct machine_item *items;
	size_t count;
	bool has_sched_exit;         /* the tracepoint sched_exit_tp is in BTF */
	unsigned max_sample_rate_hz; /* perf_event_max_sample_rate; 0: unknown */
};

/*
 * Examines the machine; `root` stands before /proc and /sys ("" for the real ones; tests have
 * theirs). What needs system calls (perf, bpf) is tried for real, and everything is undone.
 */
struct machine *machine_examine(const char *root);
void machine_free(struct machine *machine);

/* 0, or -EPERM or -ENOTSUP with the sentences and remedies of everything that is missing. */
int machine_needs(const struct machine *machine, struct error *error);

/*
 * What the runtime engine can do here, to be freed: it works without rights, well where perf events
 * of one's own threads are allowed, else by coarser timers.
 */
char *machine_runtime_engine(void);

/* cpu-clock events are reported to hang whole machines on these releases (6.17.1 to 6.17.6). */
bool machine_kernel_may_hang(const char *release);
/*
 * Whether to go on: -EPERM on a release (NULL: the running one) that may hang the machine, unless the
 * user insists.
 */
int machine_may_pause(const char *release, bool is_forced, struct error *error);
/* Compares the first two numbers of "6.1.0-18-amd64". False if it does not begin so. */
bool machine_kernel_is_at_least(const char *release, unsigned major, unsigned minor);
