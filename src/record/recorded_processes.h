/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * recorded_processes - the processes that are recorded, and whether any of them still lives.
 */
#pragma once

#include "collect/record/recorder.h"

struct recorded_processes;

struct recorded_processes *recorded_processes_new(struct recorder *recorder);
void recorded_processes_free(struct recorded_processes *processes);

int recorded_processes_add(struct recorded_processes *processes, pid_t pid, struct error *error);
/* -ESRCH if there is no such process. */
int recorded_processes_add_running(struct recorded_processes *processes, pid_t pid,
				   struct error *error);
/* All processes of a cgroup and the ones below it; those that are known already stay so. */
int recorded_processes_add_cgroup(struct recorded_processes *processes, const char *path,
				  struct error *error);
/* For recorder_handler. */
void recorded_processes_on_process(struct recorded_processes *processes,
				   const struct kernel_process_event *event);
bool recorded_processes_any_alive(struct recorded_processes *processes);
