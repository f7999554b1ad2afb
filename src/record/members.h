/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * members - the processes that are recorded, and whether any of them still lives.
 */
#pragma once

#include "collect/recorder.h"

struct members;

struct members *members_new(struct recorder *recorder);
void members_free(struct members *members);

int members_add(struct members *members, pid_t pid, struct error *error);
/* -ESRCH if there is no such process. */
int members_add_running(struct members *members, pid_t pid, struct error *error);
/* All processes of a cgroup and the ones below it; those that are known already stay so. */
int members_add_cgroup(struct members *members, const char *path, struct error *error);
/* For recorder_handler. */
void members_on_process(struct members *members, const struct kernel_process_event *event);
bool members_any_alive(struct members *members);
