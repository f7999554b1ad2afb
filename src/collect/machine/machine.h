/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * machine - what this machine allows, with a remedy for everything that is missing.
 *
 * `lever check` lists these sentences, and `lever run` refuses with them.
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
	char *remedy; /* NULL if none is needed, or none is known */
};

struct machine {
	struct machine_item *items;
	size_t count;
	bool has_sched_exit; /* the tracepoint sched_exit_tp is in BTF */
};

/*
 * Examines the machine. `root` is put before /proc and /sys ("" for the real ones; tests have their
 * own). Perf events and BPF are tried by system calls, and everything is undone.
 */
struct machine *machine_examine(const char *root);
void machine_free(struct machine *machine);

/* 0, or -EPERM or -ENOTSUP with the sentences and remedies of everything that is missing. */
int machine_needs(const struct machine *machine, struct error *error);

/*
 * The abilities of the runtime engine on this machine, to be freed. It needs no rights; where perf
 * events of the user's own threads are refused, it samples by coarser timers.
 */
char *machine_runtime_engine(void);

/* cpu-clock events are reported to hang whole machines on these releases (6.17.1 to 6.17.6). */
bool machine_kernel_may_hang(const char *release);
/* -EPERM on a release (NULL: the running one) that may hang the machine, unless `is_forced`. */
int machine_may_pause(const char *release, bool is_forced, struct error *error);
/* Compares the first two numbers of "6.1.0-18-amd64". False for other texts. */
bool machine_kernel_is_at_least(const char *release, unsigned major, unsigned minor);
