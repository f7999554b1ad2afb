/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * program - the profiled command as a child process.
 *
 * Life: program_prepare forks a child that waits; program_start lets it exec; program_poll notices
 * its end. Its standard files, limits, process group, signal mask and dispositions are those that
 * lever was started with. Nothing is traced.
 */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct program {
	pid_t pid;
	int pidfd;
	int go;      /* written to: the child execs */
	int failure; /* read from: errno of a failed exec */
	uint64_t started_ns, ended_ns;
	int status; /* as waitpid gives it; valid once has_ended */
	bool has_ended;
};

/* To be called before lever changes any signal disposition: remembers the inherited ones. */
void program_remember_signals(void);

/* `environment`: further NAME=VALUE entries, ends with NULL. */
int program_prepare(struct program *program, char *const *arguments, const char *const *environment,
		    struct error *error);
/* With other standard files: input, output and error; -1: lever's own. */
int program_prepare_with_files(struct program *program, char *const *arguments,
			       const char *const *environment, const int files[3],
			       struct error *error);
/* -ENOENT and others: it could not be executed (program_exec_status gives 126 or 127). */
int program_start(struct program *program, const char *name, struct error *error);
int program_exec_status(int code);
/* Says so, with the remedy; returns -errno. `code` of either sign. */
int program_cannot_run(const char *name, int code, struct error *error);
/* Reaps the program if it has ended; returns has_ended. Never waits. */
bool program_poll(struct program *program);
/* Kills a child that has not been started, closes descriptors. A running program goes on. */
void program_release(struct program *program);

/* The file that execvp would run for this name; NULL with code and error if there is none. */
char *program_find(const char *name, int *code, struct error *error);
