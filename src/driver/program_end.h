/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * program_end - ends the program and all processes that it has started, in order: SIGTERM to the
 * program, which may end the others itself; when it is gone, or two seconds later, to the others;
 * SIGKILL to what runs five seconds after the first signal.
 */
#pragma once

#include "collect/process/program.h"
#include "collect/process/tree.h"

struct program_end {
	struct process_list asked; /* processes that have got SIGTERM */
	uint64_t began_ns;         /* 0: not yet */
	bool has_killed;
};

/*
 * To be called again and again until nothing runs. `known`: processes of the program, also such as
 * have lost their parent; or NULL. Returns whether it has just sent a first SIGKILL.
 */
bool program_end_continue(struct program_end *end, const struct program *program,
			  const struct process_list *known);
void program_end_release(struct program_end *end);
