/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * job_command - the command line of a parallel job, like `mpirun -np 4 ./solve : -np 1 ./store`:
 * which words are its launcher's, and which are programs.
 *
 * Known are the launchers of Open MPI, MPICH and Slurm. Words are borrowed; arrays are to be freed.
 */
#pragma once

#include "base/error.h"

#include <stdbool.h>

/* Its first word is a launcher's name. */
bool job_command_is(char *const *words);
/* It may start processes on other hosts: an option or the environment names some. */
bool job_command_names_hosts(char *const *words);
/* `prefix` before each program. -EINVAL: there is none, or one that cannot be executed. */
int job_command_with_prefix(char *const *words, const char *const *prefix, char ***made,
			    struct error *error);
/* `program` in place of each program and its arguments. */
int job_command_with_program(char *const *words, const char *const *program, char ***made,
			     struct error *error);
/* What starts one process on host %h in the same way. */
char **job_command_launcher(char *const *words);
