/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * driver - the life cycle that the recording commands share, from the options to the profile file.
 *
 * A verb is a table of functions for the steps that differ; each may be NULL, and all are called in
 * the table's order. The verb's state begins with a struct driver, so that a step gets at it by a
 * cast. Nothing is printed: the user's messages go to `message`.
 *
 *	static const struct driver_verb count_verb = {.kind = RUN_SAMPLES, .open = count_open};
 *	struct count count = {.driver.poll_ms = 20};
 *	driver_run(&count.driver, &count_verb, &options, &result, &error);
 */
#pragma once

#include "base/error.h"
#include "collect/process/program.h"
#include "collect/process/selection.h"
#include "driver/environment.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct driver_options {
	char *const *arguments; /* the program; ends with NULL; NULL: none is started */
	char *const *executed;  /* in place of these, which the profile tells; or NULL */
	struct process_selection selection; /* or these, which run already */
	const char *version;                /* of lever, for the profile */
	const char *words;                  /* as recording_run.options, or NULL */
	const char *output;
	bool fresh;     /* replace the file */
	double seconds; /* of recording; 0: until the program ends, or Ctrl-C */
	bool then_stop; /* the program and all that it started, when the recording is over */
	bool verbose;
	/* When all else is prepared, before the program starts; NULL: it starts at once. */
	int (*await_start)(void *context, struct error *error);
	void *start_context;
	void *context; /* of `message` */
	void (*message)(void *context, const char *sentence);
};

enum driver_end {
	DRIVER_ANSWERED,
	DRIVER_NO_ANSWER,   /* ran, but recorded nothing */
	DRIVER_NO_POINTS,   /* no progress point: wrong usage; `message` has been called */
	DRIVER_NOT_STARTED, /* the program could not be executed: exit_code is 126 or 127 */
	DRIVER_WRONG_USAGE,
	DRIVER_FAILED,
};

struct driver_result {
	enum driver_end end;
	int exit_code; /* DRIVER_NOT_STARTED */
	int status;    /* of the program, as waitpid gives it; -1: unknown */
};

/* Owned by driver_run. A verb may set what is marked with a *. */
struct driver {
	const struct driver_verb *verb;
	const struct driver_options *options;
	struct driver_result *result; /* * end, of a failure; DRIVER_FAILED if it is not set */
	struct profile *profile;
	char *program_path; /* NULL: no program is started */
	struct program program;
	struct process_list running;        /* what add_running was called for, and still runs */
	uint64_t selected_ns;               /* when the selection was looked for last */
	struct recording_run run;           /* * its texts are borrowed, but for command and note */
	struct recording_overhead overhead; /* * */
	int poll_ms;                        /* * the longest time between two polls */
	int descriptor;                   /* * readable when there is something to poll; -1: none */
	uint64_t started_ns, deadline_ns; /* 0: not started; no end but the program's */
	uint64_t written_ns, notified_ns;
	bool has_started;            /* this recording, or one before it */
	bool has_passed_termination; /* SIGTERM, to the program */
	int code;                    /* of this recording's first failure */
};

typedef int driver_step(struct driver *driver, struct error *error);

struct driver_verb {
	enum run_kind kind;
	bool lasts_to_program_end; /* SIGTERM is passed on to the program, whose end is awaited */
	const char
		*over_message; /* if the program outlives the recording; NULL: it is left alone */
	uint64_t over_message_after_ns;

	driver_step *check;    /* the options; a failure is wrong usage */
	driver_step *open;     /* the program's file is known, the profile is not open yet */
	driver_step *sequence; /* calls driver_record for each recording; NULL: for one */

	/* A recording. `begin` is the first step with driver->run.id. */
	driver_step *prepare;
	void (*describe)(struct driver *driver); /* completes driver->run */
	driver_step *begin;
	driver_step *record; /* calls driver_start; NULL: driver_start, then polls to the end */
	void (*environment)(struct driver *driver, struct environment *environment);
	driver_step *add_program; /* which is forked, and waits to exec */
	/* Or processes that run already, then each; a failure is wrong usage. Of those that are no
	 * pids of the selection a failure means that they are gone, or somebody else's. */
	driver_step *attach;
	int (*add_running)(struct driver *driver, pid_t pid, struct error *error);
	driver_step *start;                       /* sampling; the program execs next */
	bool (*any_alive)(struct driver *driver); /* processes besides the program; NULL: none */
	driver_step *poll;
	driver_step *write;                                     /* each second, and is committed */
	void (*notify)(struct driver *driver, uint64_t now_ns); /* twice a second */
	driver_step *stop;
	/* After `stop`; NULL: by program_poll and, for then_stop, any_alive. */
	bool (*program_runs)(struct driver *driver);
	/* For then_stop: adds the program's processes, orphans too. NULL: it knows of none. */
	void (*list_processes)(struct driver *driver, struct process_list *list);
	void (*idle)(struct driver *driver); /* while the program outlives the recording */
	driver_step *verify;                 /* unless something has failed */
	driver_step *finish;                 /* the last rows, and columns of driver->run */
	void (*end)(struct driver *driver);  /* releases what prepare and later steps made */

	bool (*has_answer)(const struct driver *driver); /* NULL: driver->run has samples */
	void (*close)(struct driver *driver);            /* releases what check and open made */
};

/* To be called once, first of all in main: see program_remember_signals. */
void driver_prepare_signals(void);
/*
 * Everything from the options to the finished profile file. `driver` is zeroed but for poll_ms;
 * what it points to is gone afterwards.
 */
void driver_run(struct driver *driver, const struct driver_verb *verb,
		const struct driver_options *options, struct driver_result *result,
		struct error *error);

/* For `sequence`: one recording, which is one run of the profile. */
int driver_record(struct driver *driver, struct error *error);
/* For `record`: forks the program and lets it exec, or attaches. Again: the program runs again. */
int driver_start(struct driver *driver, struct error *error);
/* Has --seconds passed since the first driver_start? */
bool driver_time_is_up(const struct driver *driver);
/* Something the user should know now. */
void driver_message(const struct driver *driver, const char *sentence);
double driver_elapsed_seconds(const struct driver *driver, uint64_t now_ns);
double driver_left_seconds(const struct driver *driver, uint64_t now_ns); /* < 0: unknown */
